//! Correction history: the mean error of the static evaluation in positions that share a feature,
//! measured by their searches.

use super::{
    context::Context,
    entry::{HistoryEntry, forget},
};
use crate::{
    pages::large_array,
    rules::{Color, Position},
    search::{replacement::prefetch, value::Value},
};
use std::collections::TryReserveError;

const BUCKETS: usize = 1 << 14;

/// Largest absolute value of an entry.
const LIMIT: i32 = 1024;

/// Number of features of a correction besides the last move.
const FEATURES: usize = 5;

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

/// Returns the bucket of a key.
#[inline(always)]
fn bucket(key: u64) -> usize {
    key as usize % BUCKETS
}

impl Features {
    /// Computes the features of a position; `last` is the context of the move before it.
    #[inline]
    pub fn of(position: &Position, last: Context) -> Self {
        let structure = position.structure();
        let [black, white] = Color::ALL.map(|color| position.hand(color).bits());
        let hands =
            black.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ white.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Self {
            side: position.side_to_move().index(),
            buckets: [
                bucket(structure.pawns()),
                bucket(structure.guards(Color::Black)),
                bucket(structure.guards(Color::White)),
                bucket(structure.others()),
                bucket(hands >> 40),
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
            tables: [table()?, table()?, table()?, table()?, table()?],
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

    /// Loads the entries into the cache ahead of their use.
    #[inline(always)]
    pub fn prefetch(&self, features: &Features) {
        self.entries(features).for_each(prefetch);
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
        let features = Features::of(&Position::startpos(), Context::NONE);
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
