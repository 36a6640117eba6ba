//! Share of recorded moves that an evaluator finds.

use super::training::LinearTraining;
use crate::threads::in_threads;
use monju_engine::random::SplitMix64;
use monju_engine::{
    eval::{Linear, LinearWeights},
    rules::MoveList,
};
use monju_gradient::linear::TrainingSearch;
use monju_records::GameRecord;
use std::sync::Arc;

/// Number of positions in which the training search prefers the recorded move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveMatch {
    /// Number of positions with more than one legal move.
    pub positions: u64,
    /// Number of positions in which the training search preferred the recorded move.
    pub matched: u64,
    /// Expected number of matches of random legal moves.
    pub by_chance: f64,
}

impl MoveMatch {
    /// Returns the share of matches.
    pub fn share(&self) -> f64 {
        self.matched as f64 / self.positions.max(1) as f64
    }

    /// Returns the expected share of matches of random legal moves.
    pub fn chance(&self) -> f64 {
        self.by_chance / self.positions.max(1) as f64
    }
}

/// Measures weights on at most `limit` random positions of games, with the search of the training. The
/// settings' seed determines the positions.
pub fn measure(
    weights: &Arc<LinearWeights>,
    settings: &LinearTraining,
    games: &[GameRecord],
    limit: usize,
) -> MoveMatch {
    let mut positions: Vec<(usize, usize)> = games
        .iter()
        .enumerate()
        .flat_map(|(game, record)| (0..record.moves().len()).map(move |ply| (game, ply)))
        .collect();
    let mut random = SplitMix64::new(settings.seed, u64::MAX);
    let count = limit.min(positions.len());
    for next in 0..count {
        let chosen = next + random.below(positions.len() - next);
        positions.swap(next, chosen);
    }
    positions.truncate(count);
    let threads = settings.threads.max(1);
    let objective = settings.objective();
    let share = |thread: usize| {
        let mut search = TrainingSearch::new(Linear::new(Arc::clone(weights)));
        let mut rate = MoveMatch::default();
        for &(game, ply) in positions.iter().skip(thread).step_by(threads) {
            let position = games[game].position(ply);
            let choices = MoveList::legal(&position).as_slice().len();
            if choices > 1 {
                let preferred = objective.preferred(&mut search, &position);
                rate.positions += 1;
                rate.matched += u64::from(preferred == games[game].moves().get(ply).copied());
                rate.by_chance += 1.0 / choices as f64;
            }
        }
        rate
    };
    let rates = in_threads(0..threads, share);
    rates
        .iter()
        .fold(MoveMatch::default(), |sum, rate| MoveMatch {
            positions: sum.positions + rate.positions,
            matched: sum.matched + rate.matched,
            by_chance: sum.by_chance + rate.by_chance,
        })
}
