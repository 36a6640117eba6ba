//! Examples for the judges of moves, and their weights in the loss.

use super::training::MoveJudgeTraining;
use crate::{
    logistic::{Example, normalised},
    searches::LoggedGame,
};
use monju_engine::search::{MoveJudgement, SampleOutcome, SearchSample};

/// Length of a usual game.
const USUAL_PLIES: f32 = 120.0;

/// A sampled move.
#[derive(Clone, Debug)]
pub(super) struct MoveExample {
    features: Box<[u16]>,
    /// Surplus over the usual margin of futility pruning, in units of 100 centipawns.
    number: f32,
    /// Part of a usual game that has been played, at most 1.
    progress: f32,
    pub class: MoveClass,
}

/// The cases of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveClass {
    /// It does not beat alpha: to reduce or prune it saves time.
    Useless,
    /// Only the search in full beats alpha: a reduction or a pruning hides the move.
    Hidden,
    /// The reduced search beats alpha, and the move is searched again.
    Repeated,
}

impl Example for MoveExample {
    fn features(&self) -> &[u16] {
        &self.features
    }

    fn number(&self) -> f32 {
        self.number
    }

    fn is_positive(&self) -> bool {
        self.class != MoveClass::Useless
    }
}

/// Returns the samples of a game that are about a judgement.
pub(super) fn examples_of(
    game: LoggedGame,
    judgement: MoveJudgement,
) -> impl Iterator<Item = MoveExample> {
    let searches = game.searches.into_iter();
    let samples = searches.flat_map(|search| {
        let progress = (search.ply as f32 / USUAL_PLIES).min(1.0);
        search.samples.into_iter().map(move |one| (progress, one))
    });
    samples.filter_map(move |(progress, sample)| {
        let SearchSample::Late(sample) = sample else {
            return None;
        };
        let class = |beats| match beats {
            true => MoveClass::Hidden,
            false => MoveClass::Useless,
        };
        let (number, class) = match (judgement, sample.outcome) {
            (
                MoveJudgement::Reductions,
                SampleOutcome::Reduction {
                    reduced_beats,
                    full_beats,
                },
            ) => match reduced_beats {
                false => (0.0, class(full_beats)),
                true => (0.0, MoveClass::Repeated),
            },
            (MoveJudgement::Margins, SampleOutcome::Margin { surplus, beats }) => {
                (surplus as f32 / 100.0, class(beats))
            }
            _ => return None,
        };
        Some(MoveExample {
            features: sample.features.into_boxed_slice(),
            number,
            progress,
            class,
        })
    })
}

/// Returns the weight of each example in the loss, 1 on average.
pub(super) fn importance(examples: &[MoveExample], training: &MoveJudgeTraining) -> Vec<f32> {
    let weigh = |example: &MoveExample| match example.class {
        MoveClass::Useless => 1.0,
        MoveClass::Hidden => 1.0 + training.late * f64::from(example.progress),
        MoveClass::Repeated => training.waste,
    };
    normalised(examples.iter().map(weigh).collect())
}
