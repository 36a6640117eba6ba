//! The Bonanza method: the evaluator `linear` learns to prefer the moves of recorded games.
//!
//! Each move of a game is compared with every other legal one, and with a pass (paper 003,
//! section 3): all are searched, and the evaluations of the positions in which their principal
//! variations end are moved so that the recorded move comes out on top. See [`Settings`] for what
//! is taken from the paper, and what is not.

mod checkpoint;
mod measure;
mod objective;
mod optimizer;
mod parameters;
mod search;

pub use checkpoint::CheckpointError;
pub use measure::{MatchRate, measure};

use super::{random::Random, records::Record};
use monju_engine::eval::{Linear, LinearWeights, linear::Values};
use objective::Objective;
use optimizer::Optimizer;
use parameters::{Gradient, Groups};
use search::Study;
use std::{sync::Arc, thread};

/// How the evaluator learns.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which positions come when: all of them once, then all again in another order. (Paper 003 takes
    /// 12,000 of some 40,000 games, and later the next.)
    pub seed: u64,
    /// Steps altogether; the rate of learning falls from step to step and ends at 0.
    pub steps: u64,
    /// Positions in a step.
    pub batch: usize,
    /// Plies of the training search before its quiescence. Paper 003 has 4 or 5, the first Bonanza had 1.
    pub depth: u32,
    /// How far a value moves in the first steps, in centipawns.
    pub rate: f32,
    /// The width of T(x) in centipawns: T(x) = log(1 + exp(-(x + 256 × progress) / width)), where x
    /// is by how much the recorded move is better. Paper 003 has no width, which is 1.
    pub width: f32,
    /// The tolerance that T(x) grants at the end of a game, in centipawns; paper 003 has 256.
    pub tolerance: f32,
    /// Threads; sums depend on their number, in the last digits.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            steps: 1500,
            batch: 512,
            depth: 1,
            rate: 0.5,
            width: 60.0,
            tolerance: 256.0,
            threads: 2,
        }
    }
}

/// What one step has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its number, from 1.
    pub number: u64,
    /// The objective per position.
    pub loss: f32,
    /// The share of positions in which no other move has a better value than the recorded one.
    pub agreement: f32,
}

/// Learns step by step.
pub struct Trainer {
    settings: Settings,
    games: Vec<Record>,
    /// Game and ply of every position, in the order of this round through all of them.
    order: Vec<(u32, u16)>,
    round: u64,
    optimizer: Optimizer,
    weights: Arc<LinearWeights>,
    history: Vec<Step>,
}

/// What one thread found out about its share of a step.
struct Share {
    gradient: Gradient,
    loss: f64,
    positions: u32,
    agreed: u32,
}

impl Trainer {
    /// Starts from the material evaluator's values. `games` is what it learns from.
    pub fn new(settings: Settings, games: Vec<Record>) -> Self {
        let groups = Groups::get();
        let optimizer = Optimizer::new(groups.material());
        let weights = LinearWeights::new(&groups.values(&optimizer.parameters));
        let positions = games.iter().zip(0..).flat_map(|(game, number)| {
            (0..game.moves().len() as u16).map(move |ply| (number, ply))
        });
        let mut trainer = Self {
            order: positions.collect(),
            settings,
            games,
            round: 0,
            optimizer,
            weights: Arc::new(weights),
            history: Vec::new(),
        };
        trainer.shuffle();
        trainer
    }

    /// Every round through all positions has an order of its own, which the seed decides.
    fn shuffle(&mut self) {
        self.order.sort_unstable();
        let mut random = Random::new(self.settings.seed, self.round);
        for last in (1..self.order.len()).rev() {
            self.order.swap(last, random.below(last + 1));
        }
    }

    /// Whether all steps are done.
    pub fn is_finished(&self) -> bool {
        self.history.len() as u64 >= self.settings.steps || self.order.is_empty()
    }

    /// How it learns.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Positions to learn from.
    pub fn positions(&self) -> usize {
        self.order.len()
    }

    /// The steps so far.
    pub fn history(&self) -> &[Step] {
        &self.history
    }

    /// The file of the weights as they are now.
    pub fn weights(&self) -> Vec<u8> {
        self.values().to_bytes()
    }

    fn values(&self) -> Values {
        Groups::get().values(&self.optimizer.parameters)
    }

    /// The positions of a step, by the number of positions before it.
    fn batch(&mut self) -> Vec<(u32, u16)> {
        let total = self.order.len();
        let first = self.history.len() * self.settings.batch;
        let numbers = first..first + self.settings.batch;
        let mut batch = Vec::with_capacity(self.settings.batch);
        for number in numbers {
            let round = (number / total) as u64;
            if round != self.round {
                self.round = round;
                self.shuffle();
            }
            batch.push(self.order[number % total]);
        }
        batch
    }

    /// Learns from the next positions. Does nothing when there are none.
    pub fn step(&mut self) -> Option<Step> {
        if self.order.is_empty() {
            return None;
        }
        let batch = self.batch();
        let threads = self.settings.threads.max(1);
        let objective = Objective::new(&self.settings);
        let shares: Vec<Share> = thread::scope(|scope| {
            let helpers: Vec<_> = (0..threads)
                .map(|thread| {
                    let (batch, games) = (&batch, &self.games);
                    let weights = Arc::clone(&self.weights);
                    scope.spawn(move || {
                        let own = batch.iter().skip(thread).step_by(threads);
                        study(own.copied(), games, weights, objective)
                    })
                })
                .collect();
            let join = |helper: thread::ScopedJoinHandle<'_, Share>| helper.join();
            helpers
                .into_iter()
                .map(|helper| join(helper).unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut gradient = Gradient::new();
        let (mut loss, mut positions, mut agreed) = (0.0, 0, 0);
        for share in &shares {
            gradient.add_all(&share.gradient);
            loss += share.loss;
            positions += share.positions;
            agreed += share.agreed;
        }
        let done = self.history.len() as f32 / self.settings.steps.max(1) as f32;
        let groups = Groups::get();
        let slopes = groups.fold(&gradient);
        self.optimizer.step(
            &slopes,
            batch.len(),
            self.settings.rate * (1.0 - done).max(0.0),
        );
        self.optimizer.rescale(groups);
        let values = self.values();
        match Arc::get_mut(&mut self.weights) {
            Some(weights) => weights.assign(values),
            None => self.weights = Arc::new(LinearWeights::new(&values)),
        }
        let share = |part: f64| (part / f64::from(positions.max(1))) as f32;
        let step = Step {
            number: self.history.len() as u64 + 1,
            loss: share(loss),
            agreement: share(agreed.into()),
        };
        self.history.push(step);
        Some(step)
    }
}

/// Studies positions of games: the slopes of the objective there.
fn study(
    positions: impl Iterator<Item = (u32, u16)>,
    games: &[Record],
    weights: Arc<LinearWeights>,
    objective: Objective,
) -> Share {
    let mut study = Study::new(Linear::new(weights));
    let mut share = Share {
        gradient: Gradient::new(),
        loss: 0.0,
        positions: 0,
        agreed: 0,
    };
    for (game, ply) in positions {
        let Some(game) = games.get(game as usize) else {
            continue;
        };
        if let Some(lesson) = objective.lesson(&mut study, game, ply.into(), &mut share.gradient) {
            share.loss += f64::from(lesson.loss);
            share.positions += 1;
            share.agreed += u32::from(lesson.agreed);
        }
    }
    share
}

#[cfg(test)]
mod tests;
