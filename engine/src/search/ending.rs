//! What the rules say of a node: repetitions and declarations.

use super::{
    Search,
    value::{DRAW, Value},
};
use crate::eval::Evaluator;

/// Value of a win by the opponent's perpetual check: below every mate, above every evaluation.
const PERPETUAL_CHECK: Value = 31_000;

impl<E: Evaluator + Clone> Search<'_, E> {
    /// Whether the side to move may end the game by declaration.
    #[inline]
    pub(super) fn can_declare(&self, in_check: bool) -> bool {
        let us = self.position.side_to_move();
        !in_check
            && self
                .position
                .king(us)
                .is_some_and(|king| king.relative_rank(us) < 3)
            && self.position.can_declare_win()
    }

    /// The value of a node whose position has occurred before: the first repetition already
    /// counts, since what was worth repeating once is worth repeating again.
    pub(super) fn repetition(&self, ply: usize) -> Option<Value> {
        /// How many plies back a cycle may begin.
        const HORIZON: usize = 32;
        let (current, earlier) = self.visits.split_last()?;
        let oldest = earlier.len().saturating_sub(HORIZON);
        let mut index = earlier.len().checked_sub(4)?;
        while index >= oldest {
            if earlier[index].key == current.key {
                return Some(self.repeated(index, ply));
            }
            index = index.checked_sub(2)?;
        }
        None
    }

    /// The value of a cycle that began at `first`.
    fn repeated(&self, first: usize, ply: usize) -> Value {
        let cycle = &self.visits[first + 1..];
        let us = self.position.side_to_move();
        let checked = |side| {
            cycle
                .iter()
                .filter(|visit| visit.side == side)
                .all(|visit| visit.in_check)
        };
        if checked(us) {
            PERPETUAL_CHECK - ply as Value
        } else if checked(!us) {
            ply as Value - PERPETUAL_CHECK
        } else {
            DRAW
        }
    }
}
