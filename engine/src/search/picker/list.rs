//! A list of moves with scores, sorted as far as needed.

use crate::rules::{Bitboard, Move, MoveList, PushMove, Square};
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
    const CAPACITY: usize = MoveList::CAPACITY + Self::ROOM;

    /// Room for the moves to every square.
    const ROOM: usize = 128;

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
        // SAFETY: only `push_each` and `append_by_bucket` raise `len`, after they have initialised the entries, and
        // entries are written otherwise only through this slice.
        unsafe { std::slice::from_raw_parts_mut(self.entries.as_mut_ptr().cast(), self.len) }
    }
}

impl ScoredList {
    /// Appends a move to each square of a set, with its score.
    #[inline(always)]
    pub fn push_each(&mut self, to: Bitboard, scored: impl Fn(Square) -> (Move, i32)) {
        // The length is counted in a register and written once.
        let room: &mut [_; Self::ROOM] = (self.entries[self.len..].first_chunk_mut())
            .expect("room beyond the largest number of moves");
        let (mut count, first) = (0, u16::MAX - self.len as u16);
        to.squares().for_each(|square| {
            let (mv, score) = scored(square);
            let rank = first - count as u16;
            room[count % Self::ROOM].write(ScoredMove { mv, rank, score });
            count += 1;
        });
        self.len += count;
    }
}

impl PushMove for ScoredList {
    #[inline(always)]
    fn push_moves(&mut self, to: Bitboard, of: impl Fn(Square) -> Move) {
        self.push_each(to, |square| (of(square), 0));
    }
}

/// Number of buckets of scores.
const BUCKETS: usize = 64;

/// Width of a bucket, as a power of two.
const WIDTH: u32 = 10;

/// The bucket that begins with a score of 0.
const ZERO: i32 = 40;

/// Returns the bucket of a score, the higher the larger the score.
#[inline(always)]
fn bucket(score: i32) -> usize {
    ((score >> WIDTH) + ZERO).clamp(0, BUCKETS as i32 - 1) as usize
}

/// Appends the moves of `unsorted` to `list`, those of higher buckets first. [`sort_next`] sorts a bucket
/// when its first move is wanted: most nodes are cut before.
pub(super) fn append_by_bucket(unsorted: &mut ScoredList, list: &mut ScoredList) {
    let moves = unsorted.as_mut_slice();
    let mut ends = [0u16; BUCKETS];
    for entry in moves.iter() {
        ends[bucket(entry.score)] += 1;
    }
    let mut at = list.len as u16;
    for end in ends.iter_mut().rev() {
        let count = *end;
        *end = at;
        at += count;
    }
    for entry in moves.iter() {
        let end = &mut ends[bucket(entry.score)];
        list.entries[usize::from(*end)].write(*entry);
        *end += 1;
    }
    list.len = usize::from(at);
}

/// Sorts the bucket of the first move, best first, equal scores in the order of generation; returns its
/// size. The buckets must be in order.
pub(super) fn sort_next(moves: &mut [ScoredMove]) -> usize {
    let Some(first) = moves.first() else { return 0 };
    let first = bucket(first.score);
    let mut sorted = 1;
    while sorted < moves.len() && bucket(moves[sorted].score) == first {
        let entry = moves[sorted];
        let key = entry.key();
        let mut at = sorted;
        while at > 0 && moves[at - 1].key() < key {
            moves[at] = moves[at - 1];
            at -= 1;
        }
        moves[at] = entry;
        sorted += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_their_moves_come_best_first() {
        let mut state = 9u64;
        for count in [0, 1, 2, 40, 500] {
            let (mut unsorted, mut list) = (ScoredList::new(), ScoredList::new());
            let mv = "7g7f".parse().unwrap();
            let push = |list: &mut ScoredList, score| {
                list.push_each(Bitboard::of(Square::from_index(0)), |_| (mv, score));
            };
            push(&mut list, 1 << 20);
            let mut expected = Vec::new();
            for number in 0..count {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                // Equal scores, and scores beyond the outermost buckets.
                let score = ((state >> 40) as i32 % 300 - 150) * 700;
                push(&mut unsorted, score);
                expected.push((-score, number));
            }
            expected.sort_unstable();
            append_by_bucket(&mut unsorted, &mut list);
            let moves = &mut list.as_mut_slice()[1..];
            let mut at = 0;
            while at < moves.len() {
                at += sort_next(&mut moves[at..]);
            }
            let found: Vec<(i32, i32)> = moves
                .iter()
                .map(|entry| (-entry.score, i32::from(u16::MAX - entry.rank)))
                .collect();
            assert_eq!(found, expected);
        }
    }
}
