//! What the rules say of a node: repetitions and declarations.

use super::{
    Search,
    value::{DRAW, Value},
    values::Values,
};
use crate::{eval::Evaluator, rules::Visit};

/// Value of a win by the opponent's perpetual check: below every mate, above every evaluation.
const PERPETUAL_CHECK: Value = 31_000;

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
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

    /// The value of a node whose position has occurred before. From the root on the first repetition already
    /// counts, since what was worth repeating once is worth repeating again. Before the root both sides have moved
    /// as they did, and need not do so again: there it takes two.
    pub(super) fn repetition(&self, ply: usize) -> Option<Value> {
        let root = self.root_visits.saturating_sub(1);
        cycle(&self.visits, root, self.after_pass).map(|first| self.repeated(first, ply))
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

/// Where the last of these positions was before, if no pass came after it: it stands at `after_pass`. Before the
/// `root` it must have been there twice.
#[inline(always)]
fn cycle(visits: &[Visit], root: usize, after_pass: usize) -> Option<usize> {
    /// How many plies back a cycle may begin.
    const HORIZON: usize = 32;
    let (current, earlier) = visits.split_last()?;
    let oldest = earlier.len().saturating_sub(HORIZON).max(after_pass);
    let mut before_root = None;
    let mut index = earlier.len().checked_sub(4)?;
    while index >= oldest {
        if earlier[index].key == current.key {
            if index >= root || before_root.is_some() {
                return before_root.or(Some(index));
            }
            before_root = Some(index);
        }
        index = index.checked_sub(2)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;

    fn visits(keys: &[u64]) -> Vec<Visit> {
        let visit = |(index, &key): (usize, &u64)| Visit {
            key,
            side: Color::ALL[index % 2],
            in_check: false,
        };
        keys.iter().enumerate().map(visit).collect()
    }

    #[test]
    fn a_cycle_begins_where_its_position_was_last() {
        let cycle = |keys: &[u64], root| cycle(&visits(keys), root, 0);
        assert_eq!(cycle(&[7, 1, 2, 3, 4], 0), None);
        assert_eq!(cycle(&[7, 1, 2, 3, 7], 0), Some(0));
        assert_eq!(cycle(&[7, 1, 7, 3, 4, 5, 7], 0), Some(2));
        // It is the other side's turn.
        assert_eq!(cycle(&[7, 1, 2, 3, 4, 7], 0), None);
        // Before the root once is not enough.
        assert_eq!(cycle(&[7, 1, 2, 3, 7], 1), None);
        let thrice = [7, 1, 2, 3, 7, 4, 5, 6, 7];
        assert_eq!(cycle(&thrice, 4), Some(4));
        assert_eq!(cycle(&thrice, 5), Some(4));
        assert_eq!(cycle(&thrice[2..], 3), None);
        let mut long = vec![7];
        long.extend(1..32);
        long.push(7);
        assert_eq!(cycle(&long, 0), Some(0));
        long.insert(1, 40);
        long.insert(1, 41);
        assert_eq!(cycle(&long, 0), None);
    }

    #[test]
    fn no_cycle_goes_through_a_pass() {
        let visits = visits(&[7, 1, 2, 3, 7]);
        assert_eq!(cycle(&visits, 0, 0), Some(0));
        for after_pass in 1..5 {
            assert_eq!(cycle(&visits, 0, after_pass), None, "{after_pass}");
        }
    }
}
