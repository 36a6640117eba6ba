//! Which values the evaluator has of its own, once those that symmetry makes equal are one.
//!
//! A position seen from the other side is worth the negative, and a mirrored one the same. So a
//! value stands for up to four relations, two of them with the other sign; a relation that is its
//! own opposite is worth nothing.

use super::index::{self, COUNT, Meaning};
use crate::rules::{PieceKind, Square};
use std::sync::OnceLock;

/// Values of a single piece on the board, king included: kinds × half of the squares.
pub const PLACED: usize = PieceKind::COUNT * 45;

/// Where the values of single pieces in hand begin, after those on the board.
pub const HELD: usize = PLACED;

/// Values of single pieces.
pub const SINGLE: usize = PLACED + index::HAND;

/// The place of a piece that stands on a square, as its owner sees it, among the single values.
pub const fn placed(kind: PieceKind, square: Square) -> usize {
    let file = square.file();
    let half = if file < 5 { file } else { 8 - file };
    kind.index() * 45 + half * 9 + square.rank()
}

/// Which value each relation of two pieces has, and with which sign.
#[derive(Debug)]
pub struct Layout {
    /// By the numbers of both pieces: 0 for a relation without value, `n + 1` for value `n`, and
    /// `-(n + 1)` for its negative.
    of_pair: Box<[i32]>,
    /// The relation of which each value is the plain one.
    pairs: Vec<(u16, u16)>,
}

impl Layout {
    /// The only one there is.
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

    /// How many values of relations there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The value of a relation and whether it is negated.
    #[inline(always)]
    pub fn value(&self, one: u16, two: u16) -> Option<(usize, bool)> {
        let value = self.of_pair[usize::from(one) * COUNT + usize::from(two)];
        (value != 0).then(|| (value.unsigned_abs() as usize - 1, value < 0))
    }

    /// For each pair of numbers, in order: 0, or the value's place counted from 1, with its sign.
    pub fn table(&self) -> &[i32] {
        &self.of_pair
    }

    /// The relation of which each value is the plain one, by the numbers of its pieces.
    pub fn pairs(&self) -> &[(u16, u16)] {
        &self.pairs
    }
}

/// Whether one position can have both pieces, as far as squares and kings go.
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
