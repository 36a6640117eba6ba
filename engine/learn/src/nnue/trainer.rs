//! The course of a training: epochs of shuffled batches, and where to go on later.

use super::{
    adam::{Adam, Descent},
    examples::{Example, TrainingSet},
    gradient::{Backward, Gradient, Loss, Target},
    quantise::{Limits, quantise, restore},
    weights::Weights,
};
use crate::{
    random::Random,
    setting::{SettingError, check, check_common},
};
use monju_engine::eval::{Architecture, Network, fnv1a, nnue::vectorised};
use std::thread;

/// How a network is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkTraining {
    /// What the network is made of; not HalfKP.
    pub architecture: Architecture,
    /// Of the first weights, and of the order of the positions.
    pub seed: u64,
    /// How often every position is seen.
    pub epochs: u64,
    /// Positions of one step.
    pub batch: usize,
    /// Length of the first steps; it falls to a hundredth along half a cosine.
    pub rate: f64,
    /// Share of the score in what is learned; the rest is the game's result.
    pub lambda: f64,
    /// How much of each score is taken from what follows in its game; see
    /// [`look_ahead`](crate::look_ahead).
    pub trace_decay: f64,
    /// How much of each score is taken from networks that teach; see
    /// [`TrainingSet::ask`](crate::TrainingSet::ask).
    pub teacher_share: f64,
    /// Centipawns of one unit of the logit: what a score says about the result. With a score of as
    /// many, 73 % of the games are won.
    pub scale: f64,
    /// Threads that share a batch. With another number sums are rounded otherwise.
    pub threads: usize,
}

impl Default for NetworkTraining {
    fn default() -> Self {
        Self {
            architecture: Architecture::KP,
            seed: 1,
            epochs: 12,
            batch: 8192,
            rate: 0.001,
            lambda: 0.7,
            trace_decay: 0.0,
            teacher_share: 0.5,
            scale: 650.0,
            threads: 2,
        }
    }
}

/// Why there is no training.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainerError {
    /// A setting that makes no sense.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A kind of network that is not trained.
    #[error("networks of architecture {0} are not trained, only k-p and k-p-pairs")]
    Architecture(Architecture),
    /// A network that cannot be asked.
    #[error("a network of architecture {0} cannot teach, only k-p and k-p-pairs")]
    Teacher(Architecture),
    /// A network of another kind to start from.
    #[error("a network of architecture {given} cannot begin the training of one of {expected}")]
    Start {
        /// What it is.
        given: Architecture,
        /// What it should be.
        expected: Architecture,
    },
    /// The bytes are no checkpoint.
    #[error("checkpoint is damaged or of another version: {given} bytes, expected {expected}")]
    Checkpoint {
        /// Bytes there are.
        given: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// The bytes are not those that were written.
    #[error("checkpoint is damaged, its checksum is another one; train anew without --resume")]
    Damaged,
}

/// The number goes up whenever the same data and options give another network than before: a training does not go on
/// by other rules than it began with.
const MAGIC: &[u8; 16] = b"monju training 3";

/// A network that learns.
#[derive(Clone, Debug)]
pub struct NetworkTrainer {
    settings: NetworkTraining,
    weights: Weights,
    adam: Adam,
    epochs_done: u64,
}

