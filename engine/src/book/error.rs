//! Errors of books.

use crate::rules::{Move, MoveError, SfenError};

/// Error of a text that is not a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// The first line names no known format.
    #[error(
        "the first line is neither 'monju book 1' nor '#YANEURAOU-DB2016 1.00', so this is no book; \
         make one by 'monju book build'"
    )]
    Header,
    /// A line is wrong.
    #[error("line {line}: {source}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// Reason.
        source: BookLineError,
    },
    /// There is no position.
    #[error("the book has no positions")]
    Empty,
}

/// Error of one line of a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookLineError {
    /// The position cannot exist.
    #[error(transparent)]
    Position(#[from] SfenError),
    /// The move cannot be read.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The entry contradicts the rules or the book.
    #[error(transparent)]
    Entry(#[from] BookEntryError),
    /// A move comes before the first position.
    #[error("a move comes before the first position; expected 'sfen …'")]
    NoPosition,
    /// A position has no moves.
    #[error("the position has no moves; remove it")]
    NoMoves,
    /// The weight is missing or no number.
    #[error("the weight is '{0}', expected a whole number up to 4294967295")]
    Weight(String),
    /// A number cannot be read.
    #[error("{key} is '{value}', expected a whole number")]
    Number {
        /// Name of the number.
        key: &'static str,
        /// The text found.
        value: String,
    },
    /// A word is unknown.
    #[error("unknown word '{0}'; expected games, wins, value, depth or reply")]
    Word(String),
}

/// Reason for which an entry does not fit into a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookEntryError {
    /// The move is illegal in the position.
    #[error("{0} is not legal in this position")]
    Illegal(Move),
    /// The move comes twice.
    #[error("{0} comes twice in this position")]
    Twice(Move),
    /// The position comes twice.
    #[error("this position comes twice in the book")]
    Known,
}
