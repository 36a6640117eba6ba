use crate::rules::{Move, Position};

/// A static evaluation that follows a search move by move.
pub trait Evaluator: Send {
    /// Starts afresh at the root of a search.
    fn reset(&mut self, position: &Position);

    /// Follows a move; `position` is the one before the move is made.
    fn push(&mut self, position: &Position, mv: Move);

    /// Takes the last move back.
    fn pop(&mut self);

    /// The value in centipawns from the side to move. `position` is the one that the calls above
    /// have led to.
    fn evaluate(&mut self, position: &Position) -> i32;
}
