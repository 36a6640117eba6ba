//! Positions as networks see them.

use super::{
    super::{Sample, SampleError, outlook},
    trainer::TrainerError,
};
use monju_engine::{
    eval::{
        Architecture, Network,
        nnue::{PIECES_AND_KINGS, for_each, mirrored_numbers, turned_numbers},
    },
    rules::Color,
};
use std::thread;

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

    /// Moves every score `share` of the way to what `teachers` say on average, of the position and of
    /// its mirror image, as probabilities to win where a score of `scale` centipawns is one unit of the
    /// logit.
    ///
    /// What networks have in common that learned otherwise, from other games or with other beginnings, is
    /// not what each knows of its games by heart (distillation: Hinton, Vinyals and Dean, 2015).
    /// `threads` share the work.
    ///
    /// # Errors
    /// A teacher has other features than those of K-P.
    pub fn ask(
        &mut self,
        teachers: &[Network],
        share: f64,
        scale: f64,
        threads: usize,
    ) -> Result<(), TrainerError> {
        let mut kinds = teachers.iter().map(Network::architecture);
        if let Some(kind) = kinds.find(|&kind| kind == Architecture::HalfKP) {
            return Err(TrainerError::Teacher(kind));
        }
        if teachers.is_empty() {
            return Ok(());
        }
        let part = self.len().div_ceil(threads.max(1)).max(1);
        thread::scope(|scope| {
            for examples in self.examples.chunks_mut(part) {
                scope.spawn(move || {
                    for example in examples {
                        let sights = [false, true].map(|mirrored| example.rows(mirrored));
                        let values = teachers
                            .iter()
                            .flat_map(|teacher| sights.map(|rows| teacher.value_of(rows)));
                        let count = (2 * teachers.len()) as f64;
                        let mean = f64::from(values.sum::<i32>()) / count;
                        example.score = between(example.score, mean, share, scale);
                    }
                });
            }
        });
        Ok(())
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

/// The score `share` of the way to `other`.
fn between(score: i16, other: f64, share: f64, scale: f64) -> i16 {
    let [own, other] = [f64::from(score), other].map(|score| outlook::probability(score, scale));
    outlook::score((1.0 - share) * own + share * other, scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{
        eval::{Evaluator, Nnue},
        rules::Position,
    };
    use std::sync::Arc;

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

    #[test]
    fn scores_move_towards_what_the_teachers_say() {
        let quiet = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 4";
        let set = || {
            let mut set = TrainingSet::default();
            set.add(&sample(quiet, "8c8d")).unwrap();
            set
        };
        let teachers = [Architecture::KP, Architecture::KPPairs].map(Network::sample);
        let position = Position::from_sfen(quiet).unwrap();
        let mirrored = "lnsgkgsnl/1b5r1/pp1pppppp/2p6/9/6P2/PPPPPP1PP/1R5B1/LNSGKGSNL w - 4";
        let mirrored = Position::from_sfen(mirrored).unwrap();
        let mut values = Vec::new();
        for teacher in &teachers {
            let mut evaluator = Nnue::new(Arc::new(teacher.clone()));
            for position in [&position, &mirrored] {
                evaluator.reset(position);
                values.push(evaluator.evaluate(position));
            }
        }
        let asked = |share| {
            let mut set = set();
            set.ask(&teachers, share, 600.0, 2).unwrap();
            set.examples[0].score
        };
        let mean = values.iter().sum::<i32>() / 4;
        assert!((i32::from(asked(1.0)) - mean).abs() <= 1, "{values:?}");
        assert_eq!(asked(0.0), 120);
        let half = i32::from(asked(0.5));
        assert!(half > mean.min(120) && half < mean.max(120), "{half}");
        let other = set().ask(&[Network::sample(Architecture::HalfKP)], 0.5, 600.0, 1);
        assert!(other.is_err());
    }
}
