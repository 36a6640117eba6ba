//! Logistic regression on sparse features, of which judges are made.

use crate::{
    random::SplitMix64,
    setting::{SettingError, check},
};

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

/// Settings of a regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegressionSettings {
    /// Passes over the examples.
    pub epochs: u64,
    /// Examples of a step.
    pub batch: usize,
    /// First length of a step; it falls to 0.
    pub rate: f64,
    /// Weight of the squares of all weights.
    pub penalty: f64,
    /// Seed of the order of the examples.
    pub seed: u64,
}

impl Default for RegressionSettings {
    fn default() -> Self {
        Self {
            epochs: 8,
            batch: 4_096,
            rate: 0.02,
            penalty: 3e-5,
            seed: 1,
        }
    }
}

impl RegressionSettings {
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        let is_rate = self.rate > 0.0 && self.rate < 1.0;
        check("rate", self.rate, is_rate, "between 0 and 1")?;
        check("batch", self.batch as f64, self.batch > 0, "positive")?;
        check("penalty", self.penalty, self.penalty >= 0.0, "0 or more")
    }
}

/// A regression under way. The steps are those of Adam.
pub(crate) struct Regression<'a, T> {
    settings: RegressionSettings,
    examples: &'a [T],
    /// Weight of each example in the loss, 1 on average.
    importance: Vec<f32>,
    order: Vec<usize>,
    random: SplitMix64,
    /// One weight for each feature, and that of the number.
    pub weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
    epoch: u64,
}

/// Decay of the mean gradient and of its square (Adam).
const DECAYS: (f32, f32) = (0.9, 0.99);

impl<'a, T: Example> Regression<'a, T> {
    /// Begins a regression with `count` features.
    pub fn new(
        settings: RegressionSettings,
        count: usize,
        examples: &'a [T],
        importance: Vec<f32>,
    ) -> Self {
        Self {
            settings,
            examples,
            importance,
            order: (0..examples.len()).collect(),
            random: SplitMix64::new(settings.seed, 0),
            weights: vec![0.0; count + 1],
            mean: vec![0.0; count + 1],
            square: vec![0.0; count + 1],
            steps: 0,
            epoch: 0,
        }
    }

    /// Passes over all examples once; returns the mean loss.
    pub fn pass(&mut self) -> f64 {
        let left = 1.0 - self.epoch as f64 / self.settings.epochs as f64;
        self.epoch += 1;
        self.random.shuffle(&mut self.order);
        let order = std::mem::take(&mut self.order);
        let mut loss = 0.0;
        for batch in order.chunks(self.settings.batch) {
            loss += self.step(batch, (self.settings.rate * left) as f32);
        }
        let passed = order.len().max(1) as f64;
        self.order = order;
        loss / passed
    }

    fn step(&mut self, batch: &[usize], rate: f32) -> f64 {
        let mut gradient = vec![0.0_f32; self.weights.len()];
        let of_number = gradient.len() - 1;
        let mut loss = 0.0;
        for &index in batch {
            let example = &self.examples[index];
            let towards = if example.is_positive() { 1.0 } else { -1.0 };
            let margin = towards * value(&self.weights, example);
            let importance = self.importance[index];
            loss += f64::from(importance * cross_entropy(margin));
            let slope = importance * towards / (1.0 + margin.exp()) / batch.len() as f32;
            for &feature in example.features() {
                gradient[usize::from(feature)] -= slope;
            }
            gradient[of_number] -= slope * example.number();
        }
        self.steps += 1;
        let (first, second) = DECAYS;
        let (of_mean, of_square) = (1.0 - first.powi(self.steps), 1.0 - second.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in self.weights.iter_mut().zip(gradient).zip(moments)
        {
            let slope = slope + self.settings.penalty as f32 * *weight;
            *mean = first * *mean + (1.0 - first) * slope;
            *square = second * *square + (1.0 - second) * slope * slope;
            *weight -= rate * (*mean / of_mean) / ((*square / of_square).sqrt() + 1e-8);
        }
        loss
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
    (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
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
        let settings = RegressionSettings {
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
        let weights = &regression.weights;
        let odds = 3.0_f32.ln();
        assert!((weights[0] + odds).abs() < 0.05, "{weights:?}");
        assert!((weights[1] - odds).abs() < 0.05, "{weights:?}");
        assert!(weights[2].abs() < 0.05, "{weights:?}");
        assert!(loss(weights, &coins, &importance) < 0.57);
    }
}
