//! Reasons for which games are rejected.

use super::{kif::KifError, record::GameRecordError};
use monju_engine::GameError;
use std::error::Error;

/// Reason for which a game is rejected; the source has the details.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// The text is not in the expected format.
    #[error("unreadable text")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
    /// Lines of a KIF or KI2 file were skipped by the parser.
    #[error("inconsistent lines")]
    Inconsistent(#[from] KifError),
    /// The game breaks the rules.
    #[error("{error}")]
    Record {
        /// The reason.
        error: GameRecordError,
        /// The move or position that breaks them, where it is known.
        #[source]
        source: Option<GameError>,
    },
}

impl From<GameRecordError> for Rejection {
    fn from(error: GameRecordError) -> Self {
        Self::Record {
            error,
            source: None,
        }
    }
}

impl Rejection {
    pub(super) fn unreadable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreadable(error.into())
    }
}
