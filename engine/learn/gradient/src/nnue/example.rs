//! A position as the features of a network.

use monju_engine::{
    eval::nnue::{PIECES_AND_KINGS, for_each, mirrored_numbers, turned_numbers},
    rules::{Color, Position},
};

/// Pieces of a complete set.
const SET: usize = 40;

/// One position to learn from, from the side to move.
#[derive(Clone, Debug)]
pub struct NetworkExample {
    /// Features of K-P that the side to move sees, one for each piece.
    pub features: [u16; SET],
    /// Centipawns from the side to move.
    pub score: i16,
    /// 1, 0 or -1: the side to move has won, drawn or lost.
    pub result: i8,
}

static TURNED: [u16; PIECES_AND_KINGS] = turned_numbers();

static MIRRORED: [u16; PIECES_AND_KINGS] = mirrored_numbers();

impl NetworkExample {
    /// Reads the features of a position that has all 40 pieces.
    pub fn new(position: &Position, score: i16, result: i8) -> Self {
        let us = match position.side_to_move() {
            Color::Black => 0,
            Color::White => 1,
        };
        let mut features = [0; SET];
        let mut slots = features.iter_mut();
        for_each(position, |seen| {
            if let Some(slot) = slots.next() {
                *slot = seen[us];
            }
        });
        Self {
            features,
            score,
            result,
        }
    }

    /// Returns the rows of the feature transformer for the side to move and for its opponent. A mirrored
    /// position has the same value, so each example counts as two.
    #[inline(always)]
    pub fn rows(&self, mirrored: bool) -> [[u16; SET]; 2] {
        let of = |table: &[u16; PIECES_AND_KINGS], features: [u16; SET]| {
            features.map(|feature| table[usize::from(feature) % PIECES_AND_KINGS])
        };
        let own = if mirrored {
            of(&MIRRORED, self.features)
        } else {
            self.features
        };
        [own, of(&TURNED, own)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_themselves_below() {
        let of = |sfen| {
            let position = Position::from_sfen(sfen).expect("a position");
            let mut features = NetworkExample::new(&position, 0, 0).features;
            features.sort_unstable();
            features
        };
        let black = of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        let white = of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        assert_eq!(black, white);
        let mut other = black.map(|feature| TURNED[usize::from(feature)]);
        other.sort_unstable();
        assert_eq!(black, other);
    }
}
