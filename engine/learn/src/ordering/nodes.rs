//! Nodes that a move has cut, with the features of their moves.

use crate::searches::LoggedGame;
use monju_engine::search::{OrderFeatures, OrderNode, OrderSample, OrderStage, SearchSample};

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedMove {
    /// The score by which today's order places it.
    pub score: i32,
    pub features: OrderFeatures,
}

/// A node that a move has cut.
#[derive(Clone, Debug)]
pub(super) struct CutNode {
    pub stage: OrderStage,
    /// The move that cut.
    pub cut: OrderedMove,
    /// The other moves of the stage.
    pub others: Box<[OrderedMove]>,
}

/// Returns the nodes of a game in which several moves could be ordered.
pub(super) fn nodes_of(game: LoggedGame) -> impl Iterator<Item = CutNode> {
    let searches = game.searches.into_iter();
    let samples = searches.flat_map(|search| search.samples);
    samples.filter_map(|sample| match sample {
        SearchSample::Order(sample) => node_of(&sample),
        SearchSample::Late(_) => None,
    })
}

fn node_of(sample: &OrderSample) -> Option<CutNode> {
    let node = OrderNode::new(&sample.position, sample.stage, sample.last);
    let mut moves = (sample.moves.iter()).map(|&(mv, score)| OrderedMove {
        score,
        features: node.features(mv, score),
    });
    let cut = moves.next()?;
    let others: Box<[OrderedMove]> = moves.collect();
    (!others.is_empty()).then_some(CutNode {
        stage: sample.stage,
        cut,
        others,
    })
}
