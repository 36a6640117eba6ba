//! The minimisation of J.

use super::nodes::{CutNode, OrderedMove};
use crate::{logistic::RegressionSettings, random::SplitMix64};
use monju_engine::search::{ORDER_FEATURES, OrderStage};

/// Score that counts as 1 before the factors are learned.
const SCORE_UNIT: f32 = 1_000.0;

/// Number of stages, each of which has a factor of the score.
const STAGES: usize = 3;

/// Decay of the mean gradient and of its square (Adam).
const DECAYS: (f32, f32) = (0.9, 0.99);

/// A minimisation under way.
pub(super) struct OrderTrainer<'a> {
    settings: RegressionSettings,
    nodes: &'a [CutNode],
    order: Vec<usize>,
    random: SplitMix64,
    /// One weight for each feature, and the factors of the score by stage.
    weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
    epoch: u64,
}

impl<'a> OrderTrainer<'a> {
    /// Begins with today's order.
    pub fn new(settings: RegressionSettings, nodes: &'a [CutNode]) -> Self {
        let mut weights = vec![0.0; ORDER_FEATURES];
        weights.extend([1.0; STAGES]);
        Self {
            settings,
            nodes,
            order: (0..nodes.len()).collect(),
            random: SplitMix64::new(settings.seed, 0),
            mean: vec![0.0; weights.len()],
            square: vec![0.0; weights.len()],
            weights,
            steps: 0,
            epoch: 0,
        }
    }

    /// Passes over all nodes once; returns the mean of J, a number of moves that come too early.
    pub fn pass(&mut self) -> f64 {
        let left = 1.0 - self.epoch as f64 / self.settings.epochs as f64;
        self.epoch += 1;
        self.random.shuffle(&mut self.order);
        let order = std::mem::take(&mut self.order);
        let mut total = 0.0;
        for batch in order.chunks(self.settings.batch) {
            total += self.step(batch, (self.settings.rate * left) as f32);
        }
        let passed = order.len().max(1) as f64;
        self.order = order;
        total / passed
    }

    /// Returns the weights in units of the score. A stage without a positive factor gets none.
    pub fn weights(&self) -> Vec<f32> {
        let (weights, factors) = self.weights.split_at(ORDER_FEATURES);
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

    fn step(&mut self, batch: &[usize], rate: f32) -> f64 {
        let mut gradient = vec![0.0_f32; self.weights.len()];
        // A of the paper: the sum of the sizes of all terms of the gradient.
        let mut size = vec![0.0_f32; self.weights.len()];
        let mut total = 0.0;
        for &index in batch {
            let node = &self.nodes[index];
            let of_cut = self.value(node.stage, &node.cut);
            for other in &node.others {
                let early = sigmoid(self.value(node.stage, other) - of_cut);
                total += f64::from(early);
                let slope = early * (1.0 - early) / batch.len() as f32;
                let mut add = |feature: usize, change: f32| {
                    gradient[feature] += change;
                    size[feature] += change.abs();
                };
                for (ours, theirs) in other.features.into_iter().zip(node.cut.features) {
                    if ours != theirs {
                        add(ours as usize, slope);
                        add(theirs as usize, -slope);
                    }
                }
                let lead = (other.score - node.cut.score) as f32 / SCORE_UNIT;
                gradient[ORDER_FEATURES + node.stage as usize] += slope * lead;
            }
        }
        self.steps += 1;
        let penalty = self.settings.penalty as f32;
        let (first, second) = DECAYS;
        let (of_mean, of_square) = (1.0 - first.powi(self.steps), 1.0 - second.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        let slopes = gradient.into_iter().zip(size);
        for ((weight, (slope, size)), (mean, square)) in
            self.weights.iter_mut().zip(slopes).zip(moments)
        {
            let slope = slope + 2.0 * penalty * size * *weight;
            *mean = first * *mean + (1.0 - first) * slope;
            *square = second * *square + (1.0 - second) * slope * slope;
            *weight -= rate * (*mean / of_mean) / ((*square / of_square).sqrt() + 1e-8);
        }
        total
    }

    /// Returns ξ of a move.
    fn value(&self, stage: OrderStage, of: &OrderedMove) -> f32 {
        let features = of.features.iter();
        let sum: f32 = features
            .map(|&feature| self.weights[feature as usize])
            .sum();
        let factor = self.weights[ORDER_FEATURES + stage as usize];
        sum + factor * of.score as f32 / SCORE_UNIT
    }
}

/// T of the paper, turned so that it rises; the paper's factor 7/256 is a unit of its weights.
fn sigmoid(lead: f32) -> f32 {
    1.0 / (1.0 + (-lead).exp())
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
        let settings = RegressionSettings {
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
