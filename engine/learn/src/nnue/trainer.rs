//! The training loop: epochs of shuffled minibatches, and checkpoints.

use super::{
    examples::NetworkSet,
    quantise::{limits, quantise, restore},
    training::NetworkTraining,
};
use crate::{dataset::ExampleSet, setting::SettingError, threads::in_threads};
use monju_engine::random::SplitMix64;
use monju_engine::{
    eval::{Architecture, Network},
    fnv1a,
};
use monju_gradient::nnue::{
    Adam, Descent, FloatWeights, NetworkExample, NetworkGradient, TrainingTarget, add_gradient,
    total_loss,
};
use std::thread;

/// Error of starting or resuming a training.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainerError {
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The architecture is not trained.
    #[error("cannot train networks of architecture {0}, only k-p and k-p-pairs")]
    Architecture(Architecture),
    /// The initial network has another architecture.
    #[error("a network of architecture {given} cannot initialise one of architecture {expected}")]
    Start {
        /// Architecture of the initial network.
        given: Architecture,
        /// Architecture of the training.
        expected: Architecture,
    },
    /// The bytes are no checkpoint.
    #[error("the checkpoint is damaged or of another version: {given} bytes, expected {expected}")]
    Checkpoint {
        /// Number of bytes.
        given: usize,
        /// Number of bytes of a checkpoint.
        expected: usize,
    },
    /// The checksum does not match.
    #[error(
        "the checkpoint is damaged: its checksum does not match; remove it, or name another --output"
    )]
    Damaged,
}

/// The version grows whenever the same data and options give another network, since a training must not
/// continue under other rules.
const MAGIC: &[u8; 16] = b"monju training 3";

/// A network in training.
#[derive(Clone, Debug)]
pub struct NetworkTrainer {
    settings: NetworkTraining,
    weights: FloatWeights,
    adam: Adam,
    epochs_done: u64,
}

impl NetworkTrainer {
    /// Starts from random weights, or from those of `start`.
    ///
    /// # Errors
    /// A setting is out of range, or `start` has another architecture.
    pub fn new(settings: NetworkTraining, start: Option<&Network>) -> Result<Self, TrainerError> {
        settings.check()?;
        let (architecture, scale) = (settings.architecture, settings.scale);
        let weights = match start.map(Network::parts) {
            _ if architecture == Architecture::HalfKP => None,
            None => {
                let mut random = SplitMix64::new(settings.seed, 0);
                Some(FloatWeights::random(architecture, &mut || random.next()))
            }
            Some(parts) if parts.architecture != architecture => {
                return Err(TrainerError::Start {
                    given: parts.architecture,
                    expected: architecture,
                });
            }
            Some(parts) => restore(&parts, scale as f32),
        };
        let weights = weights.ok_or(TrainerError::Architecture(architecture))?;
        Ok(Self {
            settings,
            weights,
            adam: Adam::new(architecture),
            epochs_done: 0,
        })
    }

    /// Returns the number of finished epochs.
    pub fn epochs_done(&self) -> u64 {
        self.epochs_done
    }

    /// Returns the quantised network.
    pub fn network(&self) -> Network {
        Network::from_parts(&quantise(&self.weights, self.settings.scale as f32))
    }

    fn target(&self) -> TrainingTarget {
        TrainingTarget {
            lambda: self.settings.lambda as f32,
            scale: self.settings.scale as f32,
        }
    }

    /// Returns the mean loss on some positions: cross-entropy minus the entropy of the target.
    pub fn loss(&self, set: &NetworkSet) -> f64 {
        let share = set.len().div_ceil(self.settings.threads).max(1);
        let (weights, target) = (&self.weights, self.target());
        let parts = in_threads(set.examples.chunks(share), |examples| {
            total_loss(weights, examples, target)
        });
        parts.iter().sum::<f64>() / set.len().max(1) as f64
    }

