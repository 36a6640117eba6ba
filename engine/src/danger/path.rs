//! The moves from the root to a node, which bound repetitions and series of checks.

use super::{gain::gain, judgement::Step};
use crate::rules::{Move, Position, Square};

/// The moves from the root to a node.
#[derive(Clone, Debug)]
pub struct Path {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    step: Step,
    /// Key of the position before the step.
    key: u64,
    /// Balance of the side ahead before the step.
    balance: i32,
    /// The step is an attack by a check alone.
    is_check: bool,
}

impl Path {
    /// A path without moves.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// Returns the number of moves.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Appends a step, made in `position`, in which the side ahead has `balance`.
    pub fn push(&mut self, position: &Position, step: Step, balance: i32, is_check: bool) {
        self.entries.push(Entry {
            step,
            key: position.key(),
            balance,
            is_check,
        });
    }

    /// Takes the last step back.
    pub fn pop(&mut self) {
        self.entries.pop();
    }

    /// Returns the number of the attacker's last moves that were checks alone. It is the attacker's turn.
    pub fn checks_in_a_row(&self) -> usize {
        let attacks = self.entries.iter().rev().skip(1).step_by(2);
        attacks.take_while(|entry| entry.is_check).count()
    }

    /// Tells whether a position has occurred.
    pub fn has(&self, key: u64) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Tells whether a legal move repeats a position, or brings a piece back to a square that it has left
    /// without a gain or loss of material in between (section 3, 「損得なしの回帰手回避」). `balance` is that of
    /// the side ahead, to which moves of the side to move give `sign` times their gain.
    pub fn repeats(&self, position: &Position, mv: Move, balance: i32, sign: i32) -> bool {
        if self.has(position.key_after(mv)) {
            return true;
        }
        let Some(from) = mv.from() else {
            return false;
        };
        let after = balance + sign * gain(position, mv);
        self.trail(from)
            .any(|(square, balance)| square == mv.to() && balance == after)
    }

    /// Returns the squares that the piece on a square has left, the last first, with the balance at that
    /// time. The piece belongs to the side to move.
    fn trail(&self, square: Square) -> impl Iterator<Item = (Square, i32)> {
        let mut at = Some(square);
        let own = self.entries.iter().rev().skip(1).step_by(2);
        own.filter_map(move |entry| match entry.step {
            Step::Move(mv) if Some(mv.to()) == at => {
                at = mv.from();
                at.map(|from| (from, entry.balance))
            }
            Step::Move(_) | Step::Pass => None,
        })
    }
}
