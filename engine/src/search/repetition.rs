//! Repetition, the maximum of plies, and declaration at a node.

use super::{
    search_value::SearchValue,
    searcher::Searcher,
    value::{DRAW, MAX_PLY, Value, mate_in},
};
use crate::{eval::Evaluator, rules::KeyHistoryEntry};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Value of a win by the opponent's perpetual check: below every mate, above every evaluation.
const PERPETUAL_CHECK: Value = 31_000;

/// Value of a superior position, less its distance from the root: above nearly every evaluation, below a
/// decided game.
const SUPERIOR: Value = 20_000;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the value of a node that is not searched: its position is repeated, it is too far from the root, or
    /// the side to move may declare.
    #[inline(always)]
    pub(super) fn value_at_end(&mut self, in_check: bool, ply: usize) -> Option<V> {
        if let Some(value) = self.repetition(ply) {
            return Some(V::all(value));
        }
        if ply >= MAX_PLY {
            return Some(match in_check {
                true => V::all(DRAW),
                false => self.evaluate().0,
            });
        }
        self.can_declare().then(|| V::all(mate_in(ply + 1)))
    }

    /// Tells whether the side to move may win by its entering king. A try may also answer a check.
    #[inline]
    fn can_declare(&self) -> bool {
        let us = self.position.side_to_move();
        let king = self.position.king(us);
        king.is_some_and(|king| king.relative_rank(us) < 3)
            && (self.position.can_declare_win(self.entering_king)
                || self.position.winning_try(self.entering_king).is_some())
    }

    /// Returns the value of a node whose position has occurred before, or that ends the game by the maximum
    /// of plies.
    ///
    /// One earlier occurrence is enough from the root on, because a side that repeats once can repeat
    /// again. Two are needed before the root, where the moves need not be repeated. The fourth
    /// occurrence is judged by all positions since the first, an earlier one by those since the last.
    pub(super) fn repetition(&self, ply: usize) -> Option<Value> {
        if self.position.ply() > self.maximum_plies && !self.is_mated() {
            return Some(self.draw());
        }
        let root = self.root_length.saturating_sub(1);
        let oldest = root.max(self.after_null_move);
        let Some(last) = cycle(&self.key_history, oldest).or_else(|| self.repeated_before_root())
        else {
            return self.superiority(oldest, ply);
        };
        let first = first_of_four(&self.key_history[self.after_null_move..]);
        let first = first.map_or(last, |first| first + self.after_null_move);
        Some(self.repeated(first, ply))
    }

    /// Returns the value of a position that is superior or inferior to an earlier one, from index `oldest`
    /// on.
    #[inline(always)]
    fn superiority(&self, oldest: usize, ply: usize) -> Option<Value> {
        if self.options.superior_positions == 0 {
            return None;
        }
        let value = SUPERIOR - ply as Value;
        match hands_compared(&self.key_history, oldest)? {
            Ordering::Greater => Some(value),
            Ordering::Less => Some(-value),
            Ordering::Equal => None,
        }
    }

    /// Returns the value of a draw to the side to move.
    fn draw(&self) -> Value {
        self.draw_values[self.position.side_to_move().index()]
    }

    #[cold]
    fn is_mated(&self) -> bool {
        self.position.in_check() && !self.position.has_legal_move()
    }

    /// Returns the last index of the position before the root, if it occurred there twice and no null
    /// move has been made since.
    #[inline(always)]
    fn repeated_before_root(&self) -> Option<usize> {
        if self.recurring.is_empty() || self.after_null_move > 0 {
            return None;
        }
        let key = self.key_history.last()?.key;
        let same = self.recurring.iter().find(|(other, _)| *other == key);
        same.map(|&(_, last)| last)
    }

    /// Returns the value of a cycle that began at index `first`.
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
            self.draw()
        }
    }
}

/// Returns the keys that occur twice or more, each with its last index.
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

