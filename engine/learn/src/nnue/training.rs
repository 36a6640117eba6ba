//! Settings of a network's training.

use crate::setting::{SettingError, check, check_common, check_share};
use monju_engine::eval::Architecture;

/// Settings of a network's training.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkTraining {
    /// Architecture of the network; not HalfKP.
    pub architecture: Architecture,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// Number of epochs.
    pub epochs: u64,
    /// Positions in a minibatch.
    pub batch: usize,
    /// Initial learning rate; it falls to a hundredth along half a cosine.
    pub rate: f64,
    /// Share of the score in the target; the rest is the game result.
    pub lambda: f64,
    /// Decay of the λ-returns that replace the scores; 0 leaves the scores unchanged.
    pub trace_decay: f64,
    /// Share of the teachers in each score; see [`NetworkSet::distill`](super::NetworkSet::distill).
    pub teacher_share: f64,
    /// Centipawns in one unit of the logit: a score of as many wins 73 % of the games.
    pub scale: f64,
    /// Threads that share a minibatch; their number changes how sums are rounded.
    pub threads: usize,
}

/// Most threads: each has a gradient of its own.
const MOST_THREADS: usize = 256;
/// Most epochs.
const MOST_EPOCHS: u64 = 1_000_000;

impl Default for NetworkTraining {
    fn default() -> Self {
        Self {
            architecture: Architecture::KP,
            seed: 1,
            epochs: 12,
            batch: 8192,
            rate: 0.001,
            lambda: 0.7,
            trace_decay: 0.0,
            teacher_share: 0.5,
            scale: 650.0,
            threads: 2,
        }
    }
}

impl NetworkTraining {
    /// Checks every setting but the architecture.
    ///
    /// # Errors
    /// A setting is out of range.
    pub(super) fn check(&self) -> Result<(), SettingError> {
        check_common(self.batch, self.rate, self.lambda, self.scale)?;
        check_share("trace decay", self.trace_decay)?;
        check_share("teacher share", self.teacher_share)?;
        let threads = self.threads;
        let is_number = (1..=MOST_THREADS).contains(&threads);
        check("threads", threads as f64, is_number, "between 1 and 256")?;
        let is_number = (1..=MOST_EPOCHS).contains(&self.epochs);
        check(
            "epochs",
            self.epochs as f64,
            is_number,
            "between 1 and 1000000",
        )
    }
}
