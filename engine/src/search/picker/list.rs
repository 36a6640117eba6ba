//! A list of moves with scores, sorted as far as needed.

use crate::rules::{Move, MoveList, PushMove};
use std::mem::MaybeUninit;

/// A move with its score.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(super) struct ScoredMove {
    pub mv: Move,
    /// Falls from move to move in the order of generation, which decides between equal scores.
    rank: u16,
    pub score: i32,
}

impl ScoredMove {
    /// Returns the number by which moves are sorted, the largest first.
    #[inline(always)]
    fn key(self) -> i64 {
        i64::from(self.score) << 16 | i64::from(self.rank)
    }
}

/// A list of scored moves with room for every legal move.
#[derive(Clone)]
pub(super) struct ScoredList {
    entries: [MaybeUninit<ScoredMove>; ScoredList::CAPACITY],
    len: usize,
}

impl ScoredList {
    const CAPACITY: usize = MoveList::CAPACITY;

    pub const fn new() -> Self {
        Self {
            entries: [const { MaybeUninit::uninit() }; Self::CAPACITY],
            len: 0,
        }
    }

    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Keeps only the first `len` moves.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[inline(always)]
    pub fn as_mut_slice(&mut self) -> &mut [ScoredMove] {
        // SAFETY: only `push_move` raises `len`, after it has initialised the entry, and entries are
        // written otherwise only through this slice.
        unsafe { std::slice::from_raw_parts_mut(self.entries.as_mut_ptr().cast(), self.len) }
    }
}

impl PushMove for ScoredList {
    #[inline(always)]
    fn push_move(&mut self, mv: Move) {
        self.entries[self.len].write(ScoredMove {
            mv,
            rank: u16::MAX - self.len as u16,
            score: 0,
        });
        self.len += 1;
    }
}

/// Sorts the moves with a score of at least `bound` to the front, best first, equal ones in the order of
/// generation, and returns their number. The other moves come behind in any order.
pub(super) fn sort_above(moves: &mut [ScoredMove], bound: i32) -> usize {
    let mut count = 0;
    for at in 0..moves.len() {
        if moves[at].score >= bound {
            moves.swap(at, count);
            count += 1;
        }
    }
    let chosen = &mut moves[..count];
    for sorted in 1..chosen.len() {
        let entry = chosen[sorted];
        let key = entry.key();
        let mut at = sorted;
        while at > 0 && chosen[at - 1].key() < key {
            chosen[at] = chosen[at - 1];
            at -= 1;
        }
        chosen[at] = entry;
    }
    count
}
