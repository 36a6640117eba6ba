//! Descent by the steps of Adam, sparse in the feature transformer: rows that a minibatch does not touch keep their
//! values and their moments.

use super::{gradient::NetworkGradient, weights::FloatWeights};
use crate::adam::{AdamNumbers, AdamStep};
use monju_engine::eval::nnue::{Architecture, Vectorised, vectorised};

/// First and second moments of the gradients so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Means of the gradients.
    pub first: FloatWeights,
    /// Means of their squares.
    pub second: FloatWeights,
    /// Number of steps so far, for the bias correction.
    pub steps: u64,
}

impl Adam {
    /// Begins with moments of 0.
    pub fn new(architecture: Architecture) -> Self {
        Self {
            first: FloatWeights::zero(architecture),
            second: FloatWeights::zero(architecture),
            steps: 0,
        }
    }
}

/// Largest absolute values of weights that quantisation can represent.
#[derive(Clone, Copy, Debug)]
pub struct WeightLimits {
    /// Limit of the feature transformer and its biases: sums over all pieces stay within 16 bits.
    pub transformer: f32,
    /// Limits of the layers in [`FloatWeights::CLIPPED`].
    pub dense: [f32; 3],
}

/// One step against the mean gradient of `count` positions, which keeps the weights within `limits`.
pub struct Descent<'a> {
    /// Moments, which the step updates.
    pub adam: &'a mut Adam,
    /// Weights to change.
    pub weights: &'a mut FloatWeights,
    /// Sum of the gradients of `count` positions.
    pub gradient: &'a NetworkGradient,
    /// Number of positions.
    pub count: usize,
    /// Learning rate.
    pub rate: f32,
    /// Limits of the weights.
    pub limits: WeightLimits,
}

impl Descent<'_> {
    /// Makes the step.
    pub fn step(self) {
        vectorised(self);
    }
}

impl Vectorised for Descent<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.adam.steps += 1;
        let step = AdamNumbers::USUAL.step(self.adam.steps, self.rate);
        let scale = 1.0 / self.count as f32;
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
            apply(step, weights, (gradient, scale), (first, second));
            clip(weights, self.limits.transformer);
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
            apply(step, weights, (gradient, scale), (first, second));
        }
        clip(&mut self.weights.biases, self.limits.transformer);
        let dense = self.weights.dense_mut();
        for (part, limit) in FloatWeights::CLIPPED.into_iter().zip(self.limits.dense) {
            clip(dense[part], limit);
        }
    }
}

#[inline(always)]
fn clip(weights: &mut [f32], limit: f32) {
    for weight in weights {
        *weight = weight.clamp(-limit, limit);
    }
}

#[inline(always)]
fn apply(
    step: AdamStep,
    weights: &mut [f32],
    (gradient, scale): (&[f32], f32),
    (first, second): (&mut [f32], &mut [f32]),
) {
    let moments = first.iter_mut().zip(second);
    for ((weight, &slope), (first, second)) in weights.iter_mut().zip(gradient).zip(moments) {
        *weight -= step.change(slope * scale, first, second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::gradient::tests::{limits, random_weights};
    use monju_engine::eval::nnue::WIDTH;

    #[test]
    fn rows_that_a_minibatch_does_not_touch_stay() {
        let architecture = Architecture::KP;
        let mut weights = random_weights(architecture);
        let mut adam = Adam::new(architecture);
        let mut descend = |row: usize| {
            let mut gradient = NetworkGradient::zero(architecture);
            gradient.weights.rows[row] = [1.0; WIDTH];
            gradient.touched[row] = true;
            Descent {
                adam: &mut adam,
                weights: &mut weights,
                gradient: &gradient,
                count: 1,
                rate: 0.001,
                limits: limits(architecture),
            }
            .run();
            let of = |weights: &FloatWeights| [7, 9].map(|row| weights.rows[row]);
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
