//! The measure of an order: where it places the moves that cut.

use super::nodes::{CutNode, OrderedMove};
use monju_engine::search::{MoveWeights, OrderStage};
use std::cmp::Ordering;

/// The places that two orders give the moves that cut nodes in one stage, before and after learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageOrder {
    /// The stage.
    pub stage: OrderStage,
    /// Number of nodes.
    pub nodes: usize,
    /// Share of them in which the move that cut comes first.
    pub first: [f64; 2],
    /// Its mean place, from 1.
    pub place: [f64; 2],
}

/// Returns the measure of a stage on nodes that are held out.
pub(super) fn measure(nodes: &[CutNode], stage: OrderStage, weights: &MoveWeights) -> StageOrder {
    let of_stage: Vec<&CutNode> = nodes.iter().filter(|node| node.stage == stage).collect();
    let before = |of: &OrderedMove| of.score;
    let after = |of: &OrderedMove| {
        of.score + weights.sum(of.features.into_iter().map(|feature| feature as usize))
    };
    let [before, after] = [placement(&of_stage, before), placement(&of_stage, after)];
    StageOrder {
        stage,
        nodes: of_stage.len(),
        first: [before.0, after.0],
        place: [before.1, after.1],
    }
}

/// Returns the share of nodes in which the move that cut comes first, and its mean place, from 1. Equal moves are in
/// any order.
fn placement(nodes: &[&CutNode], score: impl Fn(&OrderedMove) -> i32) -> (f64, f64) {
    let (mut first, mut place) = (0.0, 0.0);
    for node in nodes {
        let of_cut = score(&node.cut);
        let (mut better, mut equal) = (0, 0);
        for other in &node.others {
            match score(other).cmp(&of_cut) {
                Ordering::Greater => better += 1,
                Ordering::Equal => equal += 1,
                Ordering::Less => {}
            }
        }
        if better == 0 {
            first += 1.0 / (1.0 + f64::from(equal));
        }
        place += 1.0 + f64::from(better) + f64::from(equal) / 2.0;
    }
    let count = nodes.len().max(1) as f64;
    (first / count, place / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_moves_share_their_places() {
        let of = |score| OrderedMove {
            score,
            features: [0; 18],
        };
        let node = |cut, others: &[i32]| CutNode {
            stage: OrderStage::Quiet,
            cut: of(cut),
            others: others.iter().map(|&score| of(score)).collect(),
        };
        let nodes = [node(9, &[1, 2]), node(5, &[5, 1]), node(1, &[3, 1, 0])];
        let nodes: Vec<&CutNode> = nodes.iter().collect();
        let (first, place) = placement(&nodes, |of| of.score);
        assert_eq!(first, (1.0 + 0.5) / 3.0);
        assert_eq!(place, (1.0 + 1.5 + 2.5) / 3.0);
    }
}
