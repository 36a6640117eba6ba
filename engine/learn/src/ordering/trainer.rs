//! The minimisation of J.

use super::nodes::{CutNode, OrderedMove};
use crate::descent::{DescentSettings, MinibatchDescent};
use monju_engine::search::{ORDER_FEATURES, OrderStage};

/// Score that counts as 1 before the factors are learned.
const SCORE_UNIT: f32 = 1_000.0;

/// Number of stages, each of which has a factor of the score.
const STAGES: usize = 3;

/// A minimisation under way.
pub(super) struct OrderTrainer<'a> {
    penalty: f32,
    nodes: &'a [CutNode],
    /// Its weights are one for each feature, and the factors of the score by stage.
    descent: MinibatchDescent,
}

impl<'a> OrderTrainer<'a> {
    /// Begins with today's order.
    pub fn new(settings: DescentSettings, nodes: &'a [CutNode]) -> Self {
        let mut weights = vec![0.0; ORDER_FEATURES];
        weights.extend([1.0; STAGES]);
        Self {
            penalty: settings.penalty as f32,
            nodes,
            descent: MinibatchDescent::new(settings, nodes.len(), weights),
        }
    }

    /// Passes over all nodes once; returns the mean of J, a number of moves that come too early.
    pub fn pass(&mut self) -> f64 {
        let Self {
            penalty,
            nodes,
            descent,
        } = self;
        descent.pass(|weights, batch| {
            gradient(weights, batch.iter().map(|&index| &nodes[index]), *penalty)
        })
    }

    /// Returns the weights in units of the score. A stage without a positive factor gets none.
    pub fn weights(&self) -> Vec<f32> {
        let (weights, factors) = self.descent.weights.split_at(ORDER_FEATURES);
        let by_stage = weights.chunks(ORDER_FEATURES / STAGES).zip(factors);
        by_stage
            .flat_map(|(weights, &factor)| {
                let unit = match factor > 0.0 {
                    true => SCORE_UNIT / factor,
                    false => 0.0,
                };
                weights.iter().map(move |weight| weight * unit)
            })
            .collect()
    }
}

/// Returns J of some nodes, and its mean slope with the penalty.
fn gradient<'a>(
    weights: &[f32],
    nodes: impl ExactSizeIterator<Item = &'a CutNode>,
    penalty: f32,
) -> (f64, Vec<f32>) {
    let mut slopes: Vec<f32> = vec![0.0; weights.len()];
    // A of the paper: the sum of the sizes of all terms of the gradient.
    let mut sizes: Vec<f32> = vec![0.0; weights.len()];
    let mut total = 0.0;
    let count = nodes.len() as f32;
    for node in nodes {
        let of_cut = value(weights, node.stage, &node.cut);
        for other in &node.others {
            let early = sigmoid(value(weights, node.stage, other) - of_cut);
            total += f64::from(early);
            let slope = early * (1.0 - early) / count;
            let mut add = |feature: u32, change: f32| {
                slopes[feature as usize] += change;
                sizes[feature as usize] += change.abs();
            };
            for (ours, theirs) in other.features.into_iter().zip(node.cut.features) {
                if ours != theirs {
                    add(ours, slope);
                    add(theirs, -slope);
                }
            }
            let lead = (other.score - node.cut.score) as f32 / SCORE_UNIT;
            slopes[ORDER_FEATURES + node.stage as usize] += slope * lead;
        }
    }
    for ((slope, size), weight) in slopes.iter_mut().zip(sizes).zip(weights) {
        *slope += 2.0 * penalty * size * weight;
    }
    (total, slopes)
}

/// Returns ξ of a move.
fn value(weights: &[f32], stage: OrderStage, of: &OrderedMove) -> f32 {
    let features = of.features.iter();
    let sum: f32 = features.map(|&feature| weights[feature as usize]).sum();
    let factor = weights[ORDER_FEATURES + stage as usize];
    sum + factor * of.score as f32 / SCORE_UNIT
}

/// T of the paper (section 5), whose factor 7/256 is a unit of its weights.
fn sigmoid(lead: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-lead))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a node of two moves whose features are `cut` and `other`, eighteen times.
    fn node(cut: u32, other: u32, scores: [i32; 2]) -> CutNode {
        let [of_cut, of_other] = scores;
        let of = |feature, score| OrderedMove {
            score,
            features: [feature; 18],
        };
        CutNode {
            stage: OrderStage::Noisy,
            cut: of(cut, of_cut),
            others: Box::new([of(other, of_other)]),
        }
    }

    #[test]
    fn what_cuts_against_the_score_gets_weight() {
        // Moves with feature 1 cut although the score prefers those with feature 2; others follow the score.
        let nodes: Vec<CutNode> = (0..400)
            .map(|index| match index % 2 {
                0 => node(1, 2, [0, 300]),
                _ => node(3, 3, [200, 0]),
            })
            .collect();
        let settings = DescentSettings {
            epochs: 30,
            batch: 20,
            rate: 0.05,
            penalty: 0.0,
            seed: 1,
        };
        let mut trainer = OrderTrainer::new(settings, &nodes);
        let means: Vec<f64> = (0..30).map(|_| trainer.pass()).collect();
        assert!(means[29] < means[0] / 2.0, "{means:?}");
        let weights = trainer.weights();
        let lead = 18.0 * (weights[1] - weights[2]);
        assert!(lead > 300.0, "{lead}");
        assert_eq!(weights[3], 0.0);
    }
}
