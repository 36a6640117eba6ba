//! Learning the curves of engines from logs, for `monju calibrate`.
//!
//! In games whose result is known, each engine's scores are compared with the result. The result is a
//! line of the log, or follows from the game's last ballot: a resignation, a declaration, or a mate
//! that the decision's votes agree on. An engine with too few such games is compared, ballot by
//! ballot, with the win rates of the engines that have enough. If no result is known at all, the
//! engine with the most scores is compared with its own last score of each game, if that is a clear
//! one: late scores are nearer the truth than early ones.

use super::{
    curve::{Calibration, Curve},
    file::EngineCurve,
    fit::{self, FitSample},
    score::scale_name,
};
use crate::record::{
    read::Log,
    schema::{GAME_OVER, GameResult, Winner},
};
use monju_engine::{Color, Game};
use monju_proto::{
    convert::RankedScore,
    v1::{Ballot, Vote},
};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest votes that a curve is learned from.
const FEWEST_VOTES: usize = 50;

/// The result of learning from logs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedCurves {
    /// A curve for every engine with enough data, and its logarithmic loss in nats on the votes that it
    /// was learned from.
    pub curves: Vec<(EngineCurve, f64)>,
    /// The engines without a curve, and the reason.
    pub left_out: Vec<(String, String)>,
    /// Number of games with a known result.
    pub games: u64,
}

/// One engine's score in one ballot.
struct RecordedScore<'a> {
    game: &'a str,
    ballot: usize,
    side: Color,
    engine: String,
    centipawns: f64,
}

/// Learns from logs.
pub fn learn(log: &Log) -> LearnedCurves {
    let results = KnownResults::of(log);
    let scored = scored(&log.ballots);
    let engines: BTreeSet<&str> = scored.iter().map(|score| &*score.engine).collect();
    let mut learned = LearnedCurves {
        games: results.winners.len() as u64,
        ..LearnedCurves::default()
    };
    for engine in &engines {
        let samples = scored.iter().filter(|score| score.engine == *engine);
        let samples = samples.filter_map(|score| Some((score, results.outcome(score)?)));
        learned.fit(engine, "results", samples);
    }
    if learned.curves.is_empty() {
        learned.fit_to_last_scores(&scored);
    }
    learned.fit_to_each_other(&engines, &scored);
    let known: BTreeSet<&str> = learned
        .curves
        .iter()
        .map(|(curve, _)| &*curve.name)
        .collect();
    let unknown = engines.iter().filter(|engine| !known.contains(*engine));
    learned.left_out = unknown
        .map(|engine| {
            let votes = scored
                .iter()
                .filter(|score| score.engine == *engine)
                .count();
            let own = scored.iter().filter(|score| score.engine == *engine);
            let outcomes: Vec<f64> = own.filter_map(|score| results.outcome(score)).collect();
            let why = match votes {
                few if few < FEWEST_VOTES => {
                    format!("{few} scores are too few; {FEWEST_VOTES} are the least")
                }
                _ if !outcomes.is_empty() && !has_both(outcomes) => {
                    "the games with a known result were all won, or all lost; record others, too"
                        .to_owned()
                }
                many => format!("{many} scores predict neither results nor other engines' scores"),
            };
            ((*engine).to_owned(), why)
        })
        .collect();
    learned
}

/// Returns true if there are both wins and losses; otherwise any score predicts the results.
fn has_both(outcomes: impl IntoIterator<Item = f64>) -> bool {
    let (mut good, mut bad) = (false, false);
    for outcome in outcomes {
        good |= outcome > 0.5;
        bad |= outcome < 0.5;
    }
    good && bad
}

/// Returns the scores of a log that are evaluations: neither mates nor bounds.
fn scored(ballots: &[Ballot]) -> Vec<RecordedScore<'_>> {
    let mut scored = Vec::new();
    for (index, ballot) in ballots.iter().enumerate() {
        let Some(side) = side_to_move(ballot) else {
            continue;
        };
        for vote in &ballot.votes {
            if let (Some(player), Some(RankedScore::Centipawns(cp))) =
                (&vote.player, vote_score(vote))
            {
                scored.push(RecordedScore {
                    game: &ballot.game_id,
                    ballot: index,
                    side,
                    engine: scale_name(player),
                    centipawns: cp.into(),
                });
            }
        }
    }
    scored
}

fn vote_score(vote: &Vote) -> Option<RankedScore> {
    let score = vote.line.as_ref()?.score.as_ref()?;
    score.ranked()
}

fn side_to_move(ballot: &Ballot) -> Option<Color> {
    let position = ballot.position.as_ref()?;
    let game = Game::try_from(position).ok()?;
    Some(game.position().side_to_move())
}

/// The known results of games.
struct KnownResults<'a> {
    winners: BTreeMap<&'a str, Winner>,
}

impl<'a> KnownResults<'a> {
    fn of(log: &'a Log) -> Self {
        let mut last = BTreeMap::<&str, &Ballot>::new();
        for ballot in &log.ballots {
            last.insert(&ballot.game_id, ballot);
        }
        let implied = last
            .into_iter()
            .filter_map(|(game, ballot)| Some((game, winner_after(ballot)?)));
        let mut winners: BTreeMap<&str, Winner> = implied.collect();
        for GameResult {
            game_id,
            winner,
            reason,
            ..
        } in &log.results
        {
            // GUIs report an aborted game as drawn.
            if *winner != Winner::Draw || reason != GAME_OVER {
                winners.insert(game_id, *winner);
            }
        }
        Self { winners }
    }

