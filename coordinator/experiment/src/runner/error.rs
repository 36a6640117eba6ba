//! Errors of a runner.

use crate::store::StoreError;
use tokio::task::JoinError;

/// Error of a runner.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The store refuses, or was away for too long.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Pair after pair has failed on a board, as on a machine that lacks an engine.
    #[error(
        "{failures} tries failed here in a row, the last by a {last}; mend this machine; the same command with \
         --retry-given-up then goes on"
    )]
    Failing {
        /// Number of the failures.
        failures: u32,
        /// The last failure in words, and its cell.
        last: String,
    },
    /// A game panicked.
    #[error("a game ended the runner: {0}")]
    Panicked(#[source] JoinError),
}
