//! Adam (Kingma and Ba, 2015). Rows of the first layer that a batch does not touch stay as they
//! are, and so do their moments.

use super::{gradient::Gradient, quantise::Limits, weights::Weights};
use monju_engine::eval::nnue::{Architecture, Vectorised};

const FIRST_DECAY: f32 = 0.9;
const SECOND_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Moments of the gradients seen so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adam {
    pub first: Weights,
    pub second: Weights,
    /// Batches seen.
    pub steps: u64,
}

/// What one step has in common for all weights.
#[derive(Clone, Copy)]
struct Step {
    rate: f32,
    second_correction: f32,
    gradient_scale: f32,
}

impl Adam {
    pub fn new(architecture: Architecture) -> Self {
        Self {
            first: Weights::zero(architecture),
            second: Weights::zero(architecture),
            steps: 0,
        }
    }
}

/// Moves the weights against the mean gradient of `count` positions, and keeps them in `limits`.
pub(super) struct Descent<'a> {
    pub adam: &'a mut Adam,
    pub weights: &'a mut Weights,
    pub gradient: &'a Gradient,
    pub count: usize,
    pub rate: f32,
    pub limits: Limits,
}

impl Vectorised for Descent<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.adam.steps += 1;
        let steps = self.adam.steps as f64;
        let correction = |decay: f32| 1.0 - libm::pow(f64::from(decay), steps) as f32;
        let step = Step {
            rate: self.rate / correction(FIRST_DECAY),
            second_correction: 1.0 / correction(SECOND_DECAY),
            gradient_scale: 1.0 / self.count as f32,
        };
        let gradient = &self.gradient.weights;
        let moments = self
            .adam
            .first
            .rows
            .iter_mut()
            .zip(&mut self.adam.second.rows);
        let rows = self
            .weights
            .rows
            .iter_mut()
            .zip(&gradient.rows)
            .zip(moments);
        let touched = rows
            .zip(&self.gradient.touched)
            .filter(|(_, touched)| **touched);
        for (((weights, gradient), (first, second)), _) in touched {
            step.apply(weights, gradient, first, second);
            cut(weights, self.limits.first);
        }
        let first = self.adam.first.dense_mut().into_iter();
        let moments = first.zip(self.adam.second.dense_mut());
        let parts = self
            .weights
            .dense_mut()
            .into_iter()
            .zip(gradient.dense())
            .zip(moments);
        for ((weights, gradient), (first, second)) in parts {
            step.apply(weights, gradient, first, second);
        }
        cut(&mut self.weights.biases, self.limits.first);
        let dense = self.weights.dense_mut();
        for (part, limit) in Weights::CLIPPED.into_iter().zip(self.limits.others) {
            cut(dense[part], limit);
        }
    }
}

#[inline(always)]
fn cut(weights: &mut [f32], limit: f32) {
    for weight in weights {
        *weight = weight.clamp(-limit, limit);
    }
}

impl Step {
    #[inline(always)]
    fn apply(self, weights: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]) {
        let moments = first.iter_mut().zip(second);
        for ((weight, &slope), (first, second)) in weights.iter_mut().zip(gradient).zip(moments) {
            let slope = slope * self.gradient_scale;
            *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * slope;
            *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * slope * slope;
            *weight -= self.rate * *first / ((*second * self.second_correction).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use monju_engine::eval::nnue::WIDTH;

    #[test]
    fn rows_that_a_batch_does_not_touch_stay_as_they_are() {
        let architecture = Architecture::KP;
        let mut weights = Weights::random(architecture, &mut Random::new(1, 0));
        let mut adam = Adam::new(architecture);
        let mut descend = |row: usize| {
            let mut gradient = Gradient::zero(architecture);
            gradient.weights.rows[row] = [1.0; WIDTH];
            gradient.touched[row] = true;
            Descent {
                adam: &mut adam,
                weights: &mut weights,
                gradient: &gradient,
                count: 1,
                rate: 0.001,
                limits: Limits::new(architecture, 600.0),
            }
            .run();
            let of = |weights: &Weights| [7, 9].map(|row| weights.rows[row]);
            [of(&weights), of(&adam.first), of(&adam.second)]
        };
        let once = descend(7);
        let twice = descend(9);
        for ([seven, nine], [still, moved]) in once.into_iter().zip(twice) {
            assert!(
                seven == still,
                "the row of the first batch has momentum, and stays"
            );
            assert!(nine != moved, "the row of the second batch moves");
        }
    }
}
