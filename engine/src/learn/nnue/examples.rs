//! Positions as networks see them.

use super::super::{Sample, SampleError};
use crate::{
    eval::nnue::{PIECES_AND_KINGS, for_each, mirrored_numbers, turned_numbers},
    rules::Color,
};

/// Pieces of a complete set.
const SET: usize = 40;

/// One position, as the side to move sees it.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub features: [u16; SET],
    /// Centipawns from the side to move.
    pub score: i16,
    /// 1, 0 or -1.
    pub result: i8,
}

static TURNED: [u16; PIECES_AND_KINGS] = turned_numbers();

static MIRRORED: [u16; PIECES_AND_KINGS] = mirrored_numbers();

impl Example {
    /// The rows of the first layer for the side to move and for the other one. Mirrored positions
    /// are worth the same, so that each example is two.
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

/// Quiet positions to learn from, or to check what was learned.
#[derive(Clone, Debug, Default)]
pub struct TrainingSet {
    pub(super) examples: Vec<Example>,
}

impl TrainingSet {
    /// Takes a sample in, unless it is not quiet: a static evaluation cannot know how checks and
    /// captures end. Tells whether it was taken.
    ///
    /// # Errors
    /// The bytes of the sample are no position.
    pub fn add(&mut self, sample: &Sample) -> Result<bool, SampleError> {
        let position = sample.position()?;
        if !sample.is_quiet(&position) {
            return Ok(false);
        }
        let us = match position.side_to_move() {
            Color::Black => 0,
            Color::White => 1,
        };
        // A packed position is complete: 38 pieces and two kings.
        let mut features = [0; SET];
        let mut rooms = features.iter_mut();
        for_each(&position, |seen| {
            if let Some(room) = rooms.next() {
                *room = seen[us];
            }
        });
        self.examples.push(Example {
            features,
            score: sample.score,
            result: sample.result,
        });
        Ok(true)
    }

    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;

    fn sample(sfen: &str, best_move: &str) -> Sample {
        Sample {
            position: Position::from_sfen(sfen).unwrap().to_packed().unwrap(),
            score: 120,
            best_move: best_move.parse().unwrap(),
            ply: 1,
            result: 1,
            is_last: false,
        }
    }

    #[test]
    fn only_quiet_positions_are_taken() {
        let mut set = TrainingSet::default();
        let quiet = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
        assert!(set.add(&sample(quiet, "2g2f")).unwrap());
        assert!(!set.add(&sample(quiet, "8h2b+")).unwrap());
        let in_check = "lnsgkgsnl/1r7/pppp1p1pp/6p2/4b4/2P6/PP1P1PPPP/1B2R4/LNSGKGSNL b Pp 3";
        assert!(set.add(&sample(in_check, "5h5e")).is_ok());
        assert_eq!(set.len(), 1);
        let of = |sfen| {
            let mut set = TrainingSet::default();
            set.add(&sample(sfen, "5i5h")).unwrap();
            let mut features = set.examples[0].features;
            features.sort_unstable();
            features
        };
        let black = of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        let white = of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        assert_eq!(black, white, "both sides see themselves below");
        let mut other = black.map(|feature| TURNED[usize::from(feature)]);
        other.sort_unstable();
        assert_eq!(black, other);
    }
}