/// Returns the last earlier index of the final position, from `oldest` on.
#[inline(always)]
fn cycle(key_history: &[KeyHistoryEntry], oldest: usize) -> Option<usize> {
    /// Largest length of a cycle, in plies.
    const HORIZON: usize = 32;
    last_like_final(key_history, oldest, HORIZON, |entry| entry.key)
}

/// Compares the hand of the side to move in the final position with its hand in the last position with
/// the same board, from `oldest` on: greater if it holds the same and more (a superior position), less if it
/// holds a part of it (an inferior one).
#[inline(always)]
fn hands_compared(key_history: &[KeyHistoryEntry], oldest: usize) -> Option<Ordering> {
    /// Largest distance of the two positions, in plies.
    const HORIZON: usize = 16;
    let index = last_like_final(key_history, oldest, HORIZON, |entry| entry.board)?;
    let (before, now) = (key_history[index].hand, key_history.last()?.hand);
    match (now.covers(before), before.covers(now)) {
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        _ => None,
    }
}

/// Returns the last earlier index with the final position's key of this kind, with the same side to move,
/// from `oldest` on and at most `horizon` plies before.
#[inline(always)]
fn last_like_final(
    key_history: &[KeyHistoryEntry],
    oldest: usize,
    horizon: usize,
    key: impl Fn(&KeyHistoryEntry) -> u64,
) -> Option<usize> {
    let (current, earlier) = key_history.split_last()?;
    let oldest = oldest.max(earlier.len().saturating_sub(horizon));
    let mut index = earlier.len().checked_sub(4)?;
    while index >= oldest {
        if key(&earlier[index]) == key(current) {
            return Some(index);
        }
        index = index.checked_sub(2)?;
    }
    None
}

/// Returns the index of the fourth-last occurrence of the final position.
#[cold]
fn first_of_four(key_history: &[KeyHistoryEntry]) -> Option<usize> {
    let (current, earlier) = key_history.split_last()?;
    let same = |index: &usize| earlier[*index].key == current.key;
    (0..earlier.len()).rev().filter(same).nth(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Color, Game, Hand};

    fn key_history(keys: &[u64]) -> Vec<KeyHistoryEntry> {
        let visit = |(index, &key): (usize, &u64)| KeyHistoryEntry {
            key,
            board: key,
            hand: Hand::default(),
            side: Color::ALL[index % 2],
            in_check: false,
        };
        keys.iter().enumerate().map(visit).collect()
    }

    #[test]
    fn a_cycle_begins_at_the_last_occurrence() {
        let cycle = |keys: &[u64], oldest| cycle(&key_history(keys), oldest);
        assert_eq!(cycle(&[7, 1, 2, 3, 4], 0), None);
        assert_eq!(cycle(&[7, 1, 2, 3, 7], 0), Some(0));
        assert_eq!(cycle(&[7, 1, 7, 3, 4, 5, 7], 0), Some(2));
        // It is the other side's turn.
        assert_eq!(cycle(&[7, 1, 2, 3, 4, 7], 0), None);
        // Before the root, or before a null move.
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
    fn a_pawn_given_away_makes_a_repeated_board_superior() {
        // White drops a pawn where the rook takes it, and both sides go back to where they were.
        let round = "9i8i P*5d 5i5d 1a2a 5d5i 2a2b 8i9i 2b1a";
        let compared = |moves: &str| {
            let start = "sfen 8k/9/9/9/9/9/9/9/K3R4 b 2p 1 moves";
            let game = Game::from_usi(&format!("{start} {moves}")).expect("a game");
            hands_compared(game.key_history(), 0)
        };
        assert_eq!(compared("9i8i P*5d 5i5d 1a2a"), None);
        assert_eq!(compared(round), Some(Ordering::Greater));
        let to_white = format!("{round} 9i8i");
        assert_eq!(compared(&to_white), Some(Ordering::Less));
        let twice = format!("{round} {round}");
        assert_eq!(compared(&twice), Some(Ordering::Greater));
        // The position itself occurs again.
        assert_eq!(compared("9i8i 1a2a 8i9i 2a1a"), None);
    }

    #[test]
    fn recurring_positions_are_found_at_any_distance() {
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
