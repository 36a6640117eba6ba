//! Reasons for which games are rejected.

use crate::{kif::KifError, record::GameRecordError};
use monju_engine::{GameError, rules::PieceKind};
use rsshogi::records::formats::{csa::CsaError, jkf::JkfError, kif};
use std::error::Error;

/// Reason for which a game is rejected; the source has the details.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// The text is not in the expected format.
    #[error("unreadable text")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
    /// The library knows a move as illegal.
    #[error("illegal move")]
    IllegalMove(#[source] MoveNumber),
    /// The file names another piece than the one that moves.
    #[error("another piece named than the one that moves")]
    OtherPiece(#[source] OtherPiece),
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

/// Number of a move and its line, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number}{}", line.map_or_else(String::new, |line| format!(", line {line}")))]
pub struct MoveNumber {
    number: usize,
    /// `None` where the format has no lines.
    line: Option<usize>,
}

/// A move whose text names another piece than the one that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {} is named, and {} moves", named.japanese(), moved.japanese())]
pub struct OtherPiece {
    place: MoveNumber,
    named: PieceKind,
    moved: PieceKind,
}

impl MoveNumber {
    /// Returns the number of the move that the library calls illegal. It counts moves from 0, and those of JKF from 1.
    fn of_illegal(error: &(dyn Error + 'static)) -> Option<Self> {
        let number = if let Some(JkfError::IllegalMove { index }) = error.downcast_ref() {
            *index
        } else if let Some(kif::KifError::IllegalMove { index }) = error.downcast_ref() {
            index + 1
        } else if let Some(CsaError::IllegalMove { index }) = error.downcast_ref() {
            index + 1
        } else {
            return None;
        };
        Some(Self { number, line: None })
    }
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
    pub(crate) fn unreadable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        match MoveNumber::of_illegal(&*error) {
            Some(number) => Self::IllegalMove(number),
            None => Self::Unreadable(error),
        }
    }

    /// Rejects a move, by its number counted from 1, that names another piece than the one that moves.
    pub(crate) fn other_piece(number: usize, named: PieceKind, moved: PieceKind) -> Self {
        let place = MoveNumber { number, line: None };
        Self::OtherPiece(OtherPiece {
            place,
            named,
            moved,
        })
    }

    /// Returns the line of a wrong move, where it is known.
    pub(crate) fn line(&self) -> Option<usize> {
        match self {
            Self::IllegalMove(place) | Self::OtherPiece(OtherPiece { place, .. }) => place.line,
            _ => None,
        }
    }

    /// Adds the line of a wrong move, which `line_of` finds by its number.
    pub(crate) fn with_line(mut self, line_of: impl FnOnce(usize) -> Option<usize>) -> Self {
        if let Self::IllegalMove(place) | Self::OtherPiece(OtherPiece { place, .. }) = &mut self {
            place.line = line_of(place.number);
        }
        self
    }
}
