//! Steps down the gradient.
//!
//! Bonanza and paper 003 (section 5.1) move every value by a fixed amount against the sign of its
//! slope over all games. Here the slopes are those of a small part of the games, so their signs are
//! averaged over steps, by Adam.

use super::parameters::Groups;
use monju_engine::eval::linear::UNIT;

const MOMENTUM: f32 = 0.9;
const MEMORY: f32 = 0.999;

/// Slopes per position far below this move a value less than the others: what is rarely seen is
/// known badly.
const FLOOR: f32 = 1e-6;

/// The sum of all pieces may leave that of the material evaluator by this share.
const SLACK: f32 = 0.05;
/// What all values are multiplied by when pieces have become worth too much, and too little
/// (paper 003, section 3).
const SHRINK: f32 = 0.92;
const GROW: f32 = 1.1;

/// The parameters and what earlier steps say about their slopes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Optimizer {
    /// In 1/[`UNIT`] centipawn.
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

    /// Moves every parameter by about `rate` centipawns. The slopes are sums over so many
    /// positions.
    pub fn step(&mut self, slopes: &[f32], positions: usize, rate: f32) {
        self.steps += 1;
        let mean_share = 1.0 - libm::powf(MOMENTUM, self.steps as f32);
        let square_share = 1.0 - libm::powf(MEMORY, self.steps as f32);
        let rate = rate * UNIT as f32;
        let scale = 1.0 / positions.max(1) as f32;
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, (mean, square)), slope) in
            self.parameters.iter_mut().zip(moments).zip(slopes)
        {
            let slope = slope * scale;
            *mean += (1.0 - MOMENTUM) * (slope - *mean);
            *square += (1.0 - MEMORY) * (slope * slope - *square);
            let typical = (*square / square_share).sqrt() + FLOOR;
            *parameter -= rate * (*mean / mean_share) / typical;
        }
    }

    /// Multiplies all values when the pieces have become worth too much or too little (paper 003,
    /// section 3). Neither pawns nor exchanges are held at a fixed value.
    pub fn rescale(&mut self, groups: &Groups) {
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
    fn a_first_step_goes_against_every_slope_by_the_rate() {
        let mut optimizer = Optimizer::new(vec![5.0; 3]);
        optimizer.step(&[30.0, -0.5, 0.0], 10, 0.25);
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
    fn all_values_shrink_or_grow_when_pieces_leave_their_worth() {
        let groups = Groups::get();
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
