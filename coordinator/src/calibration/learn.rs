//! What `monju calibrate` learns from logs.
//!
//! In games whose result is known, each engine's scores are compared with what came of them. The
//! result is a line of the log, or follows from the game's last ballot: a resignation, a
//! declaration, or a mate that the decision's votes agree on. An engine that has seen too few such
//! games is compared, ballot by ballot, with the win rates of those that have. Where no result is
//! known at all, the engine with the most scores is compared with its own last score of each game,
//! where that is a clear one: what it says late in a game is nearer the truth than what it said
//! early.

use super::{
    Calibration, Curve, EngineCurve, Standing,
    fit::{self, Sample},
    scale_name, standing,
};
use crate::record::{
    read::Log,
    schema::{GAME_OVER, GameResult, Winner},
};
use monju_engine::{Color, Game};
use monju_proto::v1::{Ballot, PlayerInfo, Vote};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer votes than this say nothing about an engine.
const FEWEST_VOTES: usize = 50;

/// What was learned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    /// A curve for every engine that there is enough about, and its logarithmic loss in nats on
    /// the votes that it was learned from.
    pub curves: Vec<(EngineCurve, f64)>,
    /// The engines without one, and why.
    pub left_out: Vec<(String, String)>,
    /// Games with a known result.
    pub games: u64,
}

/// One score in one ballot, for one engine.
struct Scored<'a> {
    game: &'a str,
    ballot: usize,
    side: Color,
    engine: String,
    centipawns: f64,
}

/// Learns from logs.
pub fn learn(log: &Log) -> Lesson {
    let games = Games::of(log);
    let scored = scored(&log.ballots);
    let engines: BTreeSet<&str> = scored.iter().map(|score| &*score.engine).collect();
    let mut lesson = Lesson {
        games: games.winners.len() as u64,
        ..Lesson::default()
    };
    for engine in &engines {
        let samples = scored.iter().filter(|score| score.engine == *engine);
        let samples = samples.filter_map(|score| Some((score, games.outcome(score)?)));
        lesson.fit(engine, "results", samples);
    }
    if lesson.curves.is_empty() {
        lesson.fit_to_last_scores(&scored);
    }
    lesson.fit_to_each_other(&engines, &scored);
    let known: BTreeSet<&str> = lesson
        .curves
        .iter()
        .map(|(curve, _)| &*curve.name)
        .collect();
    let unknown = engines.iter().filter(|engine| !known.contains(*engine));
    lesson.left_out = unknown
        .map(|engine| {
            let votes = scored
                .iter()
                .filter(|score| score.engine == *engine)
                .count();
            let own = scored.iter().filter(|score| score.engine == *engine);
            let outcomes: Vec<f64> = own.filter_map(|score| games.outcome(score)).collect();
            let why = match votes {
                few if few < FEWEST_VOTES => {
                    format!("{few} scores are too few; {FEWEST_VOTES} are the least")
                }
                _ if !outcomes.is_empty() && !has_both(outcomes) => {
                    "the games with a known result were all won, or all lost; record others, too"
                        .to_owned()
                }
                many => format!("{many} scores foretell neither results nor other engines' scores"),
            };
            ((*engine).to_owned(), why)
        })
        .collect();
    lesson
}

/// Whether there is good and bad among outcomes: where there is not, any score foretells it.
fn has_both(outcomes: impl IntoIterator<Item = f64>) -> bool {
    let (mut good, mut bad) = (false, false);
    for outcome in outcomes {
        good |= outcome > 0.5;
        bad |= outcome < 0.5;
    }
    good && bad
}

