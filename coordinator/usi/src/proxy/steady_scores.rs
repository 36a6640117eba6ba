//! Scores of an analysis that do not jump when another player speaks.
//!
//! Players with noise disagree about a move by a hundred centipawns and more, so that the mean of those who rank it
//! jumps when one of them joins or leaves. What the players who stay think of the move counts at once; the difference
//! that others make fades in.

use monju_proto::v1::{Ballot, Score, Vote, score::Kind};
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

/// Time after which half of the difference that a player makes is shown.
const HALF_LIFE: Duration = Duration::from_secs(1);

/// The scores of an analysis, by move. Without observations there are none.
#[derive(Debug, Default)]
pub struct SteadyScores(HashMap<String, SteadyScore>);

/// The score of one move.
#[derive(Debug)]
struct SteadyScore {
    /// The players that rank the move, with their centipawns.
    players: BTreeMap<String, i32>,
    /// Difference between what is shown and the players' mean.
    offset: f64,
    /// Time of the last observation.
    at: Duration,
}

impl SteadyScores {
    /// Observes the votes at a time of the analysis.
    pub fn observe(&mut self, ballot: &Ballot, at: Duration) {
        let mut seen: HashMap<&str, BTreeMap<String, i32>> = HashMap::new();
        for vote in &ballot.votes {
            let name = vote.player.as_ref().map_or("", |player| &player.name);
            for (mv, score) in views(vote) {
                if let Some(Score {
                    kind: Some(Kind::Cp(centipawns)),
                    ..
                }) = score.filter(Score::is_exact)
                {
                    let players = seen.entry(mv).or_default();
                    players.entry(name.to_owned()).or_insert(centipawns);
                }
            }
        }
        for (mv, players) in seen {
            match self.0.get_mut(mv) {
                Some(known) => known.observe(players, at),
                None => {
                    let first = SteadyScore {
                        players,
                        offset: 0.0,
                        at,
                    };
                    self.0.insert(mv.to_owned(), first);
                }
            }
        }
    }

    /// Returns the centipawns of a move, if it was observed.
    pub fn centipawns(&self, mv: &str) -> Option<i32> {
        let score = self.0.get(mv)?;
        let mean = mean(score.players.values().copied())?;
        Some((mean + score.offset).round() as i32)
    }
}

impl SteadyScore {
    fn observe(&mut self, players: BTreeMap<String, i32>, at: Duration) {
        let before = mean(self.players.values().copied());
        let after = mean(players.values().copied());
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        let stay = |name: &&String| self.players.contains_key(*name) && players.contains_key(*name);
        let names: Vec<&String> = players.keys().filter(stay).collect();
        let change = mean(names.iter().map(|&name| players[name] - self.players[name]));
        let fresh = before + change.unwrap_or(0.0) - after;
        let time = at.saturating_sub(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        self.offset = self.offset * 0.5_f64.powf(time) + fresh;
        (self.players, self.at) = (players, at);
    }
}

/// Returns the moves that a player names, each with its score.
fn views(vote: &Vote) -> impl Iterator<Item = (&str, Option<Score>)> {
    vote.line.iter().flat_map(|line| {
        let others = line.candidates.iter();
        let others = others.map(|candidate| (candidate.r#move.as_str(), candidate.score));
        std::iter::once((line.chosen(), line.score)).chain(others)
    })
}

fn mean(values: impl Iterator<Item = i32>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| {
        (sum + f64::from(value), count + 1)
    });
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Bound, Line, PlayerInfo};

    fn ballot(votes: &[(&str, i32)]) -> Ballot {
        let vote = |&(name, centipawns): &(&str, i32)| Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: "7g7f".to_owned(),
                score: Some(Score {
                    kind: Some(Kind::Cp(centipawns)),
                    bound: Bound::Exact.into(),
                }),
                ..Line::default()
            }),
            ..Vote::default()
        };
        Ballot {
            votes: votes.iter().map(vote).collect(),
            ..Ballot::default()
        }
    }

    #[test]
    fn another_voter_does_not_make_the_score_jump() {
        let mut scores = SteadyScores::default();
        let mut at = Duration::ZERO;
        let mut shown = |votes: &[(&str, i32)], after_ms: u64| {
            at += Duration::from_millis(after_ms);
            scores.observe(&ballot(votes), at);
            scores.centipawns("7g7f").expect("a score")
        };
        assert_eq!(shown(&[("one", 100)], 0), 100);
        // Another one thinks worse of it by 161 centipawns, which fades in.
        let both = [("one", 100), ("two", -61)];
        assert_eq!(shown(&both, 100), 100);
        assert_eq!(shown(&both, 1_000), 60);
        assert_eq!(shown(&both, 20_000), 20);
        // A change in the players' own scores is shown at once.
        assert_eq!(shown(&[("one", 80), ("two", -61)], 100), 10);
        // The first one leaves, and another comes in its place.
        assert_eq!(shown(&[("two", -61)], 100), 10);
        assert_eq!(shown(&[("three", 300)], 100), 5);
        assert_eq!(shown(&[("three", 300)], 30_000), 300);
    }

    #[test]
    fn bounds_and_mates_are_no_scores() {
        let mut scores = SteadyScores::default();
        let mut other = ballot(&[("one", 50), ("two", 60)]);
        for (vote, kind) in other.votes.iter_mut().zip([Kind::Mate(3), Kind::Cp(70)]) {
            let line = vote.line.as_mut().expect("a line");
            line.score = Some(Score {
                kind: Some(kind),
                bound: Bound::Lower.into(),
            });
        }
        scores.observe(&other, Duration::ZERO);
        assert_eq!(scores.centipawns("7g7f"), None);
        assert_eq!(scores.centipawns("2g2f"), None);
    }
}
