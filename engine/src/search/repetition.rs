//! Repetition and declaration at a node.

use super::{
    search_value::SearchValue,
    searcher::Searcher,
    value::{DRAW, Value},
};
use crate::{eval::Evaluator, rules::KeyHistoryEntry};
use std::collections::HashMap;

/// Value of a win by the opponent's perpetual check: below every mate, above every evaluation.
const PERPETUAL_CHECK: Value = 31_000;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
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
    /// as they did, and need not do so again: there it takes two. What the fourth occurrence is worth, all that
    /// came after the first decides; before, what came after the last.
    pub(super) fn repetition(&self, ply: usize) -> Option<Value> {
        let root = self.root_length.saturating_sub(1);
        let last =
            cycle(&self.key_history, root.max(self.after_null_move)).or_else(|| self.again())?;
        let first = first_of_four(&self.key_history[self.after_null_move..]);
        let first = first.map_or(last, |first| first + self.after_null_move);
        Some(self.repeated(first, ply))
    }

    /// Where the position was last before the root, if it was there twice and no pass has been made since.
    #[inline(always)]
    fn again(&self) -> Option<usize> {
        if self.recurring.is_empty() || self.after_null_move > 0 {
            return None;
        }
        let key = self.key_history.last()?.key;
        let same = self.recurring.iter().find(|(other, _)| *other == key);
        same.map(|&(_, last)| last)
    }

    /// The value of a cycle that began at `first`.
    fn repeated(&self, first: usize, ply: usize) -> Value {
        let cycle = &self.key_history[first + 1..];
        let us = self.position.side_to_move();
        let checked = |side| {
            cycle
                .iter()
                .filter(|entry| entry.side == side)
                .all(|entry| entry.in_check)
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

/// The keys of these positions that occur twice or more, and where they do so last.
pub(super) fn recurring(key_history: &[KeyHistoryEntry]) -> Vec<(u64, usize)> {
    let mut last = HashMap::new();
    let mut found = HashMap::new();
    for (index, entry) in key_history.iter().enumerate() {
        if last.insert(entry.key, index).is_some() {
            found.insert(entry.key, index);
        }
    }
    found.into_iter().collect()
}

/// Where the last of these positions was before, from `oldest` on.
#[inline(always)]
fn cycle(key_history: &[KeyHistoryEntry], oldest: usize) -> Option<usize> {
    /// How many plies back a cycle may begin.
    const HORIZON: usize = 32;
    let (current, earlier) = key_history.split_last()?;
    let oldest = oldest.max(earlier.len().saturating_sub(HORIZON));
    let mut index = earlier.len().checked_sub(4)?;
    while index >= oldest {
        if earlier[index].key == current.key {
            return Some(index);
        }
        index = index.checked_sub(2)?;
    }
    None
}

/// Where the position that these end with stood first of the last four times.
#[cold]
fn first_of_four(key_history: &[KeyHistoryEntry]) -> Option<usize> {
    let (current, earlier) = key_history.split_last()?;
    let same = |index: &usize| earlier[*index].key == current.key;
    (0..earlier.len()).rev().filter(same).nth(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Color;

    fn key_history(keys: &[u64]) -> Vec<KeyHistoryEntry> {
        let visit = |(index, &key): (usize, &u64)| KeyHistoryEntry {
            key,
            side: Color::ALL[index % 2],
            in_check: false,
        };
        keys.iter().enumerate().map(visit).collect()
    }

    #[test]
    fn a_cycle_begins_where_its_position_was_last() {
        let cycle = |keys: &[u64], oldest| cycle(&key_history(keys), oldest);
        assert_eq!(cycle(&[7, 1, 2, 3, 4], 0), None);
        assert_eq!(cycle(&[7, 1, 2, 3, 7], 0), Some(0));
        assert_eq!(cycle(&[7, 1, 7, 3, 4, 5, 7], 0), Some(2));
        // It is the other side's turn.
        assert_eq!(cycle(&[7, 1, 2, 3, 4, 7], 0), None);
        // Before the root, or before a pass.
        assert_eq!(cycle(&[7, 1, 2, 3, 7], 1), None);
        let mut long = vec![7];
        long.extend(1..32);
        long.push(7);
        assert_eq!(cycle(&long, 0), Some(0));
        long.insert(1, 40);
        long.insert(1, 41);
        assert_eq!(cycle(&long, 0), None);
    }

    #[test]
    fn positions_recur_however_long_ago_they_were() {
        assert_eq!(recurring(&key_history(&[1, 2, 3, 4])), []);
        let mut long = vec![7, 1, 2, 3, 7];
        long.extend(20..80);
        assert_eq!(recurring(&key_history(&long)), [(7, 4)]);
        long.push(7);
        assert_eq!(recurring(&key_history(&long)), [(7, 65)]);
    }

    #[test]
    fn the_fourth_occurrence_looks_back_to_the_first() {
        let first = |keys: &[u64]| first_of_four(&key_history(keys));
        assert_eq!(first(&[7, 1, 7, 1, 7]), None);
        assert_eq!(first(&[7, 1, 7, 1, 7, 1, 7]), Some(0));
        assert_eq!(first(&[7, 1, 7, 1, 7, 1, 7, 1, 7]), Some(2));
    }
}