    /// Trains on every position once, mirrored or not, in an order of its own, and returns the mean loss
    /// during the epoch. `progress` receives the number of positions so far and their mean loss.
    pub fn epoch(&mut self, set: &NetworkSet, progress: &mut dyn FnMut(usize, f64)) -> f64 {
        let threads = self.settings.threads;
        let mut random = SplitMix64::new(self.settings.seed, 1 + self.epochs_done);
        let mirror = |index| (index, random.next() & 1 == 1);
        let mut order: Vec<(u32, bool)> = (0..set.len() as u32).map(mirror).collect();
        random.shuffle(&mut order);
        let batches = set.len().div_ceil(self.settings.batch) as u64;
        let all_batches = (batches * self.settings.epochs).max(1) as f64;
        let mut gradients = vec![NetworkGradient::zero(self.settings.architecture); threads];
        let (mut done, mut loss) = (0, 0.0);
        for (number, batch) in order.chunks(self.settings.batch).enumerate() {
            let passed = (self.epochs_done * batches + number as u64) as f64 / all_batches;
            let fall = 0.5 + 0.5 * libm::cos(passed.min(1.0) * std::f64::consts::PI);
            let rate = self.settings.rate * (0.01 + 0.99 * fall);
            self.step(&set.examples, batch, &mut gradients, rate as f32);
            done += batch.len();
            loss += gradients[0].loss;
            if !loss.is_finite() {
                // The weights cannot recover.
                break;
            }
            progress(done, loss / done as f64);
        }
        self.epochs_done += 1;
        loss / done.max(1) as f64
    }

    /// Makes one step down the mean gradient of a minibatch, and leaves their sum in `gradients[0]`.
    fn step(
        &mut self,
        examples: &[NetworkExample],
        batch: &[(u32, bool)],
        gradients: &mut [NetworkGradient],
        rate: f32,
    ) {
        let share = batch.len().div_ceil(gradients.len());
        let (weights, target) = (&self.weights, self.target());
        thread::scope(|scope| {
            for (part, gradient) in batch.chunks(share).zip(&mut *gradients) {
                scope.spawn(move || {
                    gradient.clear();
                    add_gradient(gradient, weights, examples, part, target);
                });
            }
        });
        if let Some((sum, others)) = gradients.split_first_mut() {
            for other in &others[..batch.chunks(share).len() - 1] {
                sum.add(other);
            }
            let descent = Descent {
                adam: &mut self.adam,
                weights: &mut self.weights,
                gradient: sum,
                count: batch.len(),
                rate,
                limits: limits(self.settings.architecture, self.settings.scale as f32),
            };
            descent.step();
        }
    }

