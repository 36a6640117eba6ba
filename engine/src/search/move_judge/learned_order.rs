//! The learned part of the order of moves (Shimoyama, section 5).
//!
//! The score by which the picker orders the moves of a stage gets a sum of learned weights of features of the move and
//! of its surroundings.

use super::{
    order_features::OrderNode,
    order_sample::{LastMove, OrderStage},
    weights::MoveWeights,
};
use crate::rules::{Move, Position};

/// The learned part of the order of moves.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct LearnedOrder {
    weights: &'static MoveWeights,
    percent: i32,
}

impl LearnedOrder {
    pub const fn new(weights: &'static MoveWeights, percent: i32) -> Self {
        Self { weights, percent }
    }

    /// Adds the learned part to the scores of the moves of one stage.
    #[inline(never)]
    pub fn add<'a>(
        self,
        position: &Position,
        stage: OrderStage,
        last: Option<LastMove>,
        moves: impl Iterator<Item = (Move, &'a mut i32)>,
    ) {
        let node = OrderNode::new(position, stage, last);
        for (mv, score) in moves {
            let features = node.features(mv, *score);
            *score += self.weights.sum(features.map(|one| one as usize)) * self.percent / 100;
        }
    }
}
