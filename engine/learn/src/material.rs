//! Values of pieces by square, learned from positions with a score and a result.
//!
//! The values of all pieces add up to the logit of the probability to win, which learns the mixture
//! λ · sigmoid(score / scale) + (1 − λ) · result by cross-entropy, with Adam, as networks do. What a
//! piece is worth on a square is what its kind is worth and what the square adds; a square on which
//! a piece is hardly ever seen adds little. At the end all values are multiplied so that a set of
//! pieces is worth what it is in exchanges (the scaling rule of paper 003, section 3): values that
//! only know the pieces promise less than the scores they learned from, and searches compare both.

use super::{
    Sample, SampleError,
    random::Random,
    setting::{SettingError, check, check_common},
};
use monju_engine::{
    eval::{MaterialValues, board_value, hand_value},
    rules::{Color, PieceKind, Position, Square},
};

/// What a square adds to each kind, the kinds, the kinds in hand, and the right to move.
const SQUARES: usize = 0;
const KINDS: usize = SQUARES + MaterialValues::PLACES;
const HANDS: usize = KINDS + PieceKind::COUNT;
const TURN: usize = HANDS + PieceKind::HAND.len();
const COUNT: usize = TURN + 1;

/// Pieces of a complete set, kings included.
const SET: usize = 40;

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// How the values are learned.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTraining {
    /// Of the order of the positions.
    pub seed: u64,
    /// How often every position is seen.
    pub epochs: u64,
    /// Positions of one step.
    pub batch: usize,
    /// How far a value moves in the first steps, in logits; it falls to nothing.
    pub rate: f64,
    /// Share of the score in what is learned; the rest is the game's result.
    pub lambda: f64,
    /// Centipawns of one unit of the logit: with a score of as many, 73 % of the games are won.
    pub scale: f64,
    /// Standard deviation of what squares add, as expected before anything is learned, in
    /// centipawns of the scores.
    pub prior: f64,
}

impl Default for MaterialTraining {
    fn default() -> Self {
        Self {
            seed: 1,
            epochs: 20,
            batch: 8192,
            rate: 0.01,
            lambda: 0.7,
            scale: 650.0,
            prior: 40.0,
        }
    }
}

/// One position, as the side to move sees it.
#[derive(Clone, Debug)]
struct Lesson {
    /// For each piece its place among the squares or hands plus 1, negative for the opponent's.
    pieces: [i16; SET],
    score: i16,
    result: i8,
}

/// Quiet positions to learn from, or to check what was learned.
#[derive(Clone, Debug, Default)]
pub struct MaterialSet {
    lessons: Vec<Lesson>,
}

impl MaterialSet {
    /// Takes a sample in, unless it is not quiet: a static evaluation cannot know how checks and
    /// captures end. Tells whether it was taken.
    ///
    /// # Errors
    /// The bytes of the sample are no position.
    pub fn add(&mut self, sample: &Sample) -> Result<bool, SampleError> {
        let position = sample.position()?;
        if !sample.is_quiet(&position) {
            return Ok(false);
        }
        // A packed position is complete, and has no more than 40 pieces.
        let mut pieces = [0; SET];
        for (room, place) in pieces.iter_mut().zip(places(&position)) {
            *room = place;
        }
        self.lessons.push(Lesson {
            pieces,
            score: sample.score,
            result: sample.result,
        });
        Ok(true)
    }

    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }
}

/// The pieces of a position as [`Lesson::pieces`] has them.
fn places(position: &Position) -> impl Iterator<Item = i16> + '_ {
    let us = position.side_to_move();
    let signed = move |color: Color, place: usize| {
        let place = place as i16 + 1;
        if color == us { place } else { -place }
    };
    let standing = position.occupied().squares().filter_map(move |square| {
        let (color, kind) = position.piece(square).get()?;
        let seen = match color {
            Color::Black => square,
            Color::White => square.flip(),
        };
        Some(signed(color, MaterialValues::place_of(kind, seen)))
    });
    let held = Color::ALL.into_iter().flat_map(move |color| {
        PieceKind::HAND.into_iter().flat_map(move |kind| {
            let count = position.hand(color).count(kind);
            std::iter::repeat_n(signed(color, HANDS + kind.index()), count)
        })
    });
    standing.chain(held)
}

