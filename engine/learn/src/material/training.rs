//! Settings of the training of piece-square values.

use crate::setting::{SettingError, check, check_common};

/// Settings of the training of piece-square values.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTraining {
    /// Seed of the order of the positions.
    pub seed: u64,
    /// Number of epochs.
    pub epochs: u64,
    /// Positions in a minibatch.
    pub batch: usize,
    /// Initial learning rate in logits; it falls to 0.
    pub rate: f64,
    /// Share of the score in the target; the rest is the game result.
    pub lambda: f64,
    /// Centipawns in one unit of the logit: a score of as many wins 73 % of the games.
    pub scale: f64,
    /// Standard deviation of the prior of the squares' values, in centipawns of the scores.
    pub prior: f64,
}

impl Default for MaterialTraining {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 20,
            batch: 8192,
            rate: 0.01,
            lambda: 0.7,
            scale: 650.0,
            prior: 40.0,
        }
    }
}

impl MaterialTraining {
    /// Checks every setting.
    ///
    /// # Errors
    /// A setting is out of range.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        check_common(self.batch, self.rate, self.lambda, self.scale)?;
        let is_prior = (1.0..=1000.0).contains(&self.prior);
        check("prior", self.prior, is_prior, "between 1 and 1000")
    }
}
