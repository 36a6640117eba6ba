//! A list of moves with scores, sorted as far as needed.

use crate::rules::{Move, MoveList, PushMove};
use std::mem::MaybeUninit;

/// A list of scored moves with room for every legal move.
#[derive(Clone)]
pub(super) struct ScoredList {
    entries: [MaybeUninit<(i32, Move)>; ScoredList::CAPACITY],
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
    pub fn as_mut_slice(&mut self) -> &mut [(i32, Move)] {
        // SAFETY: only `push_move` raises `len`, after it has initialised the entry, and entries are
        // written otherwise only through this slice.
        unsafe { std::slice::from_raw_parts_mut(self.entries.as_mut_ptr().cast(), self.len) }
    }
}

impl PushMove for ScoredList {
    #[inline(always)]
    fn push_move(&mut self, mv: Move) {
        self.entries[self.len].write((0, mv));
        self.len += 1;
    }
}

/// Sorts the moves with a score of at least `bound` to the front, best first, and returns their
/// number. The other moves and equal ones keep their order.
pub(super) fn sort_above(moves: &mut [(i32, Move)], bound: i32) -> usize {
    let mut chosen = [const { MaybeUninit::uninit() }; ScoredList::CAPACITY];
    let mut count = 0;
    let mut back = moves.len();
    for i in (0..moves.len()).rev() {
        let entry = moves[i];
        if entry.0 < bound {
            back -= 1;
            moves[back] = entry;
        } else {
            chosen[count].write(entry);
            count += 1;
        }
    }
    // The moves were chosen from the back, so that the last chosen one stood first.
    for sorted in 0..count {
        // SAFETY: the loop above has initialised the first `count` entries.
        let entry: (i32, Move) = unsafe { chosen[count - 1 - sorted].assume_init() };
        let mut at = sorted;
        while at > 0 && moves[at - 1].0 < entry.0 {
            moves[at] = moves[at - 1];
            at -= 1;
        }
        moves[at] = entry;
    }
    count
}
