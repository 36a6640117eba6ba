//! Logistic regression on sparse features, of which judges are made.

use crate::descent::{DescentSettings, MinibatchDescent};

/// An example with features that are present, one number, and a class.
pub(crate) trait Example {
    /// Returns the features that are present.
    fn features(&self) -> &[u16];

    /// Returns a feature that is a number; its weight is the last one.
    fn number(&self) -> f32 {
        0.0
    }

    /// Tells whether the judge should be positive.
    fn is_positive(&self) -> bool;
}

/// A regression under way.
pub(crate) struct Regression<'a, T> {
    /// Weight of half the squares of the weights, whose slopes are the weights themselves.
    penalty: f32,
    examples: &'a [T],
    /// Weight of each example in the loss, 1 on average.
    importance: Vec<f32>,
    descent: MinibatchDescent,
}

impl<'a, T: Example> Regression<'a, T> {
    /// Begins a regression with `count` features, all of whose weights are 0.
    pub fn new(
        settings: DescentSettings,
        count: usize,
        examples: &'a [T],
        importance: Vec<f32>,
    ) -> Self {
        Self {
            penalty: settings.penalty as f32,
            examples,
            importance,
            descent: MinibatchDescent::new(settings, examples.len(), vec![0.0; count + 1]),
        }
    }

    /// Returns one weight for each feature, and that of the number.
    pub fn weights(&self) -> &[f32] {
        &self.descent.weights
    }

    /// Passes over all examples once; returns the mean loss.
    pub fn pass(&mut self) -> f64 {
        let Self {
            penalty,
            examples,
            importance,
            descent,
        } = self;
        descent.pass(|weights, batch| {
            let mut slopes: Vec<f32> = vec![0.0; weights.len()];
            let of_number = slopes.len() - 1;
            let mut loss = 0.0;
            for &index in batch {
                let example = &examples[index];
                let towards = if example.is_positive() { 1.0 } else { -1.0 };
                let margin = towards * value(weights, example);
                let importance = importance[index];
                loss += f64::from(importance * cross_entropy(margin));
                let slope = importance * towards / (1.0 + libm::expf(margin)) / batch.len() as f32;
                for &feature in example.features() {
                    slopes[usize::from(feature)] -= slope;
                }
                slopes[of_number] -= slope * example.number();
            }
            for (slope, weight) in slopes.iter_mut().zip(weights) {
                *slope += *penalty * weight;
            }
            (loss, slopes)
        })
    }
}

/// Returns the judge's value of an example.
pub(crate) fn value(weights: &[f32], example: &impl Example) -> f32 {
    let features = example.features().iter();
    let sum: f32 = features.map(|&feature| weights[usize::from(feature)]).sum();
    sum + weights[weights.len() - 1] * example.number()
}

/// Returns the mean loss of examples.
pub(crate) fn loss(weights: &[f32], examples: &[impl Example], importance: &[f32]) -> f64 {
    let losses = examples
        .iter()
        .zip(importance)
        .map(|(example, importance)| {
            let towards = if example.is_positive() { 1.0 } else { -1.0 };
            f64::from(importance * cross_entropy(towards * value(weights, example)))
        });
    losses.sum::<f64>() / examples.len().max(1) as f64
}

/// Scales weights of examples to a mean of 1.
pub(crate) fn normalised(importance: Vec<f64>) -> Vec<f32> {
    let mean = importance.iter().sum::<f64>() / importance.len().max(1) as f64;
    (importance.into_iter())
        .map(|one| (one / mean.max(1e-9)) as f32)
        .collect()
}

fn cross_entropy(margin: f32) -> f32 {
    libm::log1pf(libm::expf(-margin.abs())) + (-margin).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Coin {
        features: [u16; 1],
        number: f32,
        heads: bool,
    }

    impl Example for Coin {
        fn features(&self) -> &[u16] {
            &self.features
        }

        fn number(&self) -> f32 {
            self.number
        }

        fn is_positive(&self) -> bool {
            self.heads
        }
    }

    #[test]
    fn weights_become_the_logarithms_of_odds() {
        // Coin 0 shows heads once in four throws, coin 1 three times; the number adds nothing.
        let coins: Vec<Coin> = (0..8_000)
            .map(|throw| Coin {
                features: [throw % 2],
                number: f32::from(throw % 5) - 2.0,
                heads: (throw / 10) % 4 == 0 || throw % 2 == 1 && (throw / 10) % 4 < 3,
            })
            .collect();
        let settings = DescentSettings {
            epochs: 30,
            batch: 200,
            rate: 0.05,
            penalty: 0.0,
            seed: 1,
        };
        let importance = vec![1.0; coins.len()];
        let mut regression = Regression::new(settings, 2, &coins, importance.clone());
        let losses: Vec<f64> = (0..30).map(|_| regression.pass()).collect();
        assert!(losses[29] < losses[0]);
        let weights = regression.weights();
        let odds = 3.0_f32.ln();
        assert!((weights[0] + odds).abs() < 0.05, "{weights:?}");
        assert!((weights[1] - odds).abs() < 0.05, "{weights:?}");
        assert!(weights[2].abs() < 0.05, "{weights:?}");
        assert!(loss(weights, &coins, &importance) < 0.57);
    }
}
