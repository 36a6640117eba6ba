//! The evaluator `linear`: values of single pieces on the board and in hand, and of every relation
//! of two pieces, kings and pieces in hand included. These are the four groups of Tohske, section
//! 3, learned from game records.

pub mod index;
pub mod layout;
mod weights;

pub use weights::LinearWeights;
pub use weights::{UNIT, Values};

use super::evaluator::Evaluator;
use crate::rules::{Color, Move, Piece, PieceKind, Position, Square};
use index::{COUNT, SET};
use std::sync::Arc;

/// A change of one piece: it moved, was captured, or was dropped.
#[derive(Clone, Copy, Debug, Default)]
struct PieceChange {
    /// Index in the list of pieces.
    slot: u8,
    from: u16,
    to: u16,
}

/// Changes by one move, with the value after it.
#[derive(Clone, Copy, Debug)]
struct LinearUpdate {
    /// Value from Black's side in 1/[`UNIT`] centipawn, without the right to move; valid once
    /// `settled`.
    value: i32,
    settled: bool,
    /// Number of changes.
    count: u8,
    changes: [PieceChange; 2],
    /// Change of the values of single pieces.
    single: i32,
}

/// The evaluator named `linear`.
///
/// A move changes at most two pieces, whose relations are rows of the table, summed over the other
/// pieces. The sums are computed only when the value is needed.
#[derive(Clone, Debug)]
pub struct Linear {
    weights: Arc<LinearWeights>,
    /// Numbers of all pieces, in any order.
    list: [u16; SET],
    /// Index in the list of each number that it contains.
    slots: Box<[u8; COUNT]>,
    /// Updates from the root on.
    updates: Vec<LinearUpdate>,
}

impl Linear {
    /// Creates an evaluator that shares the weights.
    pub fn new(weights: Arc<LinearWeights>) -> Self {
        Self {
            weights,
            list: [0; SET],
            slots: Box::new([0; COUNT]),
            updates: Vec::new(),
        }
    }

    /// Returns the numbers of all pieces of a position, 0 for missing ones, and the sum of the values
    /// of single pieces.
    fn pieces(position: &Position, weights: &LinearWeights) -> ([u16; SET], i32) {
        let mut list = [0; SET];
        let mut slots = list.iter_mut();
        let mut single = 0;
        for square in position.occupied().squares() {
            let piece = position.piece(square);
            single += weights.placed[piece.index()][square.index()];
            if let Some(slot) = slots.next() {
                *slot = index::on_board(piece, square);
            }
        }
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                for count in 1..=position.hand(color).count(kind) {
                    let number = index::in_hand(color, kind, count);
                    single += weights.held[usize::from(number)];
                    if let Some(slot) = slots.next() {
                        *slot = number;
                    }
                }
            }
        }
        (list, single)
    }

    /// Computes the value of a position from Black's side.
    fn full(list: &[u16; SET], single: i32, weights: &LinearWeights) -> i32 {
        let mut value = single;
        for (place, &one) in list.iter().enumerate() {
            let row = &weights.rows[usize::from(one)];
            let others = &list[place + 1..];
            value += others
                .iter()
                .map(|&two| i32::from(row[usize::from(two)]))
                .sum::<i32>();
        }
        value
    }

    #[inline(always)]
    fn change(&mut self, from: u16, to: u16) -> PieceChange {
        let slot = self.slots[usize::from(from)];
        self.slots[usize::from(to)] = slot;
        self.list[usize::from(slot) % SET] = to;
        PieceChange { slot, from, to }
    }

    /// Computes the value after the last update from the value before it.
    #[inline]
    fn settle(&mut self) -> i32 {
        let Some((last, earlier)) = self.updates.split_last_mut() else {
            return 0;
        };
        if last.settled {
            return last.value;
        }
        let rows = &self.weights.rows;
        let row = |number: u16| &rows[usize::from(number)];
        let before = earlier.last().map_or(0, |update| update.value);
        let [one, two] = last.changes;
        let (old, new) = (row(one.from), row(one.to));
        let difference = if last.count < 2 {
            // The sum includes the changed piece itself, whose old number is no longer in the list.
            difference(&self.list, new, old) + i32::from(old[usize::from(one.to)])
        } else {
            let (other_old, other_new) = (row(two.from), row(two.to));
            let between = |row: &[i16; COUNT], number: u16| i32::from(row[usize::from(number)]);
            difference(&self.list, new, old) + difference(&self.list, other_new, other_old)
                - between(new, two.to)
                - between(old, two.from)
                + between(old, one.to)
                + between(old, two.to)
                + between(other_old, one.to)
                + between(other_old, two.to)
        };
        last.value = before + last.single + difference;
        last.settled = true;
        last.value
    }
}

/// Returns the sum of a row over all pieces, less the sum of another row.
#[inline(always)]
fn difference(list: &[u16; SET], new: &[i16; COUNT], old: &[i16; COUNT]) -> i32 {
    let mut sum = 0;
    for &number in list {
        let at = usize::from(number);
        sum += i32::from(new[at]) - i32::from(old[at]);
    }
    sum
}

impl Evaluator for Linear {
    fn reset(&mut self, position: &Position) {
        let (list, single) = Self::pieces(position, &self.weights);
        self.list = list;
        for (slot, &number) in list.iter().enumerate() {
            self.slots[usize::from(number)] = slot as u8;
        }
        self.updates.clear();
        self.updates.push(LinearUpdate {
            value: Self::full(&list, single, &self.weights),
            settled: true,
            count: 0,
            changes: [PieceChange::default(); 2],
            single: 0,
        });
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        self.settle();
        let us = position.side_to_move();
        let to = mv.to();
        let mut update = LinearUpdate {
            value: 0,
            settled: false,
            count: 1,
            changes: [PieceChange::default(); 2],
            single: 0,
        };
        let placed_value = |weights: &LinearWeights, piece: Piece, square: Square| {
            weights.placed[piece.index()][square.index()]
        };
        if let Some(from) = mv.from() {
            let piece = position.piece(from);
            let placed = mv.placed(piece);
            // The captured piece gives up its number first, because the other piece may take the
            // same one.
            let victim = position.piece(to);
            if let Some((_, kind)) = victim.get() {
                let kind = kind.unpromoted();
                let count = position.hand(us).count(kind) + 1;
                let held = index::in_hand(us, kind, count);
                update.count = 2;
                update.changes[1] = self.change(index::on_board(victim, to), held);
                update.single +=
                    self.weights.held[usize::from(held)] - placed_value(&self.weights, victim, to);
            }
            update.changes[0] =
                self.change(index::on_board(piece, from), index::on_board(placed, to));
            update.single +=
                placed_value(&self.weights, placed, to) - placed_value(&self.weights, piece, from);
        } else if let Some(kind) = mv.dropped() {
            let held = index::in_hand(us, kind, position.hand(us).count(kind));
            let placed = Piece::new(us, kind);
            update.changes[0] = self.change(held, index::on_board(placed, to));
            update.single =
                placed_value(&self.weights, placed, to) - self.weights.held[usize::from(held)];
        }
        self.updates.push(update);
    }

    #[inline]
    fn pop(&mut self) {
        let Some(update) = self.updates.pop() else {
            return;
        };
        for change in &update.changes[..usize::from(update.count)] {
            self.list[usize::from(change.slot) % SET] = change.from;
            self.slots[usize::from(change.from)] = change.slot;
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        let value = self.settle();
        let own = match position.side_to_move() {
            Color::Black => value,
            Color::White => -value,
        };
        (own + self.weights.turn) / UNIT
    }
}

#[cfg(test)]
mod tests;
