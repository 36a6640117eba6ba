//! Errors of a contestant.

use crate::record::Cause;
use monju_host::usi_child::ChildError;
use monju_proto::client::{ConsultationError, reason};
use monju_team::team::AssembleError;
use std::time::Duration;

/// Error of a contestant, which leaves the game without a result.
#[derive(Debug, thiserror::Error)]
pub enum ContestantError {
    /// The players cannot be started, or the coordinator cannot be reached.
    #[error("{0}")]
    Start(#[source] AssembleError),
    /// The coordinator refuses, or is gone.
    #[error("{}", reason(.0))]
    Coordinator(#[source] Box<tonic::Status>),
    /// The coordinator sends nothing.
    #[error("nothing was heard of it for {} s", .0.as_secs())]
    Silent(Duration),
    /// The consultation ended without a decision.
    #[error(transparent)]
    Consultation(#[from] ConsultationError),
    /// The engine failed.
    #[error("{name}: {source}")]
    Engine {
        /// Name of the side.
        name: String,
        /// The error of its process.
        source: ChildError,
    },
    /// The engine does not move, and has no clock by which it could lose.
    #[error("{name}: no bestmove within {} s", .patience.as_secs())]
    NoMove {
        /// Name of the side.
        name: String,
        /// Time for which it was waited for.
        patience: Duration,
    },
}

impl ContestantError {
    /// Cause of the incident that the error makes.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Start(_) | Self::Engine { .. } | Self::NoMove { .. } => Cause::Crash,
            Self::Coordinator(_) | Self::Silent(_) | Self::Consultation(_) => Cause::Disconnect,
        }
    }
}