    fn outcome(&self, score: &RecordedScore<'_>) -> Option<f64> {
        let winner = self.winners.get(score.game)?;
        Some(match (winner, score.side) {
            (Winner::Draw, _) => 0.5,
            (Winner::Black, Color::Black) | (Winner::White, Color::White) => 1.0,
            _ => 0.0,
        })
    }
}

/// Returns the winner that follows from the last ballot of a game.
fn winner_after(ballot: &Ballot) -> Option<Winner> {
    let decision = ballot.decision.as_ref()?;
    let mover_wins = match decision.r#move.as_str() {
        _ if decision.resigns() => false,
        _ if decision.declares_win() => true,
        mv => {
            let is_for = |vote: &&Vote| {
                let line = vote.line.as_ref();
                vote.counted && line.is_some_and(|line| line.r#move == mv)
            };
            let scores: Vec<RankedScore> = ballot
                .votes
                .iter()
                .filter(is_for)
                .filter_map(vote_score)
                .collect();
            let mates = |score: &RankedScore| matches!(score, RankedScore::Mates(_));
            let mated = |score: &RankedScore| matches!(score, RankedScore::Mated(_));
            match scores.as_slice() {
                [] => return None,
                all if all.iter().all(mates) => true,
                all if all.iter().all(mated) => false,
                _ => return None,
            }
        }
    };
    Some(match (side_to_move(ballot)?, mover_wins) {
        (Color::Black, true) | (Color::White, false) => Winner::Black,
        (Color::White, true) | (Color::Black, false) => Winner::White,
    })
}

impl LearnedCurves {
    /// Fits the curve of an engine, and keeps it if there is one.
    fn fit<'a>(
        &mut self,
        engine: &str,
        against: &str,
        outcomes: impl Iterator<Item = (&'a RecordedScore<'a>, f64)>,
    ) {
        let mut games = BTreeSet::new();
        let samples: Vec<FitSample> = outcomes
            .map(|(score, outcome)| {
                games.insert(score.game);
                FitSample {
                    centipawns: score.centipawns,
                    outcome,
                }
            })
            .collect();
        if samples.len() < FEWEST_VOTES || !has_both(samples.iter().map(|sample| sample.outcome)) {
            return;
        }
        if let Some(curve) = fit::curve(&samples) {
            let loss = fit::loss(&curve, &samples);
            let Curve { scale, offset } = curve;
            let curve = EngineCurve {
                name: engine.to_owned(),
                scale,
                offset,
                against: against.to_owned(),
                votes: samples.len() as u64,
                games: games.len() as u64,
            };
            self.curves.push((curve, loss));
        }
    }

    /// Fits the engine with the most scores to its own last clear score of each game.
    fn fit_to_last_scores(&mut self, scored: &[RecordedScore<'_>]) {
        let mut counts = BTreeMap::<&str, usize>::new();
        for score in scored {
            *counts.entry(&score.engine).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(_, count)| **count);
        let Some((&engine, _)) = most else { return };
        let own: Vec<&RecordedScore> = scored
            .iter()
            .filter(|score| score.engine == engine)
            .collect();
        let squares: f64 = own.iter().map(|score| score.centipawns.powi(2)).sum();
        let spread = (squares / own.len() as f64).sqrt();
        let mut last = BTreeMap::<&str, (usize, f64)>::new();
        for score in &own {
            last.insert(score.game, (score.ballot, black(score)));
        }
        let outcome = |score: &RecordedScore<'_>| {
            let (ballot, last) = *last.get(score.game)?;
            // The last ballot cannot be compared with itself.
            let clear = ballot != score.ballot && last.abs() >= spread;
            let mover = match score.side {
                Color::Black => last,
                Color::White => -last,
            };
            clear.then_some(f64::from(u8::from(mover > 0.0)))
        };
        let samples = own
            .iter()
            .filter_map(|score| Some((*score, outcome(score)?)));
        self.fit(engine, "last scores", samples);
    }

    /// Fits the engines without a curve to those with one, in the ballots that they share.
    fn fit_to_each_other(&mut self, engines: &BTreeSet<&str>, scored: &[RecordedScore<'_>]) {
        loop {
            let curves = self.curves.iter().map(|(curve, _)| curve);
            let known = Calibration::new(curves.map(|curve| (curve.name.clone(), curve.curve())));
            let before = self.curves.len();
            let rates = rates(&known, scored);
            for engine in engines {
                if known.curves.contains_key(*engine) {
                    continue;
                }
                let own = scored.iter().filter(|score| score.engine == *engine);
                let samples: Vec<(&RecordedScore, f64)> = own
                    .filter_map(|score| Some((score, *rates.get(&score.ballot)?)))
                    .collect();
                let against: Vec<&str> = known.curves.keys().map(String::as_str).collect();
                self.fit(engine, &against.join(", "), samples.into_iter());
            }
            if self.curves.len() == before {
                return;
            }
        }
    }
}

/// Returns the mean win rate of each ballot, by the engines with a curve.
fn rates(known: &Calibration, scored: &[RecordedScore<'_>]) -> BTreeMap<usize, f64> {
    let mut sums = BTreeMap::<usize, (f64, u32)>::new();
    for score in scored {
        if let Some(curve) = known.curves.get(&score.engine) {
            let (sum, count) = sums.entry(score.ballot).or_default();
            *sum += curve.win_rate(score.centipawns);
            *count += 1;
        }
    }
    sums.into_iter()
        .map(|(ballot, (sum, count))| (ballot, sum / f64::from(count)))
        .collect()
}

fn black(score: &RecordedScore<'_>) -> f64 {
    match score.side {
        Color::Black => score.centipawns,
        Color::White => -score.centipawns,
    }
}

#[cfg(test)]
mod tests;
