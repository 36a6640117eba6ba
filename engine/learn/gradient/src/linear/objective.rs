//! The loss: by how much other moves look better than the recorded one.

use super::{
    gradient::LinearGradient,
    search::{MATE, TrainingSearch},
};
use monju_engine::{
    eval::linear::UNIT,
    rules::{Move, MoveList, Position},
};

/// Lead of the recorded move beyond which T(x) and its slope are neglected, in widths.
const NEGLIGIBLE: f32 = 4.0;

/// The loss function of Shimoyama and the depth of the search beneath it.
#[derive(Clone, Copy, Debug)]
pub struct Objective {
    /// Depth in plies of the training search before its quiescence search.
    pub depth: u32,
    /// Width of T(x) in centipawns: T(x) = log(1 + exp(-(x + tolerance × progress) / width)), where x is the lead
    /// of the recorded move. The paper (section 3) prints no width, as if it were 1.
    pub width: f32,
    /// Tolerance of T(x) at the end of a game, in centipawns.
    pub tolerance: f32,
}

/// Comparison of a recorded move with all others.
pub struct MoveComparison {
    /// Sum of T(x) over the other moves.
    pub loss: f32,
    /// True if no other move has a better value than the recorded one.
    pub agreed: bool,
}

impl Objective {
    /// Returns T and its negative slope for a lead of the recorded move in centipawns.
    fn penalty(&self, lead: f32, progress: f32) -> (f32, f32) {
        let x = (lead + self.tolerance * progress) / self.width;
        let falling = 1.0 / (1.0 + libm::expf(x));
        // log(1 + exp(-x)) without overflow.
        let loss = libm::log1pf(libm::expf(-x.abs())) + (-x).max(0.0);
        (loss, falling)
    }

    /// Compares the recorded move of a position with all others and with a pass, and adds the loss's gradient to
    /// `gradient`. `progress` is the share of the game that is over. `None` if there is no other move, or the
    /// recorded one leads to mate.
    pub fn compare(
        &self,
        search: &mut TrainingSearch,
        position: &Position,
        recorded: Move,
        progress: f32,
        gradient: &mut LinearGradient,
    ) -> Option<MoveComparison> {
        let legal = MoveList::legal(position);
        if legal.as_slice().len() < 2 {
            return None;
        }
        search.set_position(position);
        let value = search.value_of(Some(recorded), self.depth, -2 * MATE, 2 * MATE);
        if value.abs() >= MATE {
            return None;
        }
        let own_leaf = search.leaf(Some(recorded));
        let negligible = value + (self.tolerance * progress - NEGLIGIBLE * self.width) as i32;
        // The window always shows if a move is better than the recorded one.
        let alpha = negligible.min(value);
        let mut comparison = MoveComparison {
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
            let found = search.value_of(other, self.depth, alpha, 2 * MATE);
            comparison.agreed &= found <= value || other.is_none();
            if found <= negligible || found.abs() >= MATE {
                continue;
            }
            let (loss, slope) = self.penalty((value - found) as f32, progress);
            comparison.loss += loss;
            sum += slope;
            self.add_slope(gradient, search.leaf(other), position, slope);
        }
        if sum > 0.0 {
            self.add_slope(gradient, own_leaf, position, -sum);
        }
        Some(comparison)
    }

    /// Adds the slope of the loss at a leaf to the gradient of its values.
    fn add_slope(
        &self,
        gradient: &mut LinearGradient,
        leaf: Position,
        root: &Position,
        slope: f32,
    ) {
        // Values are in fractions of a centipawn, the width in centipawns.
        let slope = slope / (self.width * UNIT as f32);
        gradient.add(&leaf, root.side_to_move(), slope);
    }

