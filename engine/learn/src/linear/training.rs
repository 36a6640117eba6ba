//! Settings and steps of the training of the linear evaluator.

use monju_gradient::linear::Objective;

/// Settings of the training of the linear evaluator.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTraining {
    /// Seed of the order of positions: every epoch has all of them in another order.
    pub seed: u64,
    /// Number of games whose positions are learned from together, before those of the next games; 0 for all
    /// games at once. Shimoyama (section 3) takes 12,000 of some 40,000.
    pub window: usize,
    /// Number of steps; the learning rate falls linearly to 0.
    pub steps: u64,
    /// Positions in a minibatch.
    pub batch: usize,
    /// Depth in plies of the training search before its quiescence search. Shimoyama has 4 or 5, the
    /// first Bonanza had 1.
    pub depth: u32,
    /// Initial learning rate: change of a value in one step, in centipawns.
    pub rate: f32,
    /// Width of T(x) in centipawns: T(x) = log(1 + exp(-(x + 256 × progress) / width)), where x is the
    /// lead of the recorded move. Shimoyama has no width, which is 1.
    pub width: f32,
    /// Tolerance of T(x) at the end of a game, in centipawns; Shimoyama has 256.
    pub tolerance: f32,
    /// Strength w of the penalty w·M₂ on the size of the values (Shimoyama, section 5.1): by twice this part of
    /// the rate, each value in centipawns falls in one step.
    pub penalty: f32,
    /// Number of threads, which changes the last digits of sums.
    pub threads: usize,
}

impl Default for LinearTraining {
    fn default() -> Self {
        Self {
            seed: 1,
            window: 0,
            steps: 1500,
            batch: 512,
            depth: 1,
            rate: 0.5,
            width: 60.0,
            tolerance: 256.0,
            penalty: 0.0,
            threads: 2,
        }
    }
}

impl LinearTraining {
    /// Returns the loss function.
    pub(super) fn objective(&self) -> Objective {
        Objective {
            depth: self.depth,
            width: self.width,
            tolerance: self.tolerance,
        }
    }
}

/// Outcome of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingStep {
    /// Number of the step, counted from 1.
    pub number: u64,
    /// Loss per position.
    pub loss: f32,
    /// Share of positions in which no other move has a better value than the recorded one.
    pub agreement: f32,
}
