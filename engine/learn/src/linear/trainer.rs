//! The training loop of the linear evaluator.

use super::{
    checkpoint::{self, CheckpointError},
    optimizer::Optimizer,
    parameters::ParameterGroups,
    training::{LinearTraining, TrainingStep},
};
use crate::threads::in_threads;
use monju_engine::eval::{Linear, LinearWeights, linear::Values};
use monju_engine::random::SplitMix64;
use monju_gradient::linear::{LinearGradient, Objective, TrainingSearch};
use monju_records::GameRecord;
use std::sync::Arc;

/// Trains the linear evaluator step by step.
pub struct LinearTrainer {
    settings: LinearTraining,
    games: Vec<GameRecord>,
    /// Game and ply of every position, in the order of this epoch.
    order: Vec<(u32, u16)>,
    epoch: u64,
    optimizer: Optimizer,
    weights: Arc<LinearWeights>,
    history: Vec<TrainingStep>,
}

/// Sums over one thread's share of a minibatch.
struct BatchShare {
    gradient: LinearGradient,
    loss: f64,
    positions: u32,
    agreed: u32,
}

impl LinearTrainer {
    /// Starts from the material evaluator's values, to learn from `games`.
    pub fn new(settings: LinearTraining, games: Vec<GameRecord>) -> Self {
        let groups = ParameterGroups::get();
        let optimizer = Optimizer::new(groups.material());
        let weights = LinearWeights::new(&groups.values(&optimizer.parameters));
        let positions = games.iter().zip(0..).flat_map(|(game, number)| {
            (0..game.moves().len() as u16).map(move |ply| (number, ply))
        });
        let mut trainer = Self {
            order: positions.collect(),
            settings,
            games,
            epoch: 0,
            optimizer,
            weights: Arc::new(weights),
            history: Vec::new(),
        };
        trainer.shuffle();
        trainer
    }

    /// Orders the positions for this epoch; the order depends on the seed and the epoch alone.
    fn shuffle(&mut self) {
        self.order.sort_unstable();
        let mut random = SplitMix64::new(self.settings.seed, self.epoch);
        random.shuffle(&mut self.order);
        if self.settings.window > 0 {
            let mut places = Vec::from_iter(0..self.games.len());
            random.shuffle(&mut places);
            let window = |game: u32| places[game as usize] / self.settings.window;
            self.order.sort_by_key(|&(game, _)| window(game));
        }
    }

    /// Returns true if all steps are finished.
    pub fn is_finished(&self) -> bool {
        self.history.len() as u64 >= self.settings.steps || self.order.is_empty()
    }

    /// Returns the number of positions to learn from.
    pub fn positions(&self) -> usize {
        self.order.len()
    }

    /// Returns the steps so far.
    pub fn history(&self) -> &[TrainingStep] {
        &self.history
    }

    /// Returns false once a parameter is not a number, which the weights, cut to their range, do not show.
    pub fn is_finite(&self) -> bool {
        (self.optimizer.parameters.iter()).all(|parameter| parameter.is_finite())
    }

    /// Returns the current weights as a file.
    pub fn weights(&self) -> Vec<u8> {
        self.values().to_bytes()
    }

    fn values(&self) -> Values {
        ParameterGroups::get().values(&self.optimizer.parameters)
    }

    /// Returns the game and ply of each position in the next minibatch.
    fn batch(&mut self) -> Vec<(u32, u16)> {
        let total = self.order.len();
        let first = self.history.len() * self.settings.batch;
        let numbers = first..first + self.settings.batch;
        let mut batch = Vec::with_capacity(self.settings.batch);
        for number in numbers {
            let epoch = (number / total) as u64;
            if epoch != self.epoch {
                self.epoch = epoch;
                self.shuffle();
            }
            batch.push(self.order[number % total]);
        }
        batch
    }

