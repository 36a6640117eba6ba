//! What learning makes small: by how much other moves look better than the recorded one.

use super::{
    Settings,
    parameters::Gradient,
    search::{MATE, Study},
};
use crate::records::Record;
use monju_engine::{
    eval::linear::UNIT,
    rules::{Move, MoveList, Position},
};

/// Where T(x) and its slope count as nothing, in widths.
const NEGLIGIBLE: f32 = 4.0;

/// The objective's form, and the search beneath it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    depth: u32,
    width: f32,
    tolerance: f32,
}

/// What a position has taught.
pub(super) struct Lesson {
    /// The sum of T(x) over the other moves.
    pub loss: f32,
    /// Whether no other move has a better value than the recorded one.
    pub agreed: bool,
}

impl Objective {
    pub fn new(settings: &Settings) -> Self {
        Self {
            depth: settings.depth,
            width: settings.width,
            tolerance: settings.tolerance,
        }
    }

    /// T(x) and how it falls with x, where the recorded move is better by x centipawns.
    fn penalty(&self, better: f32, progress: f32) -> (f32, f32) {
        let x = (better + self.tolerance * progress) / self.width;
        let falling = 1.0 / (1.0 + libm::expf(x));
        // log(1 + exp(-x)), without overflow.
        let loss = libm::log1pf(libm::expf(-x.abs())) + (-x).max(0.0);
        (loss, falling)
    }

    /// Compares the recorded move of a position with all others and with a pass, and adds the
    /// slopes to `gradient`. `None` where there is nothing to compare, or the game is decided by
    /// mate.
    pub fn lesson(
        &self,
        study: &mut Study,
        game: &Record,
        ply: usize,
        gradient: &mut Gradient,
    ) -> Option<Lesson> {
        // The paper does not say what progress is; here it is the share of the game that is over.
        let progress = ply as f32 / game.moves().len() as f32;
        self.lesson_at(study, game, ply, progress, gradient)
    }

    /// The same, where so much of a game is over.
    fn lesson_at(
        &self,
        study: &mut Study,
        game: &Record,
        ply: usize,
        progress: f32,
        gradient: &mut Gradient,
    ) -> Option<Lesson> {
        let recorded = *game.moves().get(ply)?;
        let position = game.position(ply);
        let legal = MoveList::legal(&position);
        if legal.as_slice().len() < 2 {
            return None;
        }
        study.visit(&position);
        let value = study.value_of(Some(recorded), self.depth, -2 * MATE, 2 * MATE);
        if value.abs() >= MATE {
            return None;
        }
        let own_leaf = study.leaf(Some(recorded));
        let negligible = value + (self.tolerance * progress - NEGLIGIBLE * self.width) as i32;
        // Whether a move is better than the recorded one is asked in any case.
        let alpha = negligible.min(value);
        let mut lesson = Lesson {
            loss: 0.0,
            agreed: true,
        };
        let mut sum = 0.0;
        let others = legal
            .as_slice()
            .iter()
            .copied()
            .filter(|&mv| mv != recorded)
            .map(Some);
        let pass = (!position.in_check()).then_some(None);
        for other in others.chain(pass) {
            let found = study.value_of(other, self.depth, alpha, 2 * MATE);
            lesson.agreed &= found <= value || other.is_none();
            if found <= negligible || found.abs() >= MATE {
                continue;
            }
            let (loss, slope) = self.penalty((value - found) as f32, progress);
            lesson.loss += loss;
            sum += slope;
            self.teach(gradient, study.leaf(other), &position, slope);
        }
        if sum > 0.0 {
            self.teach(gradient, own_leaf, &position, -sum);
        }
        Some(lesson)
    }

    /// Adds the slope of the loss by the values of a leaf.
    fn teach(&self, gradient: &mut Gradient, leaf: Position, root: &Position, slope: f32) {
        // The evaluation counts in fractions of a centipawn, the width in centipawns.
        let slope = slope / (self.width * UNIT as f32);
        gradient.add(&leaf, root.side_to_move(), slope);
    }