/// The scores of a log that are evaluations: neither mates nor bounds.
fn scored(ballots: &[Ballot]) -> Vec<Scored<'_>> {
    let mut scored = Vec::new();
    for (index, ballot) in ballots.iter().enumerate() {
        let Some(side) = side_to_move(ballot) else {
            continue;
        };
        for vote in &ballot.votes {
            if let (Some(player), Some(Standing::Centipawns(cp))) = (&vote.player, said(vote)) {
                scored.push(Scored {
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

fn said(vote: &Vote) -> Option<Standing> {
    let score = vote.line.as_ref()?.score.as_ref()?;
    standing(score)
}

fn side_to_move(ballot: &Ballot) -> Option<Color> {
    let position = ballot.position.as_ref()?;
    let game = Game::try_from(position).ok()?;
    Some(game.position().side_to_move())
}

/// The results that are known.
struct Games<'a> {
    winners: BTreeMap<&'a str, Winner>,
}

impl<'a> Games<'a> {
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
            // GUIs call a game drawn that somebody broke off.
            if *winner != Winner::Draw || reason != GAME_OVER {
                winners.insert(game_id, *winner);
            }
        }
        Self { winners }
    }

    fn outcome(&self, score: &Scored<'_>) -> Option<f64> {
        let winner = self.winners.get(score.game)?;
        Some(match (winner, score.side) {
            (Winner::Draw, _) => 0.5,
            (Winner::Black, Color::Black) | (Winner::White, Color::White) => 1.0,
            _ => 0.0,
        })
    }
}

/// Who has won when this is the last ballot of a game.
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
            let standings: Vec<Standing> = ballot
                .votes
                .iter()
                .filter(is_for)
                .filter_map(said)
                .collect();
            let mates = |standing: &Standing| matches!(standing, Standing::Mates(_));
            let mated = |standing: &Standing| matches!(standing, Standing::Mated(_));
            match standings.as_slice() {
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

impl Lesson {
    /// Fits a curve, and keeps it where there is one.
    fn fit<'a>(
        &mut self,
        engine: &str,
        against: &str,
        outcomes: impl Iterator<Item = (&'a Scored<'a>, f64)>,
    ) {
        let mut games = BTreeSet::new();
        let samples: Vec<Sample> = outcomes
            .map(|(score, outcome)| {
                games.insert(score.game);
                Sample {
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

    /// The engine with the most scores, against its own last clear score of each game.
    fn fit_to_last_scores(&mut self, scored: &[Scored<'_>]) {
        let mut counts = BTreeMap::<&str, usize>::new();
        for score in scored {
            *counts.entry(&score.engine).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(_, count)| **count);
        let Some((&engine, _)) = most else { return };
        let own: Vec<&Scored> = scored
            .iter()
            .filter(|score| score.engine == engine)
            .collect();
        let squares: f64 = own.iter().map(|score| score.centipawns.powi(2)).sum();
        let spread = (squares / own.len() as f64).sqrt();
        let mut last = BTreeMap::<&str, (usize, f64)>::new();
        for score in &own {
            last.insert(score.game, (score.ballot, black(score)));
        }
        let outcome = |score: &Scored<'_>| {
            let (ballot, last) = *last.get(score.game)?;
            // The last ballot itself would only agree with itself.
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

    /// The engines without a curve, against those with one, in the ballots that they share.
    fn fit_to_each_other(&mut self, engines: &BTreeSet<&str>, scored: &[Scored<'_>]) {
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
                let samples: Vec<(&Scored, f64)> = own
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

/// The mean win rate of each ballot, by the engines that are known.
fn rates(known: &Calibration, scored: &[Scored<'_>]) -> BTreeMap<usize, f64> {
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

fn black(score: &Scored<'_>) -> f64 {
    match score.side {
        Color::Black => score.centipawns,
        Color::White => -score.centipawns,
    }
}

impl Calibration {
    /// Reads recorded votes anew: their win rates become those of this calibration.
    pub fn apply(&self, ballots: &mut [Ballot]) {
        for vote in ballots.iter_mut().flat_map(|ballot| &mut ballot.votes) {
            let none = PlayerInfo::default();
            let player = vote.player.as_ref().unwrap_or(&none);
            let score = vote.line.as_ref().and_then(|line| line.score.as_ref());
            vote.win_rate = score.and_then(|score| self.win_rate(player, score));
        }
    }
}

#[cfg(test)]
mod tests;