impl NetworkTrainer {
    /// A network that knows nothing yet, or what `start` knows.
    ///
    /// # Errors
    /// A setting makes no sense, or `start` is of another kind.
    pub fn new(settings: NetworkTraining, start: Option<&Network>) -> Result<Self, TrainerError> {
        let NetworkTraining {
            architecture,
            batch,
            rate,
            lambda,
            trace_decay,
            teacher_share,
            scale,
            threads,
            ..
        } = settings;
        check_common(batch, rate, lambda, scale)?;
        let is_share = (0.0..=1.0).contains(&trace_decay);
        check("trace decay", trace_decay, is_share, "between 0 and 1")?;
        let is_share = (0.0..=1.0).contains(&teacher_share);
        check("teacher share", teacher_share, is_share, "between 0 and 1")?;
        check("threads", threads as f64, threads > 0, "positive")?;
        let weights = match start.map(Network::parts) {
            _ if architecture == Architecture::HalfKP => None,
            None => Some(Weights::random(
                architecture,
                &mut Random::new(settings.seed, 0),
            )),
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

    /// How many epochs it has behind it.
    pub fn epochs_done(&self) -> u64 {
        self.epochs_done
    }

    /// The network that it has become.
    pub fn network(&self) -> Network {
        Network::from_parts(&quantise(&self.weights, self.settings.scale as f32))
    }

    fn target(&self) -> Target {
        Target {
            lambda: self.settings.lambda as f32,
            scale: self.settings.scale as f32,
        }
    }

    /// The mean loss on some positions: cross-entropy beyond that of what is to be learned.
    pub fn loss(&self, set: &TrainingSet) -> f64 {
        let share = set.len().div_ceil(self.settings.threads).max(1);
        let (weights, target) = (&self.weights, self.target());
        let sum: f64 = thread::scope(|scope| {
            let parts: Vec<_> = set
                .examples
                .chunks(share)
                .map(|examples| {
                    scope.spawn(move || {
                        vectorised(Loss {
                            weights,
                            examples,
                            target,
                        })
                    })
                })
                .collect();
            // A panic of a part has been told; nothing can come of the whole.
            parts
                .into_iter()
                .map(|part| part.join().expect("sums do not panic"))
                .sum()
        });
        sum / set.len().max(1) as f64
    }

    /// Learns from every position once, mirrored or not, in an order of its own; returns the mean loss meanwhile.
    /// `progress` hears of the positions done and of their mean loss so far.
    pub fn epoch(&mut self, set: &TrainingSet, progress: &mut dyn FnMut(usize, f64)) -> f64 {
        let threads = self.settings.threads;
        let mut random = Random::new(self.settings.seed, 1 + self.epochs_done);
        let draw = |index| (index, random.next() & 1 == 1);
        let mut order: Vec<(u32, bool)> = (0..set.len() as u32).map(draw).collect();
        for index in (1..order.len()).rev() {
            order.swap(index, random.below(index + 1));
        }
        let batches = set.len().div_ceil(self.settings.batch) as u64;
        let all_batches = (batches * self.settings.epochs).max(1) as f64;
        let mut gradients = vec![Gradient::zero(self.settings.architecture); threads];
        let (mut done, mut loss) = (0, 0.0);
        for (number, batch) in order.chunks(self.settings.batch).enumerate() {
            let passed = (self.epochs_done * batches + number as u64) as f64 / all_batches;
            let fall = 0.5 + 0.5 * libm::cos(passed.min(1.0) * std::f64::consts::PI);
            let rate = self.settings.rate * (0.01 + 0.99 * fall);
            self.step(&set.examples, batch, &mut gradients, rate as f32);
            done += batch.len();
            loss += gradients[0].loss;
            if !loss.is_finite() {
                // Nothing that follows would make it better.
                break;
            }
            progress(done, loss / done as f64);
        }
        self.epochs_done += 1;
        loss / done.max(1) as f64
    }

    /// One step down the mean gradient of a batch, which is in `gradients[0]` afterwards.
    fn step(
        &mut self,
        examples: &[Example],
        batch: &[(u32, bool)],
        gradients: &mut [Gradient],
        rate: f32,
    ) {
        let share = batch.len().div_ceil(gradients.len());
        let (weights, target) = (&self.weights, self.target());
        thread::scope(|scope| {
            for (part, gradient) in batch.chunks(share).zip(&mut *gradients) {
                scope.spawn(move || {
                    gradient.clear();
                    vectorised(Backward {
                        weights,
                        gradient,
                        examples: part
                            .iter()
                            .map(|&(index, mirrored)| (&examples[index as usize], mirrored)),
                        target,
                    });
                });
            }
        });
        if let Some((sum, others)) = gradients.split_first_mut() {
            for other in &others[..batch.chunks(share).len() - 1] {
                sum.add(other);
            }
            vectorised(Descent {
                adam: &mut self.adam,
                weights: &mut self.weights,
                gradient: sum,
                count: batch.len(),
                rate,
                limits: Limits::new(self.settings.architecture, self.settings.scale as f32),
            });
        }
    }

    /// Everything that [`NetworkTrainer::resume`] needs.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.epochs_done.to_le_bytes());
        bytes.extend(self.adam.steps.to_le_bytes());
        for part in [&self.weights, &self.adam.first, &self.adam.second] {
            bytes.extend(part.all().flat_map(|weight| weight.to_le_bytes()));
        }
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Goes on where another training with the same settings was written down.
    ///
    /// # Errors
    /// A setting makes no sense, or the bytes are not what [`NetworkTrainer::to_bytes`] writes.
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
    use crate::{Sample, nnue::gradient::output};
    use monju_engine::{
        eval::{Evaluator, Nnue},
        rules::{Game, Position},
    };
    use std::sync::Arc;

    /// Positions of random games, valued by the difference of the hands.
    fn set(games: u64) -> (TrainingSet, Vec<Position>) {
        let (mut set, mut positions) = (TrainingSet::default(), Vec::new());
        for number in 0..games {
            let mut random = Random::new(9, number);
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
                let sample = Sample {
                    position: position.to_packed().unwrap(),
                    score: 300 * (pieces(us) - pieces(!us)),
                    best_move: mv,
                    ply,
                    result: 0,
                    is_last: false,
                };
                if set.add(&sample).unwrap() {
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
    fn a_network_learns_and_keeps_what_it_learned_as_integers() {
        let (set, positions) = set(25);
        for architecture in [Architecture::KP, Architecture::KPPairs] {
            learn_and_keep(architecture, &set, &positions);
        }
    }

    fn learn_and_keep(architecture: Architecture, set: &TrainingSet, positions: &[Position]) {
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
        // The weights that its integers stand for: what is lost beside them is lost in every evaluation.
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
        // Products are cut to integers before they are weighed, which no bias can make good.
        let allowed = match architecture.is_paired() {
            true => 10.0,
            false => 2.0,
        };
        assert!(
            shift.abs() < allowed && spread < allowed,
            "{architecture}: as integers {shift} centipawns off, give or take {spread}"
        );
    }

    #[test]
    fn a_resumed_training_ends_as_an_uninterrupted_one() {
        let (set, _) = set(3);
        let mut whole = NetworkTrainer::new(settings(Architecture::KPPairs), None).unwrap();
        whole.epoch(&set, &mut |_, _| ());
        let bytes = whole.to_bytes();
        whole.epoch(&set, &mut |_, _| ());
        let mut resumed = NetworkTrainer::resume(settings(Architecture::KPPairs), &bytes).unwrap();
        assert_eq!(resumed.epochs_done(), 1);
        resumed.epoch(&set, &mut |_, _| ());
        assert_eq!(resumed.to_bytes(), whole.to_bytes());
        assert!(NetworkTrainer::resume(settings(Architecture::KP), &bytes).is_err());
        for place in [16, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x40;
            let resumed = NetworkTrainer::resume(settings(Architecture::KPPairs), &damaged);
            assert_eq!(resumed.err(), Some(TrainerError::Damaged), "byte {place}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
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
            "networks of architecture half-k-p are not trained, only k-p and k-p-pairs"
        );
        assert_eq!(
            error(
                self::settings(Architecture::KPPairs),
                Some(&Network::sample(Architecture::KP))
            ),
            "a network of architecture k-p cannot begin the training of one of k-p-pairs"
        );
    }
}