    /// Learns from the next minibatch; `None` if there are no positions.
    pub fn step(&mut self) -> Option<TrainingStep> {
        if self.order.is_empty() {
            return None;
        }
        let batch = self.batch();
        let threads = self.settings.threads.max(1);
        let objective = self.settings.objective();
        let shares = in_threads(0..threads, |thread| {
            let own = batch.iter().skip(thread).step_by(threads);
            sum_share(
                own.copied(),
                &self.games,
                Arc::clone(&self.weights),
                objective,
            )
        });
        let mut gradient = LinearGradient::new();
        let (mut loss, mut positions, mut agreed) = (0.0, 0, 0);
        for share in &shares {
            gradient.add_all(&share.gradient);
            loss += share.loss;
            positions += share.positions;
            agreed += share.agreed;
        }
        let done = self.history.len() as f32 / self.settings.steps.max(1) as f32;
        let groups = ParameterGroups::get();
        let slopes = groups.fold(&gradient);
        self.optimizer.step(
            &slopes,
            batch.len(),
            self.settings.rate * (1.0 - done).max(0.0),
            self.settings.penalty,
        );
        self.optimizer.rescale(groups);
        let values = self.values();
        match Arc::get_mut(&mut self.weights) {
            Some(weights) => weights.assign(values),
            None => self.weights = Arc::new(LinearWeights::new(&values)),
        }
        let share = |part: f64| (part / f64::from(positions.max(1))) as f32;
        let step = TrainingStep {
            number: self.history.len() as u64 + 1,
            loss: share(loss),
            agreement: share(agreed.into()),
        };
        self.history.push(step);
        Some(step)
    }

    /// Returns the checkpoint from which [`LinearTrainer::resume`] continues.
    pub fn checkpoint(&self) -> Vec<u8> {
        checkpoint::to_bytes(&self.history, &self.optimizer)
    }

    /// Continues from a checkpoint of a training with the same settings and games.
    ///
    /// # Errors
    /// The bytes are no checkpoint.
    pub fn resume(
        settings: LinearTraining,
        games: Vec<GameRecord>,
        bytes: &[u8],
    ) -> Result<Self, CheckpointError> {
        let (history, optimizer) = checkpoint::from_bytes(bytes, ParameterGroups::get().len())?;
        let mut trainer = Self::new(settings, games);
        trainer.optimizer = optimizer;
        trainer.history = history;
        trainer.weights = Arc::new(LinearWeights::new(&trainer.values()));
        Ok(trainer)
    }
}

/// Sums loss and gradient over some positions of games.
fn sum_share(
    positions: impl Iterator<Item = (u32, u16)>,
    games: &[GameRecord],
    weights: Arc<LinearWeights>,
    objective: Objective,
) -> BatchShare {
    let mut search = TrainingSearch::new(Linear::new(weights));
    let mut share = BatchShare {
        gradient: LinearGradient::new(),
        loss: 0.0,
        positions: 0,
        agreed: 0,
    };
    for (game, ply) in positions {
        let Some(game) = games.get(game as usize) else {
            continue;
        };
        let ply = usize::from(ply);
        let Some(&recorded) = game.moves().get(ply) else {
            continue;
        };
        // The paper does not define progress; here it is the share of the game that is over.
        let progress = ply as f32 / game.moves().len() as f32;
        let position = game.position(ply);
        let gradient = &mut share.gradient;
        let compared = objective.compare(&mut search, &position, recorded, progress, gradient);
        if let Some(comparison) = compared {
            share.loss += f64::from(comparison.loss);
            share.positions += 1;
            share.agreed += u32::from(comparison.agreed);
        }
    }
    share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::games;

    #[test]
    fn the_positions_of_a_window_come_before_those_of_the_next() {
        let settings = LinearTraining {
            window: 2,
            ..LinearTraining::default()
        };
        let trainer = LinearTrainer::new(settings, games(6));
        let mut windows = trainer.order.chunks(2 * 40).map(|window| {
            let mut games: Vec<u32> = window.iter().map(|&(game, _)| game).collect();
            let is_mixed = !games.is_sorted();
            games.sort_unstable();
            games.dedup();
            (games.len(), is_mixed)
        });
        assert!(
            windows.all(|found| found == (2, true)),
            "{:?}",
            trainer.order
        );
    }
}
