//! The optimizer.
//!
//! Bonanza and Shimoyama (section 5.1) change every value by a fixed amount against the sign of its slope
//! over all games. Here a step sees a small part of the games, so Adam averages the slopes over steps.
//!
//! The paper's penalty w·M₂ has M₂ = Σ Aᵢvᵢ², where Aᵢ is the sum of the absolute slopes of a value. Adam divides
//! each slope by its usual size, which takes the place of Aᵢ here: what is left of the penalty's slope is 2wvᵢ.

use super::parameters::ParameterGroups;
use monju_engine::eval::linear::UNIT;
use monju_gradient::adam::AdamNumbers;

/// Slopes are means of a position, so that the floor is higher than usual: a rare feature has an unreliable slope.
const NUMBERS: AdamNumbers = AdamNumbers {
    floor: 1e-6,
    ..AdamNumbers::USUAL
};

/// Share by which the sum of the pieces may differ from the material evaluator's.
const SLACK: f32 = 0.05;
/// Factor of all values when the sum of the pieces is too large (Shimoyama, section 3).
const SHRINK: f32 = 0.92;
/// Factor of all values when the sum of the pieces is too small (Shimoyama, section 3).
const GROW: f32 = 1.1;

/// The parameters, and the moments of their gradient.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Optimizer {
    /// Values in 1/[`UNIT`] centipawn.
    pub parameters: Vec<f32>,
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    pub steps: u32,
}

impl Optimizer {
    pub fn new(parameters: Vec<f32>) -> Self {
        Self {
            mean: vec![0.0; parameters.len()],
            square: vec![0.0; parameters.len()],
            steps: 0,
            parameters,
        }
    }

    /// Changes every parameter by about `rate` centipawns against its slope, a sum over `positions`, and by the
    /// slope of the penalty.
    pub fn step(&mut self, slopes: &[f32], positions: usize, rate: f32, penalty: f32) {
        self.steps += 1;
        let rate = rate * UNIT as f32;
        let step = NUMBERS.step(self.steps.into(), rate);
        let scale = 1.0 / positions.max(1) as f32;
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, (mean, square)), slope) in
            self.parameters.iter_mut().zip(moments).zip(slopes)
        {
            let shrinking = 2.0 * penalty * *parameter / UNIT as f32;
            *parameter -= step.change(slope * scale, mean, square) + rate * shrinking;
        }
    }

    /// Rescales all values when the sum of the pieces is too large or too small (Shimoyama, section 3).
    /// Neither pawns nor exchanges keep a fixed value.
    pub fn rescale(&mut self, groups: &ParameterGroups) {
        let wanted = groups.piece_sum(&groups.material());
        let sum = groups.piece_sum(&self.parameters);
        let factor = if sum > wanted * (1.0 + SLACK) {
            SHRINK
        } else if sum < wanted * (1.0 - SLACK) {
            GROW
        } else {
            return;
        };
        for parameter in &mut self.parameters {
            *parameter *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_step_changes_every_parameter_by_the_rate_against_its_slope() {
        let mut optimizer = Optimizer::new(vec![5.0; 3]);
        optimizer.step(&[30.0, -0.5, 0.0], 10, 0.25, 0.0);
        let step = 0.25 * UNIT as f32;
        for (parameter, expected) in optimizer
            .parameters
            .iter()
            .zip([5.0 - step, 5.0 + step, 5.0])
        {
            assert!(
                (parameter - expected).abs() < 1e-3,
                "{parameter}, not {expected}"
            );
        }
    }

    #[test]
    fn a_penalty_shrinks_values_in_proportion() {
        let values = [4_000.0, -200.0, 0.0];
        let mut optimizer = Optimizer::new(values.to_vec());
        optimizer.step(&[0.0; 3], 10, 0.5, 0.01);
        for (parameter, value) in optimizer.parameters.iter().zip(values) {
            assert!(
                (parameter - 0.99 * value).abs() < 1e-3,
                "{value}: {parameter}"
            );
        }
    }

    #[test]
    fn all_values_are_rescaled_when_the_sum_of_the_pieces_drifts() {
        let groups = ParameterGroups::get();
        for (share, factor) in [(1.2, SHRINK), (0.8, GROW), (1.03, 1.0), (0.97, 1.0)] {
            let before: Vec<f32> = groups
                .material()
                .iter()
                .map(|value| share * value)
                .collect();
            let mut optimizer = Optimizer::new(before.clone());
            optimizer.rescale(groups);
            let expected: Vec<f32> = before.iter().map(|value| value * factor).collect();
            assert!(optimizer.parameters == expected, "from {share} by {factor}");
        }
    }
}
