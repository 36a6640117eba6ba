//! Settings of the training of a judge of moves.

use crate::{
    logistic::RegressionSettings,
    setting::{SettingError, check, check_share},
};

/// Settings of the training of a judge of moves.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgeTraining {
    /// Passes over the samples.
    pub epochs: u64,
    /// Samples of a step.
    pub batch: usize,
    /// First length of a step; it falls to 0.
    pub rate: f64,
    /// Weight of a move whose reduced search is repeated, against one that a reduction hides.
    pub waste: f64,
    /// Additional weight of a hidden move at the end of a game.
    pub late: f64,
    /// Weight of the squares of all weights.
    pub penalty: f64,
    /// Seed of the order of the samples.
    pub seed: u64,
}

impl Default for MoveJudgeTraining {
    fn default() -> Self {
        Self {
            epochs: 8,
            batch: 4_096,
            rate: 0.02,
            waste: 0.2,
            late: 0.0,
            penalty: 3e-5,
            seed: 1,
        }
    }
}

impl MoveJudgeTraining {
    pub(super) fn regression(&self) -> RegressionSettings {
        RegressionSettings {
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            penalty: self.penalty,
            seed: self.seed,
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingError> {
        self.regression().check()?;
        let is_late = (0.0..=100.0).contains(&self.late);
        check("late", self.late, is_late, "between 0 and 100")?;
        check_share("waste", self.waste)
    }
}