    /// Returns the move that the training search prefers.
    pub fn preferred(&self, search: &mut TrainingSearch, position: &Position) -> Option<Move> {
        search.set_position(position);
        let mut best = None;
        let mut alpha = -2 * MATE;
        for &mv in MoveList::legal(position).as_slice() {
            let value = search.value_of(Some(mv), self.depth, alpha, 2 * MATE);
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
    use monju_engine::{
        bench::POSITIONS,
        eval::{Linear, LinearWeights, linear::Values},
        rules::Game,
    };
    use std::sync::Arc;

    const OBJECTIVE: Objective = Objective {
        depth: 1,
        width: 60.0,
        tolerance: 256.0,
    };

    /// T(x) of Shimoyama, section 3, of a lead and a tolerance in widths.
    fn penalty(better: f64, progress: f64, width: f64) -> f64 {
        (-(better + 256.0 * progress) / width).exp().ln_1p()
    }

    #[test]
    fn the_penalty_and_its_slope_are_those_of_the_paper() {
        // Exactly as printed with a width of 1, where the exponential overflows beyond 700.
        for (width, leads) in [
            (1.0, [-300.0, -60.0, -1.0, 0.0, 0.5, 17.0]),
            (60.0, [-2000.0, -500.0, -60.0, 0.0, 17.0, 300.0]),
        ] {
            let objective = Objective { width, ..OBJECTIVE };
            let width = f64::from(width);
            for (better, progress) in leads
                .into_iter()
                .flat_map(|lead| [0.0, 0.5, 1.0].map(|part| (lead, part)))
            {
                let (loss, falling) = objective.penalty(better, progress);
                let (x, progress) = (f64::from(better), f64::from(progress));
                let expected = penalty(x, progress, width);
                assert!((f64::from(loss) - expected).abs() < 1e-4, "at {x}");
                let half = width / 1_000.0;
                let slope = (penalty(x - half, progress, width)
                    - penalty(x + half, progress, width))
                    * 500.0;
                assert!((f64::from(falling) - slope).abs() < 1e-4, "at {x}");
            }
        }
    }

    /// Positions out of check, each with one of its moves as the recorded one.
    fn records() -> Vec<(Position, Move)> {
        let games = POSITIONS
            .iter()
            .map(|start| Game::from_usi(start).expect("a position"));
        let quiet = games.filter(|game| !game.position().in_check());
        let recorded = quiet.map(|game| {
            let legal = game.legal_moves();
            (game.position().clone(), legal[legal.len() / 2])
        });
        recorded.collect()
    }

    fn search(values: &Values) -> TrainingSearch {
        TrainingSearch::new(Linear::new(Arc::new(LinearWeights::new(values))))
    }

    #[test]
    fn the_loss_is_the_penalty_of_all_other_moves_and_of_a_pass() {
        let objective = OBJECTIVE;
        let mut search = search(&Values::material());
        let (mut comparisons, mut by_pass, mut disagreed) = (0, 0.0, 0);
        for (position, recorded) in records() {
            let mut gradient = LinearGradient::new();
            let comparison =
                objective.compare(&mut search, &position, recorded, 0.0, &mut gradient);
            search.set_position(&position);
            let mut value_of = |mv| search.value_of(mv, objective.depth, -2 * MATE, 2 * MATE);
            let value = value_of(Some(recorded));
            let Some(comparison) = comparison else {
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
                if better < f64::from(NEGLIGIBLE * objective.width) && found.abs() < MATE {
                    loss += penalty(better, 0.0, 60.0);
                    if other.is_none() {
                        by_pass += penalty(better, 0.0, 60.0);
                    }
                }
            }
            let difference = (f64::from(comparison.loss) - loss).abs();
            assert!(difference < 1e-3 * (1.0 + loss), "{}: {loss}", position);
            assert_eq!(comparison.agreed, agreed, "{}", position);
            comparisons += 1;
            disagreed += u32::from(!agreed);
        }
        assert!(comparisons > 10 && disagreed > 0 && by_pass > 1.0);
    }

    /// At the end of a game the tolerance hides almost every penalty, but not the best move.
    #[test]
    fn agreement_does_not_depend_on_tolerance() {
        let agreed = |tolerance| {
            let objective = Objective {
                tolerance,
                ..OBJECTIVE
            };
            let mut search = search(&Values::material());
            let comparisons = records().into_iter().map(|(position, recorded)| {
                let mut gradient = LinearGradient::new();
                let end = 1.0;
                let compared =
                    objective.compare(&mut search, &position, recorded, end, &mut gradient);
                compared.map(|comparison| comparison.agreed)
            });
            comparisons.collect::<Vec<_>>()
        };
        assert_eq!(agreed(0.0), agreed(1000.0));
    }

    /// The loss jumps where a principal variation changes, so a few of the comparisons may fail.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        /// Change of a value in centipawns, large enough to outweigh rounding.
        const STEP: i16 = 5;
        let objective = OBJECTIVE;
        let values = Values::material();
        let steepest = |slopes: &[f32]| {
            let places = 0..slopes.len();
            let place = places.max_by(|&a, &b| slopes[a].abs().total_cmp(&slopes[b].abs()));
            place.expect("there are slopes")
        };
        let (mut compared, mut equal) = (0, 0);
        for (position, recorded) in records() {
            let loss = |values: &Values, gradient: &mut LinearGradient| {
                let mut search = search(values);
                let compared = objective.compare(&mut search, &position, recorded, 0.0, gradient);
                compared.map_or(0.0, |comparison| comparison.loss)
            };
            let mut gradient = LinearGradient::new();
            loss(&values, &mut gradient);
            let mut compare = |slope: f32, change: &dyn Fn(&mut Values, i16)| {
                let moved = |step: i16| {
                    let mut values = values.clone();
                    change(&mut values, step * UNIT as i16);
                    loss(&values, &mut LinearGradient::new())
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
