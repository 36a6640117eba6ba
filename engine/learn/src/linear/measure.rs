//! How often an evaluator finds the recorded moves.

use super::{Settings, objective::Objective, search::Study};
use crate::{random::Random, records::Record};
use monju_engine::{
    eval::{Linear, LinearWeights},
    rules::MoveList,
};
use std::{sync::Arc, thread};

/// How often the recorded move was the favourite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchRate {
    /// Positions with a choice.
    pub positions: u64,
    /// In so many the training search preferred the recorded move.
    pub matched: u64,
    /// So many would be matched by a legal move drawn at random, on average.
    pub by_chance: f64,
}

impl MatchRate {
    /// The share of matched positions.
    pub fn share(&self) -> f64 {
        self.matched as f64 / self.positions.max(1) as f64
    }

    /// The share that chance would match.
    pub fn chance(&self) -> f64 {
        self.by_chance / self.positions.max(1) as f64
    }
}

/// Measures weights on at most `limit` positions of games, which the seed of the settings
/// draws. The search is that of learning.
pub fn measure(
    weights: &Arc<LinearWeights>,
    settings: &Settings,
    games: &[Record],
    limit: usize,
) -> MatchRate {
    let mut positions: Vec<(usize, usize)> = games
        .iter()
        .enumerate()
        .flat_map(|(game, record)| (0..record.moves().len()).map(move |ply| (game, ply)))
        .collect();
    let mut random = Random::new(settings.seed, u64::MAX);
    let count = limit.min(positions.len());
    for next in 0..count {
        let drawn = next + random.below(positions.len() - next);
        positions.swap(next, drawn);
    }
    positions.truncate(count);
    let threads = settings.threads.max(1);
    let objective = Objective::new(settings);
    let share = |thread: usize| {
        let mut study = Study::new(Linear::new(Arc::clone(weights)));
        let mut rate = MatchRate::default();
        for &(game, ply) in positions.iter().skip(thread).step_by(threads) {
            let position = games[game].position(ply);
            let choices = MoveList::legal(&position).as_slice().len();
            if choices > 1 {
                let favourite = objective.favourite(&mut study, &position);
                rate.positions += 1;
                rate.matched += u64::from(favourite == games[game].moves().get(ply).copied());
                rate.by_chance += 1.0 / choices as f64;
            }
        }
        rate
    };
    let rates: Vec<MatchRate> = thread::scope(|scope| {
        let helpers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || share(thread)))
            .collect();
        helpers
            .into_iter()
            .map(|helper| {
                helper
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    rates
        .iter()
        .fold(MatchRate::default(), |sum, rate| MatchRate {
            positions: sum.positions + rate.positions,
            matched: sum.matched + rate.matched,
            by_chance: sum.by_chance + rate.by_chance,
        })
}