    /// Returns the checkpoint from which [`NetworkTrainer::resume`] continues.
    pub fn checkpoint(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.epochs_done.to_le_bytes());
        bytes.extend(self.adam.steps.to_le_bytes());
        for part in [&self.weights, &self.adam.first, &self.adam.second] {
            bytes.extend(part.all().flat_map(|weight| weight.to_le_bytes()));
        }
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Continues from a checkpoint of a training with the same settings.
    ///
    /// # Errors
    /// A setting is out of range, or the bytes are no checkpoint.
    pub fn resume(settings: NetworkTraining, bytes: &[u8]) -> Result<Self, TrainerError> {
        let mut trainer = Self::new(settings, None)?;
        let expected = MAGIC.len() + 16 + 12 * trainer.weights.all().count() + 8;
        let other = TrainerError::Checkpoint {
            given: bytes.len(),
            expected,
        };
        if bytes.len() != expected || !bytes.starts_with(MAGIC) {
            return Err(other);
        }
        let (content, hash) = bytes.split_at(expected - 8);
        if fnv1a(content).to_le_bytes() != hash {
            return Err(TrainerError::Damaged);
        }
        let (numbers, rest) = content[MAGIC.len()..].split_at(16);
        let (numbers, _) = numbers.as_chunks();
        trainer.epochs_done = u64::from_le_bytes(numbers[0]);
        trainer.adam.steps = u64::from_le_bytes(numbers[1]);
        let mut stored = rest.as_chunks().0.iter();
        let NetworkTrainer { weights, adam, .. } = &mut trainer;
        for part in [weights, &mut adam.first, &mut adam.second] {
            for (weight, &bytes) in part.all_mut().zip(&mut stored) {
                *weight = f32::from_le_bytes(bytes);
            }
        }
        Ok(trainer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::TrainingExample;
    use monju_engine::{
        eval::{Evaluator, Nnue},
        rules::{Game, Position},
    };
    use monju_gradient::nnue::output;
    use std::sync::Arc;

    /// Positions of random games, scored by the pieces in hand.
    fn set(games: u64) -> (NetworkSet, Vec<Position>) {
        let (mut set, mut positions) = (NetworkSet::default(), Vec::new());
        for number in 0..games {
            let mut random = SplitMix64::new(9, number);
            let mut game = Game::startpos();
            for ply in 0..80 {
                let legal = game.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let mv = legal[random.below(legal.len())];
                let position = game.position();
                let us = position.side_to_move();
                let pieces = |color| {
                    let kinds = monju_engine::rules::PieceKind::HAND.iter();
                    kinds
                        .map(|&kind| position.hand(color).count(kind) as i16)
                        .sum::<i16>()
                };
                let example = TrainingExample {
                    position: position.to_packed().unwrap(),
                    score: 300 * (pieces(us) - pieces(!us)),
                    best_move: mv,
                    ply,
                    result: 0,
                    is_last: false,
                };
                if set.add(&example).unwrap() {
                    positions.push(position.clone());
                }
                game.play(mv).unwrap();
            }
        }
        (set, positions)
    }

    fn settings(architecture: Architecture) -> NetworkTraining {
        NetworkTraining {
            architecture,
            epochs: 6,
            batch: 64,
            lambda: 1.0,
            scale: 600.0,
            ..NetworkTraining::default()
        }
    }

    #[test]
    fn training_reduces_the_loss_and_quantisation_keeps_the_result() {
        let (set, positions) = set(25);
        for architecture in [Architecture::KP, Architecture::KPPairs] {
            train_and_quantise(architecture, &set, &positions);
        }
    }

    fn train_and_quantise(architecture: Architecture, set: &NetworkSet, positions: &[Position]) {
        let mut trainer = NetworkTrainer::new(settings(architecture), None).unwrap();
        let before = trainer.loss(set);
        for _ in 0..6 {
            trainer.epoch(set, &mut |_, _| ());
        }
        let after = trainer.loss(set);
        assert!(
            after < before / 4.0,
            "{architecture}: loss {before} before, {after} after"
        );

        let network = Network::from_bytes(&trainer.network().to_bytes()).unwrap();
        // The weights that the integers represent; any further difference is lost in every evaluation.
        let scale = trainer.settings.scale;
        let exact = restore(&network.parts(), scale as f32).expect("a network that learns");
        let mut evaluator = Nnue::new(Arc::new(network));
        let (mut wrong, mut shift, mut spread) = (0.0, 0.0, 0.0);
        for (position, example) in positions.iter().zip(&set.examples) {
            evaluator.reset(position);
            let value = f64::from(evaluator.evaluate(position));
            wrong += (value - f64::from(example.score)).abs();
            let lost = value - f64::from(output(&exact, example)) * scale;
            shift += lost;
            spread += lost.powi(2);
        }
        let count = positions.len() as f64;
        let (wrong, shift, spread) = (wrong / count, shift / count, (spread / count).sqrt());
        assert!(
            wrong < 100.0,
            "{architecture}: off by {wrong} centipawns on average"
        );
        // Products are truncated before they are weighted, which no bias can correct.
        let allowed = match architecture.is_paired() {
            true => 5.0,
            false => 2.0,
        };
        assert!(
            shift.abs() < allowed && spread < allowed,
            "{architecture}: as integers {shift} centipawns off, give or take {spread}"
        );
    }

    #[test]
    fn a_resumed_training_equals_an_uninterrupted_one() {
        let (set, _) = set(3);
        let mut whole = NetworkTrainer::new(settings(Architecture::KPPairs), None).unwrap();
        whole.epoch(&set, &mut |_, _| ());
        let bytes = whole.checkpoint();
        whole.epoch(&set, &mut |_, _| ());
        let mut resumed = NetworkTrainer::resume(settings(Architecture::KPPairs), &bytes).unwrap();
        assert_eq!(resumed.epochs_done(), 1);
        resumed.epoch(&set, &mut |_, _| ());
        assert_eq!(resumed.checkpoint(), whole.checkpoint());
        assert!(NetworkTrainer::resume(settings(Architecture::KP), &bytes).is_err());
        for place in [16, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x40;
            let resumed = NetworkTrainer::resume(settings(Architecture::KPPairs), &damaged);
            assert_eq!(resumed.err(), Some(TrainerError::Damaged), "byte {place}");
        }
    }

    #[test]
    fn invalid_settings_and_initial_networks_are_refused() {
        let settings = NetworkTraining {
            lambda: 1.5,
            ..settings(Architecture::KP)
        };
        let error = |settings, start| {
            let trainer = NetworkTrainer::new(settings, start);
            trainer.unwrap_err().to_string()
        };
        assert_eq!(
            error(settings, None),
            "lambda must be between 0 and 1, not 1.5"
        );
        assert_eq!(
            error(self::settings(Architecture::HalfKP), None),
            "cannot train networks of architecture half-k-p, only k-p and k-p-pairs"
        );
        assert_eq!(
            error(
                self::settings(Architecture::KPPairs),
                Some(&Network::sample(Architecture::KP))
            ),
            "a network of architecture k-p cannot initialise one of architecture k-p-pairs"
        );
    }
}
