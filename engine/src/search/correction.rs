//! Correction history: how wrong the static evaluation was in positions that share a feature, as
//! measured by their searches. What a simple evaluation cannot see, it learns during the game.

use super::{history::Context, scores::Scores, value::Value};
use crate::rules::{Bitboard, Color, PieceKind, Position};

const BUCKETS: usize = 1 << 14;

/// Largest absolute value of an entry.
const LIMIT: i16 = 1024;

/// Features that a correction goes by, besides the last move.
const FEATURES: usize = 4;

/// Where a position's corrections stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    side: usize,
    buckets: [usize; FEATURES],
    last: Context,
}

/// The corrections of a game, by feature, side to move and bucket.
pub(super) struct Correction {
    buckets: Scores,
    /// By side and last move.
    last: Scores,
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

impl Features {
    /// Of the position that the move of context `last` has led to.
    #[inline]
    pub fn of(position: &Position, last: Context) -> Self {
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
                bucket(both(PieceKind::Pawn)),
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

impl Features {
    fn indices(&self) -> impl Iterator<Item = usize> {
        let side = self.side;
        let index = move |(feature, bucket)| (2 * feature + side) * BUCKETS + bucket;
        self.buckets.into_iter().enumerate().map(index)
    }

    fn last_index(&self) -> usize {
        self.side * Context::COUNT + self.last.index()
    }
}

impl Correction {
    pub fn new() -> Self {
        Self {
            buckets: Scores::new(2 * FEATURES * BUCKETS, LIMIT),
            last: Scores::new(2 * Context::COUNT, LIMIT),
        }
    }

    pub fn clear(&mut self) {
        self.buckets.clear();
        self.last.clear();
    }

    /// What to add to the evaluation: `weight` percent of what was learned.
    pub fn of(&self, features: &Features, weight: i32) -> Value {
        let mut sum = self.last.get(features.last_index());
        for index in features.indices() {
            sum += self.buckets.get(index);
        }
        sum * weight / 400
    }

    /// Learns that a search to `depth` differed from the corrected evaluation by `error`.
    pub fn learn(&self, features: &Features, error: Value, depth: i32) {
        let most = i32::from(LIMIT) / 4;
        let bonus = (error * depth / 8).clamp(-most, most);
        self.last.update(features.last_index(), bonus);
        for index in features.indices() {
            self.buckets.update(index, bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_is_always_the_same_is_corrected_and_forgotten() {
        let mut correction = Correction::new();
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
