//! Correction history: the mean error of the static evaluation in positions that share a feature,
//! measured by their searches.

use super::{
    context::Context,
    entry::{HistoryEntry, forget},
};
use crate::{
    pages::large_array,
    rules::{Bitboard, Color, PieceKind, Position},
    search::value::Value,
};
use std::collections::TryReserveError;

const BUCKETS: usize = 1 << 14;

/// Largest absolute value of an entry.
const LIMIT: i32 = 1024;

/// Number of features of a correction besides the last move.
const FEATURES: usize = 4;

/// The features of a position, as indices of their corrections.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    side: usize,
    buckets: [usize; FEATURES],
    last: Context,
}

/// The corrections of one search by feature, side to move and bucket. The last move is a further
/// feature.
pub struct Correction {
    tables: [Box<[HistoryEntry]>; FEATURES],
    last: Box<[HistoryEntry]>,
}

fn bucket(words: [u128; 2]) -> usize {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        for half in [word as u64, (word >> 64) as u64] {
            hash = (hash ^ half).wrapping_mul(0xd6e8_feb8_6659_fd93);
            hash ^= hash >> 32;
        }
    }
    hash as usize % BUCKETS
}

/// Returns a hash of both sides' pawns.
#[inline]
pub fn pawn_structure(position: &Position) -> usize {
    bucket([Color::Black, Color::White].map(|color| position.pieces(color, PieceKind::Pawn).0))
}

impl Features {
    /// Computes the features of a position with these pawns; `last` is the context of the move before
    /// it.
    #[inline]
    pub fn of(position: &Position, pawns: usize, last: Context) -> Self {
        let pieces = |color, kind| position.pieces(color, kind);
        let both = |kind| [pieces(Color::Black, kind).0, pieces(Color::White, kind).0];
        let guards = |color| {
            let guards: Bitboard = pieces(color, PieceKind::Gold)
                | pieces(color, PieceKind::Silver)
                | pieces(color, PieceKind::King);
            guards.0
        };
        let hand = |color| u128::from(position.hand(color).bits());
        let kings = both(PieceKind::King);
        Self {
            side: position.side_to_move().index(),
            buckets: [
                pawns,
                bucket([guards(Color::Black), 1]),
                bucket([guards(Color::White), 2]),
                bucket([
                    kings[0] ^ hand(Color::Black) << 64,
                    kings[1].wrapping_mul(3) ^ hand(Color::White),
                ]),
            ],
            last,
        }
    }
}

impl Correction {
    /// Allocates empty tables.
    ///
    /// # Errors
    /// The system lacks the memory.
    pub fn new() -> Result<Self, TryReserveError> {
        let table = || large_array(2 * BUCKETS);
        Ok(Self {
            tables: [table()?, table()?, table()?, table()?],
            last: large_array(2 * Context::COUNT)?,
        })
    }

    pub fn clear(&mut self) {
        self.tables.iter_mut().for_each(|table| forget(table));
        forget(&mut self.last);
    }

    /// Returns the correction of the evaluation: `weight` percent of the learned error.
    pub fn of(&self, features: &Features, weight: i32) -> Value {
        let sum: i32 = self.entries(features).map(HistoryEntry::get).sum();
        sum * weight / 400
    }

    /// Learns the difference of a search to `depth` from the corrected evaluation.
    pub fn learn(&self, features: &Features, error: Value, depth: i32) {
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        for entry in self.entries(features) {
            entry.update(bonus, LIMIT);
        }
    }

    #[inline(always)]
    fn entries(&self, features: &Features) -> impl Iterator<Item = &HistoryEntry> {
        let Features {
            side,
            buckets,
            last,
        } = *features;
        (self.tables.iter().zip(buckets))
            .map(move |(table, bucket)| &table[side * BUCKETS + bucket])
            .chain([&self.last[side * Context::COUNT + last.index()]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_error_is_corrected_and_can_be_forgotten() {
        let mut correction = Correction::new().unwrap();
        let features = Features::of(&Position::startpos(), 0, Context::NONE);
        for _ in 0..500 {
            let error = 200 - correction.of(&features, 100);
            correction.learn(&features, error, 6);
        }
        let learned = correction.of(&features, 100);
        assert!((150..=250).contains(&learned), "{learned}");
        let mirrored = Features {
            side: 1,
            ..features
        };
        assert_eq!(correction.of(&mirrored, 100), 0);
        correction.clear();
        assert_eq!(correction.of(&features, 100), 0);
    }
}
