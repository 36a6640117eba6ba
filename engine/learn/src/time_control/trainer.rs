//! The gradient of J, and the steps.

use super::states::State;
use crate::{
    random::SplitMix64,
    setting::{SettingError, check, check_share},
};
use monju_engine::judge::Progress;

/// Settings of the training.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeControlTraining {
    /// Passes over the states.
    pub epochs: u64,
    /// States of a step.
    pub batch: usize,
    /// First length of a step; it falls to 0.
    pub rate: f64,
    /// a: weight of wasted time against wrong moves.
    pub waste: f64,
    /// Weight of the squares of all weights.
    pub penalty: f64,
    /// Mean part of the longest time that searches are to take.
    pub share: f64,
    /// Seed of the order of the states.
    pub seed: u64,
}

impl Default for TimeControlTraining {
    fn default() -> Self {
        Self {
            epochs: 10,
            batch: 4_096,
            rate: 0.02,
            waste: 0.3,
            penalty: 3e-5,
            share: 1.0 / 3.0,
            seed: 1,
        }
    }
}

impl TimeControlTraining {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let is_rate = self.rate > 0.0 && self.rate < 1.0;
        check("rate", self.rate, is_rate, "between 0 and 1")?;
        check("batch", self.batch as f64, self.batch > 0, "positive")?;
        check("penalty", self.penalty, self.penalty >= 0.0, "0 or more")?;
        check_share("waste", self.waste)?;
        let is_share = (0.02..=0.98).contains(&self.share);
        check("share", self.share, is_share, "between 0.02 and 0.98")
    }
}

/// A training under way.
pub(super) struct Trainer<'a> {
    settings: &'a TimeControlTraining,
    states: &'a [State],
    /// Weight of each state in J, 1 on average.
    importance: Vec<f32>,
    order: Vec<usize>,
    random: SplitMix64,
    pub weights: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
    epoch: u64,
}

/// Decay of the mean gradient and of its square (Adam).
const DECAYS: (f32, f32) = (0.9, 0.99);

impl<'a> Trainer<'a> {
    pub fn new(settings: &'a TimeControlTraining, states: &'a [State]) -> Self {
        Self {
            settings,
            states,
            importance: importance(states, settings.waste),
            order: (0..states.len()).collect(),
            random: SplitMix64::new(settings.seed, 0),
            weights: vec![0.0; Progress::COUNT],
            mean: vec![0.0; Progress::COUNT],
            square: vec![0.0; Progress::COUNT],
            steps: 0,
            epoch: 0,
        }
    }

    /// Passes over all states once; returns the mean loss.
    pub fn pass(&mut self) -> f64 {
        let left = 1.0 - self.epoch as f64 / self.settings.epochs as f64;
        self.epoch += 1;
        self.random.shuffle(&mut self.order);
        let order = std::mem::take(&mut self.order);
        let mut loss = 0.0;
        for batch in order.chunks(self.settings.batch) {
            loss += self.step(batch, (self.settings.rate * left) as f32);
        }
        let passed = order.len().max(1) as f64;
        self.order = order;
        loss / passed
    }

    fn step(&mut self, batch: &[usize], rate: f32) -> f64 {
        let mut gradient = vec![0.0_f32; Progress::COUNT];
        let mut loss = 0.0;
        for &index in batch {
            let state = &self.states[index];
            let towards = if state.is_high { 1.0 } else { -1.0 };
            let margin = towards * value(&self.weights, state);
            let importance = self.importance[index];
            loss += f64::from(importance * cross_entropy(margin));
            let slope = importance * towards / (1.0 + margin.exp()) / batch.len() as f32;
            for &feature in &state.features {
                gradient[usize::from(feature)] -= slope;
            }
        }
        self.steps += 1;
        let (first, second) = DECAYS;
        let (of_mean, of_square) = (1.0 - first.powi(self.steps), 1.0 - second.powi(self.steps));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in self.weights.iter_mut().zip(gradient).zip(moments)
        {
            let slope = slope + self.settings.penalty as f32 * *weight;
            *mean = first * *mean + (1.0 - first) * slope;
            *square = second * *square + (1.0 - second) * slope * slope;
            *weight -= rate * (*mean / of_mean) / ((*square / of_square).sqrt() + 1e-8);
        }
        loss
    }
}

/// Returns f.
pub(super) fn value(weights: &[f32], state: &State) -> f32 {
    let features = state.features.iter();
    features.map(|&feature| weights[usize::from(feature)]).sum()
}

/// Returns the mean loss of states.
pub(super) fn loss(weights: &[f32], states: &[State], waste: f64) -> f64 {
    let importance = importance(states, waste);
    let losses = states.iter().zip(importance).map(|(state, importance)| {
        let towards = if state.is_high { 1.0 } else { -1.0 };
        f64::from(importance * cross_entropy(towards * value(weights, state)))
    });
    losses.sum::<f64>() / states.len().max(1) as f64
}

fn cross_entropy(margin: f32) -> f32 {
    (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
}

/// Returns the weight of each state in J, 1 on average.
fn importance(states: &[State], waste: f64) -> Vec<f32> {
    let high = states.iter().filter(|state| state.is_high);
    let (count, wasted) = high.fold((0.0, 0.0), |(count, wasted), state| {
        (count + 1.0, wasted + f64::from(state.next))
    });
    let low = states.len() as f64 - count;
    let all = states.iter().map(|state| match state.is_high {
        true => waste * f64::from(state.next) * count / f64::max(wasted, 1e-9),
        false => (1.0 - waste) * count / low.max(1.0),
    });
    let all: Vec<f64> = all.collect();
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    all.into_iter()
        .map(|one| (one / mean.max(1e-9)) as f32)
        .collect()
}