    /// The move that the training search prefers in a position.
    pub fn favourite(&self, study: &mut Study, position: &Position) -> Option<Move> {
        study.visit(position);
        let mut best = None;
        let mut alpha = -2 * MATE;
        for &mv in MoveList::legal(position).as_slice() {
            let value = study.value_of(Some(mv), self.depth, alpha, 2 * MATE);
            if value > alpha {
                alpha = value;
                best = Some(mv);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::GameResult;
    use monju_engine::{
        bench::POSITIONS,
        eval::{Linear, LinearWeights, linear::Values},
        rules::Game,
    };
    use std::sync::Arc;

    /// T(x) of paper 003, section 3.
    fn penalty(better: f64, progress: f64) -> f64 {
        let Settings {
            width, tolerance, ..
        } = Settings::default();
        (-(better + f64::from(tolerance) * progress) / f64::from(width))
            .exp()
            .ln_1p()
    }

    #[test]
    fn the_penalty_is_that_of_the_paper_and_its_slope() {
        let objective = Objective::new(&Settings::default());
        for better in [-2000.0, -500.0, -60.0, 0.0, 17.0, 300.0] {
            for progress in [0.0, 0.5, 1.0] {
                let (loss, falling) = objective.penalty(better, progress);
                let (x, progress) = (f64::from(better), f64::from(progress));
                assert!((f64::from(loss) - penalty(x, progress)).abs() < 1e-4);
                let slope = (penalty(x - 0.5, progress) - penalty(x + 0.5, progress))
                    * f64::from(objective.width);
                assert!((f64::from(falling) - slope).abs() < 1e-4, "at {x}");
            }
        }
    }

    /// Positions in which a side may pass, each with one of its moves as the recorded one.
    fn records() -> Vec<Record> {
        let games = POSITIONS
            .iter()
            .map(|start| Game::from_usi(start).expect("a position"));
        let quiet = games.filter(|game| !game.position().in_check());
        quiet
            .map(|game| {
                let legal = game.legal_moves();
                let recorded = legal[legal.len() / 2];
                Record::new(Some(game.start()), vec![recorded], GameResult::Unknown)
                    .expect("a record")
            })
            .collect()
    }

    fn study(values: &Values) -> Study {
        Study::new(Linear::new(Arc::new(LinearWeights::new(values))))
    }

    #[test]
    fn a_lesson_is_the_penalty_of_all_other_moves_and_of_a_pass() {
        let settings = Settings::default();
        let objective = Objective::new(&settings);
        let mut study = study(&Values::material());
        let (mut lessons, mut by_pass, mut disagreed) = (0, 0.0, 0);
        for record in records() {
            let lesson = objective.lesson(&mut study, &record, 0, &mut Gradient::new());
            let position = record.position(0);
            let recorded = record.moves()[0];
            study.visit(&position);
            let mut value_of = |mv| study.value_of(mv, settings.depth, -2 * MATE, 2 * MATE);
            let value = value_of(Some(recorded));
            let Some(lesson) = lesson else {
                assert!(value.abs() >= MATE, "{}", position);
                continue;
            };
            let mut loss = 0.0;
            let mut agreed = true;
            let legal = MoveList::legal(&position);
            let others = legal.as_slice().iter().filter(|&&mv| mv != recorded);
            for other in others.copied().map(Some).chain([None]) {
                let found = value_of(other);
                agreed &= found <= value || other.is_none();
                let better = f64::from(value - found);
                if better < f64::from(NEGLIGIBLE * settings.width) && found.abs() < MATE {
                    loss += penalty(better, 0.0);
                    if other.is_none() {
                        by_pass += penalty(better, 0.0);
                    }
                }
            }
            let difference = (f64::from(lesson.loss) - loss).abs();
            assert!(difference < 1e-3 * (1.0 + loss), "{}: {loss}", position);
            assert_eq!(lesson.agreed, agreed, "{}", position);
            lessons += 1;
            disagreed += u32::from(!agreed);
        }
        assert!(lessons > 10 && disagreed > 0 && by_pass > 1.0);
    }

    /// At the end of a game, the tolerance is so large that hardly anything is to be learned, and
    /// still it is told whether the recorded move was the best.
    #[test]
    fn agreement_does_not_depend_on_tolerance() {
        let agreed = |tolerance| {
            let objective = Objective::new(&Settings {
                tolerance,
                ..Settings::default()
            });
            let mut study = study(&Values::material());
            let lessons = records().into_iter().map(|record| {
                // The whole game stands before the position: all that matters is its progress.
                let mut gradient = Gradient::new();
                let lesson = objective.lesson_at(&mut study, &record, 0, 1.0, &mut gradient);
                lesson.map(|lesson| lesson.agreed)
            });
            lessons.collect::<Vec<_>>()
        };
        assert_eq!(agreed(0.0), agreed(1000.0));
    }

    /// Where no line changes: the search's value is not continuous, so here and there one does.
    #[test]
    fn the_gradient_is_how_the_loss_changes() {
        /// By how much a value is moved, in centipawns: enough to outweigh rounding.
        const STEP: i16 = 5;
        let objective = Objective::new(&Settings::default());
        let values = Values::material();
        let steepest = |slopes: &[f32]| {
            let places = 0..slopes.len();
            let place = places.max_by(|&a, &b| slopes[a].abs().total_cmp(&slopes[b].abs()));
            place.expect("there are slopes")
        };
        let (mut compared, mut equal) = (0, 0);
        for record in records() {
            let loss = |values: &Values, gradient: &mut Gradient| {
                let lesson = objective.lesson(&mut study(values), &record, 0, gradient);
                lesson.map_or(0.0, |lesson| lesson.loss)
            };
            let mut gradient = Gradient::new();
            loss(&values, &mut gradient);
            let mut compare = |slope: f32, change: &dyn Fn(&mut Values, i16)| {
                let moved = |step: i16| {
                    let mut values = values.clone();
                    change(&mut values, step * UNIT as i16);
                    loss(&values, &mut Gradient::new())
                };
                let found = (moved(STEP) - moved(-STEP)) / (2.0 * f32::from(STEP) * UNIT as f32);
                compared += u32::from(slope.abs() > 1e-3);
                equal += u32::from(slope.abs() > 1e-3 && (found / slope - 1.0).abs() < 0.1);
            };
            let place = steepest(&gradient.single);
            let slope = gradient.single[place];
            compare(slope, &|values, step| values.single[place] += step);
            let place = steepest(&gradient.pairs);
            let slope = gradient.pairs[place];
            compare(slope, &|values, step| values.pairs[place] += step);
            compare(gradient.turn, &|values, step| values.turn += step);
        }
        assert!(
            compared > 30 && 10 * equal > 8 * compared,
            "{equal} of {compared}"
        );
    }
}
