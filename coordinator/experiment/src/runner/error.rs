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
        "{failures} attempts in a row failed here, the last by a {last}; correct what fails on this machine, then run \
         the same command with --retry-given-up"
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
