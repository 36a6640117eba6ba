//! Training examples as the features of a network.

use crate::{
    dataset::ExampleSet,
    example::{TrainingExample, TrainingExampleError},
    win_probability,
};
use monju_engine::eval::{Architecture, Network};
use monju_gradient::nnue::NetworkExample;
use std::thread;

/// Quiet positions to train or to validate a network on.
#[derive(Clone, Debug, Default)]
pub struct NetworkSet {
    pub(super) examples: Vec<NetworkExample>,
}

/// Error of an architecture that cannot teach.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("a network of architecture {0} cannot teach, only k-p and k-p-pairs")]
pub struct TeacherError(Architecture);

impl ExampleSet for NetworkSet {
    fn add(&mut self, example: &TrainingExample) -> Result<bool, TrainingExampleError> {
        let position = example.position()?;
        if !example.is_quiet(&position) {
            return Ok(false);
        }
        // A packed position has exactly 38 pieces and two kings.
        self.examples.push(NetworkExample::new(
            &position,
            example.score,
            example.result,
        ));
        Ok(true)
    }

    fn len(&self) -> usize {
        self.examples.len()
    }
}

impl NetworkSet {
    /// Moves every score `share` of the way to the mean evaluation of `teachers`, taken over the position
    /// and its mirror image as win probabilities; `scale` centipawns are one unit of the logit.
    ///
    /// Networks trained on other games or from other random weights agree on less of what each has
    /// memorised (knowledge distillation: Hinton, Vinyals and Dean, 2015). `threads` share the work.
    ///
    /// # Errors
    /// A teacher has other features than those of K-P.
    pub fn distill(
        &mut self,
        teachers: &[Network],
        share: f64,
        scale: f64,
        threads: usize,
    ) -> Result<(), TeacherError> {
        let mut architectures = teachers.iter().map(Network::architecture);
        if let Some(other) = architectures.find(|&other| other == Architecture::HalfKP) {
            return Err(TeacherError(other));
        }
        if teachers.is_empty() {
            return Ok(());
        }
        let part = self.len().div_ceil(threads.max(1)).max(1);
        thread::scope(|scope| {
            for examples in self.examples.chunks_mut(part) {
                scope.spawn(move || {
                    for example in examples {
                        let views = [false, true].map(|mirrored| example.rows(mirrored));
                        let values = teachers
                            .iter()
                            .flat_map(|teacher| views.map(|rows| teacher.value_of(rows)));
                        let count = (2 * teachers.len()) as f64;
                        let mean = f64::from(values.sum::<i32>()) / count;
                        example.score = interpolate(example.score, mean, share, scale);
                    }
                });
            }
        });
        Ok(())
    }
}

/// Returns the score `share` of the way to `other` in win probability.
fn interpolate(score: i16, other: f64, share: f64, scale: f64) -> i16 {
    let [own, other] =
        [f64::from(score), other].map(|score| win_probability::from_score(score, scale));
    win_probability::to_score((1.0 - share) * own + share * other, scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{
        eval::{Evaluator, Nnue},
        rules::Position,
    };
    use std::sync::Arc;

    fn example(sfen: &str, best_move: &str) -> TrainingExample {
        TrainingExample {
            position: Position::from_sfen(sfen).unwrap().to_packed().unwrap(),
            score: 120,
            best_move: best_move.parse().unwrap(),
            ply: 1,
            result: 1,
            is_last: false,
        }
    }

    #[test]
    fn only_quiet_positions_are_added() {
        let mut set = NetworkSet::default();
        let quiet = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
        assert!(set.add(&example(quiet, "2g2f")).unwrap());
        assert!(!set.add(&example(quiet, "8h2b+")).unwrap());
        let in_check = "lnsgkgsnl/1r7/pppp1p1pp/6p2/4b4/2P6/PP1P1PPPP/1B2R4/LNSGKGSNL b Pp 3";
        assert!(set.add(&example(in_check, "5h5e")).is_ok());
        assert_eq!(set.len(), 1);
    }

    #[test]
    fn distillation_moves_scores_towards_the_teachers() {
        let quiet = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 4";
        let set = || {
            let mut set = NetworkSet::default();
            set.add(&example(quiet, "8c8d")).unwrap();
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
        let distilled = |share| {
            let mut set = set();
            set.distill(&teachers, share, 600.0, 2).unwrap();
            set.examples[0].score
        };
        let mean = values.iter().sum::<i32>() / 4;
        assert!((i32::from(distilled(1.0)) - mean).abs() <= 1, "{values:?}");
        assert_eq!(distilled(0.0), 120);
        let half = i32::from(distilled(0.5));
        assert!(half > mean.min(120) && half < mean.max(120), "{half}");
        let other = set().distill(&[Network::sample(Architecture::HalfKP)], 0.5, 600.0, 1);
        assert!(other.is_err());
    }
}
