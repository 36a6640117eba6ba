use crate::rules::{Move, Position};

/// A static evaluation that follows a search move by move.
///
/// ```
/// use monju_engine::{Game, Model, eval::Evaluator};
/// let game = Game::startpos();
/// let mut position = game.position().clone();
/// let mut evaluator = Model::material().evaluator();
/// evaluator.reset(&position);
/// let before = evaluator.evaluate(&position);
/// let mv = game.parse_move("7g7f")?;
/// evaluator.push(&position, mv);
/// let undo = position.make(mv);
/// let _after = evaluator.evaluate(&position);
/// position.unmake(mv, undo);
/// evaluator.pop();
/// assert_eq!(evaluator.evaluate(&position), before);
/// # Ok::<(), monju_engine::MoveError>(())
/// ```
pub trait Evaluator: Send {
    /// Starts at the root of a search.
    fn reset(&mut self, position: &Position);

    /// Follows a move that is about to be made in `position`.
    fn push(&mut self, position: &Position, mv: Move);

    /// Takes the last move back.
    fn pop(&mut self);

    /// Returns the value in centipawns from the side to move. `position` is the position that the
    /// calls have led to.
    fn evaluate(&mut self, position: &Position) -> i32;
}