/// Values that learn.
#[derive(Clone, Debug)]
pub struct MaterialTrainer {
    settings: MaterialTraining,
    /// In logits.
    parameters: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: u64,
    epochs_done: u64,
}

impl MaterialTrainer {
    /// Starts where every piece is worth the same on every square.
    ///
    /// # Errors
    /// A setting makes no sense.
    pub fn new(settings: MaterialTraining) -> Result<Self, SettingError> {
        let MaterialTraining {
            batch,
            rate,
            lambda,
            scale,
            prior,
            ..
        } = settings;
        check_common(batch, rate, lambda, scale)?;
        let is_prior = (1.0..=1000.0).contains(&prior);
        check("prior", prior, is_prior, "between 1 and 1000")?;
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

    /// Whether all epochs are done.
    pub fn is_finished(&self) -> bool {
        self.epochs_done >= self.settings.epochs
    }

    /// Learns from every position once, in an order of this epoch's own. Returns the mean loss
    /// meanwhile.
    pub fn epoch(&mut self, set: &MaterialSet) -> f64 {
        let mut random = Random::new(self.settings.seed, self.epochs_done);
        let mut order: Vec<u32> = (0..set.len() as u32).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        let batches = order.len().div_ceil(self.settings.batch) as u64;
        let total = batches * self.settings.epochs;
        let mut loss = 0.0;
        for batch in order.chunks(self.settings.batch) {
            let mut gradient = vec![0.0; COUNT];
            for &number in batch {
                loss += self.lesson(&set.lessons[number as usize], Some(&mut gradient));
            }
            let left = 1.0 - self.steps as f64 / total as f64;
            self.step(&gradient, batch.len(), set.len(), left);
        }
        self.epochs_done += 1;
        loss / set.len().max(1) as f64
    }

    /// The mean loss over positions.
    pub fn loss(&self, set: &MaterialSet) -> f64 {
        let losses = set.lessons.iter().map(|lesson| self.lesson(lesson, None));
        losses.sum::<f64>() / set.len().max(1) as f64
    }

    /// The loss in one position, beyond what cannot be helped, and its slopes.
    fn lesson(&self, lesson: &Lesson, gradient: Option<&mut [f64]>) -> f64 {
        let parameters = &self.parameters;
        let pieces = || lesson.pieces.iter().filter(|&&place| place != 0);
        let sum: f64 = pieces()
            .map(|&place| {
                let number = usize::from(place.unsigned_abs()) - 1;
                let of_kind = kind_of(number).map_or(0.0, |kind| parameters[kind]);
                f64::from(place.signum()) * (parameters[number] + of_kind)
            })
            .sum();
        let learned = sigmoid(sum + parameters[TURN]);
        let score = sigmoid(f64::from(lesson.score) / self.settings.scale);
        let result = f64::from(lesson.result + 1) / 2.0;
        let wanted = self.settings.lambda * score + (1.0 - self.settings.lambda) * result;
        if let Some(gradient) = gradient {
            let slope = learned - wanted;
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
        cross_entropy(wanted, learned) - cross_entropy(wanted, wanted)
    }

    fn step(&mut self, gradient: &[f64], batch: usize, positions: usize, left: f64) {
        self.steps += 1;
        let correction = |decay: f64| 1.0 - libm::pow(decay, self.steps as f64);
        let rate = self.settings.rate * left.max(0.0) / correction(FIRST_DECAY);
        let second_correction = correction(SECOND_DECAY);
        // The prior counts once for all positions.
        let deviation = self.settings.prior / self.settings.scale;
        let pull = 1.0 / (deviation * deviation * positions.max(1) as f64);
        let moments = self.first.iter_mut().zip(&mut self.second);
        let parameters = self.parameters.iter_mut().zip(moments).zip(gradient);
        for (number, ((parameter, (first, second)), slope)) in parameters.enumerate() {
            let mut slope = slope / batch as f64;
            if number < KINDS {
                slope += pull * *parameter;
            }
            *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * slope;
            *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * slope * slope;
            *parameter -= rate * *first / ((*second / second_correction).sqrt() + EPSILON);
        }
    }

    /// The values as an evaluator uses them, in centipawns.
    pub fn values(&self) -> MaterialValues {
        let parameter = |number: usize| self.parameters[number];
        let (mut wanted, mut learned) = (0.0, 0.0);
        for kind in PieceKind::HAND {
            let count = kind.count_in_set() as f64;
            wanted += count * f64::from(board_value(kind) + hand_value(kind));
            learned += count * (parameter(KINDS + kind.index()) + parameter(HANDS + kind.index()));
        }
        // Lessons without a piece of any worth teach nothing, and are not made larger.
        let factor = if learned > 0.0 { wanted / learned } else { 0.0 };
        let centipawns = |logits: f64| libm::round(factor * logits) as i32;
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

/// The number of the kind to whose value a square adds.
fn kind_of(number: usize) -> Option<usize> {
    let places = MaterialValues::PLACES / PieceKind::COUNT;
    (number < KINDS).then(|| KINDS + number / places)
}

fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-logit))
}

fn cross_entropy(wanted: f64, learned: f64) -> f64 {
    let log = |share: f64| libm::log(share.max(1e-12));
    -(wanted * log(learned) + (1.0 - wanted) * log(1.0 - learned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{
        eval::{Evaluator, Material, MaterialWeights},
        rules::Game,
    };
    use std::sync::Arc;

    /// Quiet positions of random games, with the scores that these values give.
    fn lessons(values: &MaterialValues, games: u64) -> MaterialSet {
        let mut evaluator = Material::new(Arc::new(MaterialWeights::new(values)));
        let mut set = MaterialSet::default();
        for number in 0..games {
            let mut random = Random::new(7, number);
            let mut game = Game::startpos();
            for ply in 1..200 {
                let moves = game.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                evaluator.reset(game.position());
                let sample = Sample {
                    position: game.position().to_packed().expect("a complete set"),
                    score: evaluator.evaluate(game.position()).clamp(-30_000, 30_000) as i16,
                    best_move: mv,
                    ply,
                    result: 0,
                    is_last: false,
                };
                set.add(&sample).expect("a position");
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
    fn values_behind_the_scores_are_found_again() {
        let mut taught = MaterialValues::flat();
        taught.turn = 40;
        taught.hand[PieceKind::Pawn.index()] = 180;
        for square in Square::all().filter(|square| square.rank() < 4) {
            taught.place(PieceKind::Silver, square, 700);
        }
        let set = lessons(&taught, 60);
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
        // The scaling rule makes all values smaller where pieces are worth more than in exchanges.
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
    fn the_same_settings_learn_the_same_values() {
        let set = lessons(&MaterialValues::flat(), 4);
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
    fn senseless_settings_are_told() {
        let settings = MaterialTraining {
            lambda: 1.5,
            ..MaterialTraining::default()
        };
        let error = MaterialTrainer::new(settings).expect_err("no share");
        assert_eq!(error.to_string(), "lambda must be between 0 and 1, not 1.5");
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        let set = lessons(&MaterialValues::flat(), 1);
        let settings = MaterialTraining {
            lambda: 0.6,
            ..MaterialTraining::default()
        };
        let mut trainer = MaterialTrainer::new(settings).unwrap();
        let lesson = set.lessons[set.len() / 2].clone();
        let mut gradient = vec![0.0; COUNT];
        trainer.lesson(&lesson, Some(&mut gradient));
        for number in (0..COUNT).step_by(7).chain([KINDS, HANDS, TURN]) {
            let kept = trainer.parameters[number];
            let mut loss_at = |value| {
                trainer.parameters[number] = value;
                trainer.lesson(&lesson, None)
            };
            let slope = (loss_at(kept + 1e-5) - loss_at(kept - 1e-5)) / 2e-5;
            trainer.parameters[number] = kept;
            assert!((slope - gradient[number]).abs() < 1e-6, "{number}: {slope}");
        }
    }
}
