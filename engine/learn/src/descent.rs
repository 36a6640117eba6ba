//! Descent in minibatches by the steps of Adam on one list of weights.

use crate::setting::{SettingError, check};
use monju_engine::random::SplitMix64;
use monju_gradient::adam::AdamNumbers;

/// Greatest weight of the squares; all weights are gone long before.
const GREATEST_PENALTY: f64 = 1e3;

/// Settings of a descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentSettings {
    /// Passes over the examples.
    pub epochs: u64,
    /// Examples of a step.
    pub batch: usize,
    /// First length of a step; it falls by an equal share from epoch to epoch, to one share in the last.
    pub rate: f64,
    /// Weight of the squares of all weights; in a logistic regression, of half the squares.
    pub penalty: f64,
    /// Seed of the order of the examples.
    pub seed: u64,
}

impl Default for DescentSettings {
    fn default() -> Self {
        Self {
            epochs: 8,
            batch: 4_096,
            rate: 0.02,
            penalty: 3e-5,
            seed: 1,
        }
    }
}

impl DescentSettings {
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        let is_rate = self.rate > 0.0 && self.rate < 1.0;
        check("rate", self.rate, is_rate, "between 0 and 1")?;
        check("batch", self.batch as f64, self.batch > 0, "positive")?;
        let is_penalty = (0.0..=GREATEST_PENALTY).contains(&self.penalty);
        check("penalty", self.penalty, is_penalty, "between 0 and 1000")
    }
}

/// The squares are forgotten sooner than usual: there are few steps.
const NUMBERS: AdamNumbers = AdamNumbers {
    second: 0.99,
    ..AdamNumbers::USUAL
};

/// A descent under way.
pub(crate) struct MinibatchDescent {
    settings: DescentSettings,
    order: Vec<usize>,
    random: SplitMix64,
    pub weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: u64,
    epoch: u64,
}

impl MinibatchDescent {
    /// Begins a descent over so many examples.
    pub fn new(settings: DescentSettings, examples: usize, weights: Vec<f32>) -> Self {
        Self {
            settings,
            order: (0..examples).collect(),
            random: SplitMix64::new(settings.seed, 0),
            mean: vec![0.0; weights.len()],
            square: vec![0.0; weights.len()],
            weights,
            steps: 0,
            epoch: 0,
        }
    }

    /// Passes over all examples once; returns the mean loss. `gradient` returns the loss of a minibatch, and the
    /// slope of each weight.
    pub fn pass(&mut self, gradient: impl Fn(&[f32], &[usize]) -> (f64, Vec<f32>)) -> f64 {
        let left = 1.0 - self.epoch as f64 / self.settings.epochs as f64;
        self.epoch += 1;
        self.random.shuffle(&mut self.order);
        let order = std::mem::take(&mut self.order);
        let mut total = 0.0;
        for batch in order.chunks(self.settings.batch) {
            let (loss, slopes) = gradient(&self.weights, batch);
            total += loss;
            self.step(&slopes, (self.settings.rate * left) as f32);
        }
        let passed = order.len().max(1) as f64;
        self.order = order;
        total / passed
    }

    fn step(&mut self, slopes: &[f32], rate: f32) {
        self.steps += 1;
        let step = NUMBERS.step(self.steps, rate);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in self.weights.iter_mut().zip(slopes).zip(moments) {
            *weight -= step.change(*slope, mean, square);
        }
    }
}
