//! The reasons for not starting at all.

use super::engine::EngineError;
use std::io;

/// The reason why a USI engine cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum FrontEndError {
    /// The single player cannot be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system refuses a thread.
    #[error("cannot start the thread of the {name}: {source}")]
    Thread {
        /// The thread's purpose.
        name: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}
