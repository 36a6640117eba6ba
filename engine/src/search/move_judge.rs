//! Learned judges of moves (Shimoyama, sections 5, 7 and 8).
//!
//! A judge of late moves is linear in features of the node, the move and the histories; its value is the logarithm of
//! the odds that a move beats alpha although the search expects it to fail low. The weights come from samples: now and
//! then a search with a [`Sampler`] searches such a move in full as well and notes what came of it. The learned order
//! is linear, too, and is added to the scores by which moves are ordered; its samples are nodes that a move has cut.
//! Search options switch each judge on; without them nothing is judged.

mod features;
mod groups;
mod learned_order;
mod order_features;
mod order_sample;
mod sampler;
mod weights;

pub use features::FEATURES;
pub(super) use features::{DISTANCES, GROUPS, KINDS, MoveFeatures, NODES, PIECES};
pub(super) use groups::step;
pub(super) use learned_order::LearnedOrder;
pub use order_features::{ORDER_FEATURES, OrderFeatures, OrderNode};
pub use order_sample::{LastMove, OrderSample, OrderStage};
pub(crate) use sampler::Sampler;
pub use sampler::{MoveSample, SampleOutcome, SearchSample};
pub use weights::{MoveJudgement, MoveWeights};

use super::options::SearchOptions;

/// Least depth of a node whose moves get the learned part of their order.
pub(super) const LEAST_ORDER_DEPTH: i32 = 3;

/// Least depth of a node whose moves are judged.
pub(super) const LEAST_DEPTH: i32 = 3;

/// Least depth of a node whose moves are pruned by a learned margin.
pub(super) const LEAST_PRUNING_DEPTH: i32 = 2;

/// Distance from the usual margin, in centipawns, within which the learned one decides.
pub(super) const NEAR_MARGIN: i32 = 300;

/// Most by which a judge changes a margin, in centipawns.
const MOST_MARGIN: i32 = NEAR_MARGIN;

/// Most by which a judge changes a reduction, in 1/1024 plies.
const MOST_REDUCTION: i32 = 2_048;

/// The judges that the options of a search switch on.
#[derive(Debug, Default)]
pub(crate) struct MoveJudges {
    reductions: Option<MoveJudge>,
    margins: Option<MoveJudge>,
    order: Option<LearnedOrder>,
}

impl MoveJudges {
    pub fn new(options: &SearchOptions) -> Self {
        Self {
            reductions: MoveJudge::new(MoveJudgement::Reductions, options.learned_reduction),
            margins: MoveJudge::new(MoveJudgement::Margins, options.learned_margin),
            order: (options.learned_order != 0).then(|| {
                let weights = MoveWeights::own(MoveJudgement::Ordering);
                LearnedOrder::new(weights, options.learned_order)
            }),
        }
    }

    /// Returns the learned part of the order of moves.
    #[inline(always)]
    pub(super) fn order(&self) -> Option<LearnedOrder> {
        self.order
    }

    /// Tells whether reductions are judged.
    pub fn judges_reductions(&self) -> bool {
        self.reductions.is_some()
    }

    /// Tells whether margins of futility pruning are judged.
    pub fn judges_margins(&self) -> bool {
        self.margins.is_some()
    }

    /// Returns by how much a margin is to be wider, in centipawns.
    #[inline]
    pub(super) fn more_margin(&self, features: &MoveFeatures) -> i32 {
        let value = self.margins.as_ref().map(|judge| judge.value(features));
        (value.unwrap_or(0) * 100 / 1_024).clamp(-MOST_MARGIN, MOST_MARGIN)
    }

    /// Returns by how much less a move is to be reduced, in 1/1024 plies.
    #[inline]
    pub(super) fn less_reduction(&self, features: &MoveFeatures) -> i32 {
        let value = self.reductions.as_ref().map(|judge| judge.value(features));
        value.unwrap_or(0).clamp(-MOST_REDUCTION, MOST_REDUCTION)
    }
}

/// A judge with the weight that an option gives to it.
#[derive(Debug)]
struct MoveJudge {
    weights: &'static MoveWeights,
    percent: i32,
}

impl MoveJudge {
    fn new(judgement: MoveJudgement, percent: i32) -> Option<Self> {
        (percent != 0).then(|| Self {
            weights: MoveWeights::own(judgement),
            percent,
        })
    }

    fn value(&self, features: &MoveFeatures) -> i32 {
        let features = features.iter().map(|&feature| usize::from(feature));
        self.weights.sum(features) * self.percent / 100
    }
}
