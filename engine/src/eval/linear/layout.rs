//! Layout of the values of `linear`, in which symmetric relations share one value.
//!
//! A position seen from the other side has the negative value, and a mirrored one the same value.
//! Hence a value stands for up to four relations, two of them with the other sign, and a relation
//! that is its own opposite has the value 0.

use super::index::{self, COUNT, Meaning};
use crate::rules::{PieceKind, Square};
use std::sync::OnceLock;

/// Number of values of a single piece on the board, king included: kinds × half of the squares.
pub const PLACED: usize = PieceKind::COUNT * 45;

/// Index of the first value of a single piece in hand, after those on the board.
pub const HELD: usize = PLACED;

/// Number of values of single pieces.
pub const SINGLE: usize = PLACED + index::HAND;

/// Returns the index of the single value of a piece on a square, as its owner sees it.
pub const fn placed(kind: PieceKind, square: Square) -> usize {
    let file = square.file();
    let half = if file < 5 { file } else { 8 - file };
    kind.index() * 45 + half * 9 + square.rank()
}

/// Map from relations of two pieces to values with a sign.
#[derive(Debug)]
pub struct Layout {
    /// For the numbers of both pieces: 0 for a relation without value, `n + 1` for value `n`, and
    /// `-(n + 1)` for its negative.
    of_pair: Box<[i32]>,
    /// The relation that each value is named after.
    pairs: Vec<(u16, u16)>,
}

impl Layout {
    /// Returns the layout, which is computed once.
    pub fn get() -> &'static Self {
        static LAYOUT: OnceLock<Layout> = OnceLock::new();
        LAYOUT.get_or_init(Self::compute)
    }

    fn compute() -> Self {
        let flipped: Vec<usize> = (0..COUNT).map(index::flipped).collect();
        let mirrored: Vec<usize> = (0..COUNT).map(index::mirrored).collect();
        let place = |one: usize, two: usize| one.min(two) * COUNT + one.max(two);
        let mut of_pair = vec![0; COUNT * COUNT].into_boxed_slice();
        let mut pairs = Vec::new();
        for one in 1..COUNT {
            for two in one + 1..COUNT {
                if !can_coexist(one, two) {
                    continue;
                }
                let here = place(one, two);
                let mirror = place(mirrored[one], mirrored[two]);
                let flip = place(flipped[one], flipped[two]);
                let both = place(mirrored[flipped[one]], mirrored[flipped[two]]);
                let is_first = here <= mirror && here < flip && here < both;
                if !is_first {
                    continue;
                }
                pairs.push((one as u16, two as u16));
                let value = pairs.len() as i32;
                for (at, value) in [
                    (here, value),
                    (mirror, value),
                    (flip, -value),
                    (both, -value),
                ] {
                    of_pair[at] = value;
                    of_pair[at % COUNT * COUNT + at / COUNT] = value;
                }
            }
        }
        Self { of_pair, pairs }
    }

    /// Returns the index of the value of a relation, and true if the sign is negative.
    #[inline(always)]
    pub fn value(&self, one: u16, two: u16) -> Option<(usize, bool)> {
        let value = self.of_pair[usize::from(one) * COUNT + usize::from(two)];
        (value != 0).then(|| (value.unsigned_abs() as usize - 1, value < 0))
    }

    /// Returns for each pair of numbers, in order, 0 or the value's index counted from 1 with its
    /// sign.
    pub fn table(&self) -> &[i32] {
        &self.of_pair
    }

    /// Returns the relation that each value is named after, by the numbers of its pieces.
    pub fn pairs(&self) -> &[(u16, u16)] {
        &self.pairs
    }
}

/// Tells whether one position can have both pieces, as far as squares and kings are concerned.
fn can_coexist(one: usize, two: usize) -> bool {
    const KING: usize = index::KINDS - 1;
    match (index::meaning(one), index::meaning(two)) {
        (Meaning::Board(color, kind, square), Meaning::Board(other_color, other_kind, other)) => {
            square != other && !(kind == KING && other_kind == KING && color == other_color)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_has_the_value_of_its_images() {
        let layout = Layout::get();
        let mut state = 3_u64;
        let mut met = 0;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            let one = (state >> 33) as usize % COUNT;
            let two = (state >> 13) as usize % COUNT;
            let value = |one: usize, two: usize| layout.value(one as u16, two as u16);
            let found = value(one, two);
            assert_eq!(found, value(two, one));
            assert_eq!(found, value(index::mirrored(one), index::mirrored(two)));
            let flip = value(index::flipped(one), index::flipped(two));
            assert_eq!(found, flip.map(|(value, negated)| (value, !negated)));
            met += usize::from(found.is_some());
        }
        assert!(met > 190_000, "{met} relations have values");
    }

    #[test]
    fn values_belong_to_their_relations() {
        let layout = Layout::get();
        for (value, &(one, two)) in layout.pairs().iter().enumerate() {
            assert_eq!(layout.value(one, two), Some((value, false)));
        }
    }
}
