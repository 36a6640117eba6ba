//! Settings of the training of a judge of moves.

use crate::{
    descent::DescentSettings,
    setting::{SettingError, check, check_share},
};

/// Settings of the training of a judge of moves.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveJudgeTraining {
    /// Settings of the regression, whose examples are the samples.
    pub regression: DescentSettings,
    /// Weight of a move whose reduced search is repeated, against one that a reduction hides.
    pub waste: f64,
    /// Additional weight of a hidden move at the end of a game.
    pub late: f64,
}

impl Default for MoveJudgeTraining {
    fn default() -> Self {
        Self {
            regression: DescentSettings::default(),
            waste: 0.2,
            late: 0.0,
        }
    }
}

impl MoveJudgeTraining {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        self.regression.check()?;
        let is_late = (0.0..=100.0).contains(&self.late);
        check("late", self.late, is_late, "between 0 and 100")?;
        check_share("waste", self.waste)
    }
}
