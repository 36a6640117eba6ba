//! Stability of one player's search, by which a time policy judges the difficulty of its move.

use super::score_trend::ScoreTrend;
use crate::{rules::Move, search::Iteration};

/// Iterations of one best move from which on it counts as settled.
const SETTLED_AFTER: u32 = 8;
/// Recent changes of the best move that are told apart.
const MOST_CHANGES: f64 = 2.0;
/// Changes of the score that are told apart, in centipawns: rises and falls.
const SCORE_DROPS: (i32, i32) = (-50, 150);

/// The difficulty of a usual move in its first iterations: the mean over the iterations at which
/// searches end is one.
const DIFFICULTY: f64 = 0.62;
/// Weight of a recent change of the best move.
const OF_A_CHANGE: f64 = 0.5;
/// Share of an iteration's nodes that a usual best move takes, in parts of a thousand.
pub(super) const USUAL_EFFORT: u32 = 600;
/// Weight of the part of an iteration's nodes that the best move takes less than usual.
const OF_EFFORT: f64 = 1.0;
/// Weight of a falling score, for 100 centipawns.
const OF_A_DROP: f64 = 0.8;
/// Weight of a best move that has settled.
const OF_SETTLING: f64 = 0.8;

/// The stability of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// Changes of the best move, each counted half as much with every iteration after it.
    pub changes: f64,
    /// Iterations since the best move changed.
    pub stable_iterations: u32,
    /// Share of the last iteration's nodes below the best move, in parts of a thousand, if it is known.
    pub effort: Option<u32>,
    /// Centipawns by which the score lies below its own smoothed earlier values.
    pub score_drop: i32,
}

impl Stability {
    /// Returns the time that the move deserves, as a multiple of a normal move's.
    ///
    /// The factors were fitted to the logs of `monju learn searches`: of all searches that take as long
    /// together, theirs end most often with the move of a search five times as long.
    pub fn difficulty(&self) -> f64 {
        let changes = self.changes.min(MOST_CHANGES);
        let effort = self.effort.unwrap_or(USUAL_EFFORT);
        let missing = f64::from(USUAL_EFFORT) - f64::from(effort);
        let drop = f64::from(self.score_drop.clamp(SCORE_DROPS.0, SCORE_DROPS.1));
        let settled = self.stable_iterations.min(SETTLED_AFTER);
        DIFFICULTY
            * (1.0 + OF_A_CHANGE * changes)
            * (1.0 + OF_EFFORT * missing / 1_000.0)
            * (1.0 + OF_A_DROP * drop / 100.0)
            * (1.0 - OF_SETTLING * f64::from(settled) / f64::from(SETTLED_AFTER))
    }
}

/// Tracks the stability from the first iteration of a search to its last.
#[derive(Clone, Debug, Default)]
pub struct StabilityTracker {
    best: Option<Move>,
    changes: f64,
    stable_iterations: u32,
    trend: Option<ScoreTrend>,
}

impl StabilityTracker {
    /// Takes a finished iteration.
    pub fn observe(&mut self, iteration: &Iteration) -> Stability {
        let &Iteration { depth, score, .. } = iteration;
        let best = iteration.best_move();
        self.changes /= 2.0;
        match self.best.replace(best) {
            Some(last) if last != best => {
                self.changes += 1.0;
                self.stable_iterations = 0;
            }
            Some(_) => self.stable_iterations += 1,
            None => {}
        }
        let trend = match self.trend {
            Some(trend) => trend.follow(depth, score),
            None => ScoreTrend::new(depth, score),
        };
        self.trend = Some(trend);
        Stability {
            changes: self.changes,
            stable_iterations: self.stable_iterations,
            effort: iteration.effort,
            score_drop: trend.score_drop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn iteration(mv: &str, depth: u32, score: i32, effort: u32) -> Iteration {
        Iteration {
            depth,
            nodes: 0,
            score,
            effort: Some(effort),
            pv: vec![mv.parse().expect("a move")],
        }
    }

    /// The difficulty after these iterations.
    fn difficulty(iterations: &[(&str, i32, u32)]) -> f64 {
        let mut tracker = StabilityTracker::default();
        let mut last = None;
        for (depth, (mv, score, effort)) in (1..).zip(iterations) {
            last = Some(tracker.observe(&iteration(mv, depth, *score, *effort)));
        }
        last.expect("an iteration").difficulty()
    }

    const STEADY: [(&str, i32, u32); 6] = [("7g7f", 30, 600); 6];

    #[test]
    fn a_steady_move_takes_less_and_a_change_or_a_fall_more() {
        let steady = difficulty(&STEADY);
        let with = |last| difficulty(&[&STEADY[..5], &[last]].concat());
        assert!(with(("2g2f", 30, 600)) > 2.0 * steady);
        assert!(with(("7g7f", -70, 600)) > 1.5 * steady);
        assert!(with(("7g7f", 80, 600)) < steady);
        assert!(with(("7g7f", 30, 950)) < steady);
        assert!(with(("7g7f", 30, 200)) > steady);
        assert!(difficulty(&[("7g7f", 30, 600); 9]) < steady);
    }

    #[test]
    fn an_old_change_is_forgotten() {
        let changed = [("2g2f", 30, 600), ("7g7f", 30, 600)];
        let after = |iterations: usize| {
            let same = vec![("7g7f", 30, 600); iterations];
            difficulty(&[&changed[..], &same].concat())
                / difficulty(&STEADY[..1].repeat(1 + iterations))
        };
        assert!(after(1) > after(2) && after(2) > after(4));
        assert!((after(12) - 1.0).abs() < 0.01);
    }

    #[test]
    fn an_unknown_effort_is_a_usual_one() {
        let mut tracker = StabilityTracker::default();
        let known = tracker.observe(&iteration("7g7f", 1, 0, 600));
        let unknown = Stability {
            effort: None,
            ..known
        };
        assert_eq!(known.difficulty(), unknown.difficulty());
    }

    proptest! {
        #[test]
        fn every_move_deserves_some_time(
            changes in 0.0..10.0_f64,
            stable_iterations in 0..100_u32,
            effort in prop::option::of(0..=1_000_u32),
            score_drop in -4_000..4_000_i32,
        ) {
            let stability = Stability { changes, stable_iterations, effort, score_drop };
            let difficulty = stability.difficulty();
            prop_assert!(difficulty > 0.02 && difficulty < 5.0, "{difficulty}");
        }
    }
}
