//! The error of reading a value from the text by which a store keeps it.

/// A text that does not name the value it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredTextError {
    /// Not the result of a game.
    #[error("'{0}' is no result of a game")]
    Outcome(String),
    /// Not a number of positions by number of moves.
    #[error("'{0}' is no count of positions")]
    MoveVariety(String),
    /// Not the note of a move.
    #[error("'{0}' notes no move")]
    Note(String),
}
