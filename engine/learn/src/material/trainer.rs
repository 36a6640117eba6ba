//! The training of piece-square values.

use super::{
    examples::{MaterialExample, MaterialSet},
    parameters::{COUNT, HANDS, KINDS, SQUARES, TURN, kind_of},
    training::MaterialTraining,
};
use crate::{dataset::ExampleSet, setting::SettingError};
use monju_engine::random::SplitMix64;
use monju_engine::{
    eval::{MaterialValues, board_value, hand_value},
    rules::{PieceKind, Square},
};
use monju_gradient::adam::AdamNumbers;

/// Piece-square values in training.
#[derive(Clone, Debug)]
pub struct MaterialTrainer {
    settings: MaterialTraining,
    /// In logits.
    parameters: Vec<f64>,
    first: Vec<f32>,
    second: Vec<f32>,
    steps: u64,
    epochs_done: u64,
}

impl MaterialTrainer {
    /// Starts from the material evaluator's values, the same on every square.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn new(settings: MaterialTraining) -> Result<Self, SettingError> {
        settings.check()?;
        let scale = settings.scale;
        let mut parameters = vec![0.0; COUNT];
        for kind in PieceKind::ALL {
            parameters[KINDS + kind.index()] = f64::from(board_value(kind)) / scale;
        }
        for kind in PieceKind::HAND {
            parameters[HANDS + kind.index()] = f64::from(hand_value(kind)) / scale;
        }
        Ok(Self {
            settings,
            parameters,
            first: vec![0.0; COUNT],
            second: vec![0.0; COUNT],
            steps: 0,
            epochs_done: 0,
        })
    }

    /// Returns true if all epochs are finished.
    pub fn is_finished(&self) -> bool {
        self.epochs_done >= self.settings.epochs
    }

    /// Trains on every position once, in an order of this epoch's own, and returns the mean loss during
    /// the epoch.
    pub fn epoch(&mut self, set: &MaterialSet) -> f64 {
        let mut random = SplitMix64::new(self.settings.seed, self.epochs_done);
        let mut order: Vec<u32> = (0..set.len() as u32).collect();
        random.shuffle(&mut order);
        let batches = order.len().div_ceil(self.settings.batch) as u64;
        let total = batches * self.settings.epochs;
        let mut loss = 0.0;
        for batch in order.chunks(self.settings.batch) {
            let mut gradient = vec![0.0; COUNT];
            for &number in batch {
                loss += self.loss_of(&set.examples[number as usize], Some(&mut gradient));
            }
            let left = 1.0 - self.steps as f64 / total as f64;
            self.step(&gradient, batch.len(), set.len(), left);
        }
        self.epochs_done += 1;
        loss / set.len().max(1) as f64
    }

    /// Returns the mean loss on some positions.
    pub fn loss(&self, set: &MaterialSet) -> f64 {
        let losses = set
            .examples
            .iter()
            .map(|example| self.loss_of(example, None));
        losses.sum::<f64>() / set.len().max(1) as f64
    }

    /// Returns the cross-entropy of one position minus the entropy of its target, and adds its gradient.
    fn loss_of(&self, example: &MaterialExample, gradient: Option<&mut [f64]>) -> f64 {
        let parameters = &self.parameters;
        let pieces = || example.pieces.iter().filter(|&&place| place != 0);
        let sum: f64 = pieces()
            .map(|&place| {
                let number = usize::from(place.unsigned_abs()) - 1;
                let of_kind = kind_of(number).map_or(0.0, |kind| parameters[kind]);
                f64::from(place.signum()) * (parameters[number] + of_kind)
            })
            .sum();
        let output = sigmoid(sum + parameters[TURN]);
        let score = sigmoid(f64::from(example.score) / self.settings.scale);
        let result = f64::from(example.result + 1) / 2.0;
        let target = self.settings.lambda * score + (1.0 - self.settings.lambda) * result;
        if let Some(gradient) = gradient {
            let slope = output - target;
            gradient[TURN] += slope;
            for &place in pieces() {
                let number = usize::from(place.unsigned_abs()) - 1;
                let slope = f64::from(place.signum()) * slope;
                gradient[number] += slope;
                if let Some(kind) = kind_of(number) {
                    gradient[kind] += slope;
                }
            }
        }
        cross_entropy(target, output) - cross_entropy(target, target)
    }

    /// Makes one step of Adam; `left` is the share of all steps that are left.
    fn step(&mut self, gradient: &[f64], batch: usize, positions: usize, left: f64) {
        self.steps += 1;
        let rate = self.settings.rate * left.max(0.0);
        let step = AdamNumbers::USUAL.step(self.steps, rate as f32);
        // The prior counts once in an epoch.
        let deviation = self.settings.prior / self.settings.scale;
        let pull = 1.0 / (deviation * deviation * positions.max(1) as f64);
        let moments = self.first.iter_mut().zip(&mut self.second);
        let parameters = self.parameters.iter_mut().zip(moments).zip(gradient);
        for (number, ((parameter, (first, second)), slope)) in parameters.enumerate() {
            let mut slope = slope / batch as f64;
            if number < KINDS {
                slope += pull * *parameter;
            }
            *parameter -= f64::from(step.change(slope as f32, first, second));
        }
    }

    /// Returns the centipawns in one unit of the logit, by which the values of a set of pieces keep their exchange
    /// value. They change with the training, and are 0 where a set of pieces is worth nothing.
    pub fn unit(&self) -> f64 {
        let parameter = |number: usize| self.parameters[number];
        let (mut wanted, mut learned) = (0.0, 0.0);
        for kind in PieceKind::HAND {
            let count = kind.count_in_set() as f64;
            wanted += count * f64::from(board_value(kind) + hand_value(kind));
            learned += count * (parameter(KINDS + kind.index()) + parameter(HANDS + kind.index()));
        }
        // Worthless pieces cannot be rescaled.
        if learned > 0.0 { wanted / learned } else { 0.0 }
    }

    /// Returns the values in centipawns of [`MaterialTrainer::unit`].
    pub fn values(&self) -> MaterialValues {
        let (parameter, unit) = (|number: usize| self.parameters[number], self.unit());
        let centipawns = |logits: f64| libm::round(unit * logits) as i32;
        let mut values = MaterialValues::flat();
        values.turn = centipawns(parameter(TURN));
        for kind in PieceKind::HAND {
            values.hand[kind.index()] = centipawns(parameter(HANDS + kind.index()));
        }
        for kind in PieceKind::ALL {
            for square in Square::all() {
                let place = MaterialValues::place_of(kind, square);
                let value = parameter(KINDS + kind.index()) + parameter(SQUARES + place);
                values.place(kind, square, centipawns(value));
            }
        }
        values
    }
}

fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}

fn cross_entropy(target: f64, output: f64) -> f64 {
    let log = |share: f64| libm::log(share.max(1e-12));
    -(target * log(output) + (1.0 - target) * log(1.0 - output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::TrainingExample;
    use monju_engine::{
        eval::{Evaluator, Material, MaterialWeights},
        rules::Game,
    };
    use std::sync::Arc;

    /// Quiet positions of random games, scored by these values.
    fn examples(values: &MaterialValues, games: u64) -> MaterialSet {
        let mut evaluator = Material::new(Arc::new(MaterialWeights::new(values)));
        let mut set = MaterialSet::default();
        for number in 0..games {
            let mut random = SplitMix64::new(7, number);
            let mut game = Game::startpos();
            for ply in 1..200 {
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                evaluator.reset(game.position());
                let example = TrainingExample {
                    position: game.position().to_packed().expect("a complete set"),
                    score: evaluator.evaluate(game.position()).clamp(-30_000, 30_000) as i16,
                    best_move: mv,
                    ply,
                    result: 0,
                    is_last: false,
                };
                set.add(&example).expect("a position");
                game.play(mv).expect("a legal move");
            }
        }
        set
    }

    fn silver_of(values: &MaterialValues, file: usize, rank: usize) -> i32 {
        let square = Square::at(file, rank).expect("a square");
        values.placed(PieceKind::Silver, square)
    }

    #[test]
    fn training_recovers_the_values_behind_the_scores() {
        let mut taught = MaterialValues::flat();
        taught.turn = 40;
        taught.hand[PieceKind::Pawn.index()] = 180;
        for square in Square::all().filter(|square| square.rank() < 4) {
            taught.place(PieceKind::Silver, square, 700);
        }
        let set = examples(&taught, 60);
        let settings = MaterialTraining {
            epochs: 60,
            batch: 256,
            lambda: 1.0,
            prior: 300.0,
            ..MaterialTraining::default()
        };
        let mut trainer = MaterialTrainer::new(settings).unwrap();
        let before = trainer.loss(&set);
        while !trainer.is_finished() {
            trainer.epoch(&set);
        }
        let after = trainer.loss(&set);
        assert!(after < before / 20.0, "{before} {after}");
        let found = trainer.values();
        // The scaling rule shrinks all values, since the pieces are worth more than in exchanges.
        let share = f64::from(found.hand[PieceKind::Gold.index()]) / 640.0;
        let is_near = |found: i32, taught: i32, slack: f64| {
            (f64::from(found) / share - f64::from(taught)).abs() < slack
        };
        assert!((0.8..1.0).contains(&share), "{share}");
        assert!(is_near(found.hand[0], 180, 15.0), "{found}");
        assert!(is_near(found.turn, 40, 10.0), "{found}");
        assert!(is_near(silver_of(&found, 4, 3), 700, 60.0), "{found}");
        assert!(is_near(silver_of(&found, 3, 7), 530, 60.0), "{found}");
    }

    #[test]
    fn equal_settings_learn_equal_values() {
        let set = examples(&MaterialValues::flat(), 4);
        let learn = |seed| {
            let settings = MaterialTraining {
                seed,
                epochs: 2,
                batch: 64,
                ..MaterialTraining::default()
            };
            let mut trainer = MaterialTrainer::new(settings).unwrap();
            while !trainer.is_finished() {
                trainer.epoch(&set);
            }
            trainer.values()
        };
        assert_eq!(learn(1), learn(1));
        assert_ne!(learn(1), learn(2));
    }

    #[test]
    fn a_setting_out_of_range_is_refused() {
        let settings = MaterialTraining {
            lambda: 1.5,
            ..MaterialTraining::default()
        };
        let error = MaterialTrainer::new(settings).expect_err("no share");
        assert_eq!(error.to_string(), "lambda must be between 0 and 1, not 1.5");
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let set = examples(&MaterialValues::flat(), 1);
        let settings = MaterialTraining {
            lambda: 0.6,
            ..MaterialTraining::default()
        };
        let mut trainer = MaterialTrainer::new(settings).unwrap();
        let example = set.examples[set.len() / 2].clone();
        let mut gradient = vec![0.0; COUNT];
        trainer.loss_of(&example, Some(&mut gradient));
        for number in (0..COUNT).step_by(7).chain([KINDS, HANDS, TURN]) {
            let kept = trainer.parameters[number];
            let mut loss_at = |value| {
                trainer.parameters[number] = value;
                trainer.loss_of(&example, None)
            };
            let slope = (loss_at(kept + 1e-5) - loss_at(kept - 1e-5)) / 2e-5;
            trainer.parameters[number] = kept;
            assert!((slope - gradient[number]).abs() < 1e-6, "{number}: {slope}");
        }
    }
}
