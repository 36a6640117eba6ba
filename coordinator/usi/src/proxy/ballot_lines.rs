//! Ballots as `info` lines.
//!
//! The moves are `multipv` lines, with scores by their [ranking](monju_coordinator::ballot::ranking).
//! `nodes` and `nps` are sums over all players, `hashfull` is that of the fullest table.

use super::steady_scores::SteadyScores;
use crate::info_line::InfoLine;
use monju_coordinator::{
    ballot::{
        names,
        ranking::{self, RankedMove},
    },
    calibration::uncalibrated_win_rate,
};
use monju_engine::Game;
use monju_proto::text::excerpt;
use monju_proto::v1::{Arrival, Ballot, Bound, Score, Tally, TieBreak, Vote, score};
use std::{fmt::Write, time::Duration};

/// Returns one `info … multipv K … pv …` line for every move of the council: the decision first, the others
/// by votes. `wanted` is the number of moves that were asked for; with one, every move with a vote is shown.
/// Scores in centipawns are those of `steady`, where it has them.
pub fn candidates(
    game: &Game,
    ballot: &Ballot,
    elapsed: Duration,
    wanted: usize,
    steady: &SteadyScores,
) -> Vec<String> {
    let sums = Sums::of(ballot);
    ranking::rank(ballot, wanted)
        .into_iter()
        .filter(|ranked| game.parse_move(ranked.mv).is_ok())
        .enumerate()
        .map(|(index, ranked)| {
            let line = InfoLine {
                depth: ranked.line.depth,
                selective_depth: ranked.line.selective_depth,
                score: score_text(steadied(&ranked, steady)),
                nodes: sums.nodes,
                nodes_per_second: sums.nodes_per_second,
                hash_full: sums.hash_full,
                time: elapsed,
                multipv: Some(index + 1),
                pv: pv_text(game, ranked.mv, ranked.pv),
            };
            line.to_string()
        })
        .collect()
}

/// Returns the `info string` with each move's share of the votes that are there, and its win rate where the
/// scores of its voters are calibrated; `None` without votes. An `analysis` has win rates without a calibration,
/// too, by the scores that [`candidates`] shows, and names the reason of the first player where all have failed.
pub fn shares(ballot: &Ballot, analysis: Option<&SteadyScores>) -> Option<String> {
    let mut arrivals = ballot.votes.iter().map(Vote::arrival);
    if analysis.is_some() && arrivals.all(|arrival| arrival == Arrival::Failed) {
        return failure(ballot).map(|failure| format!("info string votes none{failure}"));
    }
    let ranking = ranking::rank(ballot, 1);
    let uncalibrated = |mv: &str| {
        let ranked = ranking.iter().find(|ranked| ranked.mv == mv)?;
        let score = steadied(ranked, analysis?)?.value()?;
        Some(uncalibrated_win_rate(score.to_centipawns()))
    };
    let votes: u32 = ballot.tally.iter().map(|tally| tally.votes).sum();
    let moves = ballot.tally.iter().map(|Tally { r#move, votes: own }| {
        let share = 100.0 * f64::from(*own) / f64::from(votes.max(1));
        let calibrated = ranking::win_rate(&ballot.votes, r#move);
        let rate = match (calibrated, uncalibrated(r#move)) {
            (Some(rate), _) => format!(" (win rate {:.1}%)", 100.0 * rate),
            (None, Some(rate)) => format!(" (win rate {:.1}%, uncalibrated)", 100.0 * rate),
            (None, None) => String::new(),
        };
        format!("{move} {share:.0}%{rate}", move = r#move)
    });
    let moves: Vec<String> = moves.collect();
    (votes > 0).then(|| format!("info string share of votes: {}", moves.join(", ")))
}

/// Greatest length of the reason why a player has no vote, in characters.
const LONGEST_FAILURE: usize = 200;

/// Returns the `info string` with the votes of every player and the reason for the decision. Without any vote it
/// names the reason of the first player that failed.
pub fn verdict(ballot: &Ballot) -> String {
    let mut text = "info string votes".to_owned();
    for tally in &ballot.tally {
        let names: Vec<&str> = ballot
            .votes
            .iter()
            .filter(|vote| vote.counted && vote.chosen() == tally.r#move)
            .map(name_of)
            .collect();
        // Writing to a String never fails.
        let _ = write!(
            text,
            " {}={} ({})",
            tally.r#move,
            tally.votes,
            names.join(" ")
        );
    }
    if ballot.tally.is_empty() {
        text.push_str(" none");
    }
    if let Some(decision) = &ballot.decision {
        let _ = match decision.tie_break() {
            TieBreak::Rules => write!(
                text,
                " decision {} by the rules of the game",
                decision.r#move
            ),
            _ => write!(text, " decision {} rule {}", decision.r#move, decision.rule),
        };
        if let Some(rate) = decision.win_rate {
            let _ = write!(text, " win rate {:.1}%", 100.0 * rate);
        }
        match decision.tie_break() {
            TieBreak::None | TieBreak::Book | TieBreak::Rules => {}
            other => {
                let _ = write!(text, " tie {}", names::tie_break(other));
            }
        }
    }
    if ballot
        .decision
        .as_ref()
        .is_some_and(|decision| decision.book)
    {
        text.push_str(" from the book");
    }
    let uncounted: Vec<String> = ballot
        .votes
        .iter()
        .filter(|vote| !vote.counted)
        .map(|vote| match arrival_text(vote.arrival()) {
            "" => name_of(vote).to_owned(),
            arrival => format!("{}:{arrival}", name_of(vote)),
        })
        .collect();
    if !uncounted.is_empty() {
        let _ = write!(text, " uncounted ({})", uncounted.join(" "));
    }
    text.push_str(&failure(ballot).unwrap_or_default());
    text
}

/// Returns the reason of the first player that failed, where no player has a vote.
fn failure(ballot: &Ballot) -> Option<String> {
    let mut failed = ballot.votes.iter().filter(|vote| !vote.failure.is_empty());
    let vote = failed.next().filter(|_| ballot.tally.is_empty())?;
    let failure = excerpt(&vote.failure, LONGEST_FAILURE);
    Some(format!(" because {}: {failure}", name_of(vote)))
}

/// Sums over all players.
struct Sums {
    nodes: u64,
    nodes_per_second: u64,
    hash_full: Option<u32>,
}

impl Sums {
    fn of(ballot: &Ballot) -> Self {
        let mut sums = Self {
            nodes: 0,
            nodes_per_second: 0,
            hash_full: None,
        };
        for line in ballot.votes.iter().filter_map(|vote| vote.line.as_ref()) {
            sums.nodes = sums.nodes.saturating_add(line.nodes);
            let speed = line.nodes.saturating_mul(1_000).checked_div(line.time_ms);
            sums.nodes_per_second = sums.nodes_per_second.saturating_add(speed.unwrap_or(0));
            sums.hash_full = sums.hash_full.max(line.hash_full);
        }
        sums
    }
}

/// Returns the score of a move, or the steady one in its place.
fn steadied(ranked: &RankedMove<'_>, steady: &SteadyScores) -> Option<Score> {
    let mut score = ranked.score?;
    if let Some(score::Kind::Cp(centipawns)) = &mut score.kind
        && let Some(steady) = steady.centipawns(ranked.mv)
    {
        *centipawns = steady;
        score.bound = Bound::Exact.into();
    }
    Some(score)
}

fn name_of(vote: &Vote) -> &str {
    vote.player
        .as_ref()
        .map_or("?", |player| player.name.as_str())
}

fn score_text(score: Option<Score>) -> Option<String> {
    let score = score?;
    let mut text = match score.kind? {
        score::Kind::Cp(cp) => format!("cp {cp}"),
        score::Kind::Mate(plies) => format!("mate {plies}"),
        score::Kind::MateOfUnknownLength(true) => "mate +".to_owned(),
        score::Kind::MateOfUnknownLength(false) => "mate -".to_owned(),
    };
    match score.bound() {
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
        Bound::Exact | Bound::Unspecified => {}
    }
    Some(text)
}

/// Returns the legal part of a principal variation: a GUI plays it on its own board. It always starts with the
/// move.
fn pv_text(game: &Game, mv: &str, pv: &[String]) -> String {
    let mut text = mv.to_owned();
    if pv.first().is_none_or(|first| first != mv) {
        return text;
    }
    let mut game = game.clone();
    for (index, next) in pv.iter().enumerate() {
        let Ok(parsed) = game.parse_move(next) else {
            break;
        };
        if game.play(parsed).is_err() {
            break;
        }
        if index > 0 {
            text.push(' ');
            text.push_str(next);
        }
    }
    text
}

fn arrival_text(arrival: Arrival) -> &'static str {
    match arrival {
        Arrival::Unspecified => "",
        Arrival::Final => "final",
        Arrival::Provisional => "provisional",
        Arrival::Late => "late",
        Arrival::Failed => "failed",
        Arrival::Illegal => "illegal",
        Arrival::Resigned => "resigned",
        Arrival::DeclaredWin => "declared-win",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Candidate, Decision, Line, PlayerInfo};

    fn vote(name: &str, pv: &str, score: score::Kind, depth: u32) -> Vote {
        let pv: Vec<String> = pv.split_whitespace().map(str::to_owned).collect();
        Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: pv[0].clone(),
                score: Some(Score {
                    kind: Some(score),
                    bound: Bound::Exact.into(),
                }),
                depth,
                selective_depth: depth + 4,
                nodes: 1_000,
                time_ms: 100,
                pv,
                ..Line::default()
            }),
            arrival: Arrival::Final.into(),
            legal: true,
            counted: true,
            ..Vote::default()
        }
    }

    fn tally(mv: &str, votes: u32) -> Tally {
        Tally {
            r#move: mv.to_owned(),
            votes,
        }
    }

    fn ballot() -> Ballot {
        Ballot {
            votes: vec![
                vote("monju-1", "7g7f 3c3d 2g2f", score::Kind::Cp(40), 9),
                vote("monju-2", "2g2f 8c8d", score::Kind::Mate(-8), 7),
                vote("monju-3", "7g7f 8c8d", score::Kind::Cp(55), 10),
            ],
            tally: vec![tally("7g7f", 2), tally("2g2f", 1)],
            decision: Some(Decision {
                r#move: "7g7f".to_owned(),
                rule: "majority".to_owned(),
                ..Decision::default()
            }),
            ..Ballot::default()
        }
    }

    fn lines(ballot: &Ballot) -> Vec<String> {
        let steady = SteadyScores::default();
        candidates(
            &Game::startpos(),
            ballot,
            Duration::from_millis(250),
            1,
            &steady,
        )
    }

    #[test]
    fn candidates_in_order_of_votes_with_summed_nodes_and_pv_last() {
        assert_eq!(
            lines(&ballot()),
            [
                "info depth 10 seldepth 14 score cp 40 nodes 3000 nps 30000 time 250 multipv 1 pv 7g7f 8c8d",
                "info depth 7 seldepth 11 score mate -8 nodes 3000 nps 30000 time 250 multipv 2 pv 2g2f 8c8d",
            ]
        );
    }

    #[test]
    fn the_decision_leads_although_the_primary_broke_the_tie() {
        let mut ballot = ballot();
        ballot.decision.as_mut().expect("decided").r#move = "2g2f".to_owned();
        let lines = lines(&ballot);
        assert!(lines[0].contains("multipv 1 pv 2g2f"), "{lines:?}");
        assert!(lines[1].contains("multipv 2 pv 7g7f"), "{lines:?}");
    }

    #[test]
    fn a_bound_does_not_rank_before_an_exact_score() {
        let mut ballot = ballot();
        let deepest = ballot.votes[2].line.as_mut().expect("a line");
        deepest.score.as_mut().expect("a score").bound = Bound::Lower.into();
        assert!(lines(&ballot)[0].contains("depth 9 seldepth 13 score cp 40 nodes"));
        // The only voter's score is shown, bound or not.
        ballot.votes.remove(0);
        assert!(lines(&ballot)[0].contains("score cp 55 lowerbound nodes"));
    }

    #[test]
    fn mates_of_unknown_length_and_missing_scores() {
        let mut ballot = ballot();
        let line = ballot.votes[1].line.as_mut().expect("a line");
        line.score.as_mut().expect("a score").kind = Some(score::Kind::MateOfUnknownLength(true));
        assert!(lines(&ballot)[1].contains("score mate + nodes"));
        ballot.votes[1].line.as_mut().expect("a line").score = None;
        assert!(lines(&ballot)[1].contains("seldepth 11 nodes"));
    }

    #[test]
    fn the_council_ranks_moves_by_votes_and_by_the_median_of_their_scores() {
        let mut ballot = ballot();
        let ranked = |mv: &str, score: i32| Candidate {
            r#move: mv.to_owned(),
            score: Some(Score {
                kind: Some(score::Kind::Cp(score)),
                bound: Bound::Exact.into(),
            }),
            pv: vec![mv.to_owned(), "3c3d".to_owned()],
        };
        let rankings = [
            [ranked("7g7f", 40), ranked("9g9f", 10)],
            [ranked("2g2f", -8), ranked("7g7f", -500)],
            [ranked("7g7f", 55), ranked("9g9f", -30)],
        ];
        for (vote, candidates) in ballot.votes.iter_mut().zip(rankings) {
            vote.line.as_mut().expect("a line").candidates = candidates.to_vec();
        }
        ballot.votes[0].line.as_mut().expect("a line").hash_full = Some(120);
        let lines = |wanted| {
            candidates(
                &Game::startpos(),
                &ballot,
                Duration::from_millis(250),
                wanted,
                &SteadyScores::default(),
            )
        };
        let all = lines(16);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(
            all[0].contains("score cp 40 nodes 3000 nps 30000 hashfull 120 time 250 multipv 1")
        );
        assert!(all[1].ends_with("multipv 2 pv 2g2f 8c8d"), "{all:?}");
        assert!(
            all[2].contains("depth 10 seldepth 14 score cp -30 nodes"),
            "{all:?}"
        );
        assert!(all[2].ends_with("multipv 3 pv 9g9f 3c3d"), "{all:?}");
        assert_eq!(lines(2), all[..2]);
        // Without a choice of ranked moves, every move with a vote is shown, and no other.
        assert_eq!(lines(1).len(), 2);
    }

    #[test]
    fn shares_of_the_votes_come_with_win_rates_where_there_are_some() {
        let mut ballot = ballot();
        assert_eq!(
            shares(&ballot, None).as_deref(),
            Some("info string share of votes: 7g7f 67%, 2g2f 33%")
        );
        ballot.votes[0].win_rate = Some(0.5);
        ballot.votes[2].win_rate = Some(0.6);
        ballot.decision.as_mut().expect("decided").win_rate = Some(0.55);
        assert_eq!(
            shares(&ballot, None).as_deref(),
            Some("info string share of votes: 7g7f 67% (win rate 55.0%), 2g2f 33%")
        );
        assert!(verdict(&ballot).ends_with("rule majority win rate 55.0%"));
        assert_eq!(shares(&Ballot::default(), None), None);
    }

    #[test]
    fn an_analysis_has_win_rates_without_a_calibration() {
        let mut ballot = ballot();
        let mut steady = SteadyScores::default();
        assert_eq!(
            shares(&ballot, Some(&steady)).as_deref(),
            Some(
                "info string share of votes: 7g7f 67% (win rate 51.7%, uncalibrated), \
                 2g2f 33% (win rate 0.0%, uncalibrated)"
            )
        );
        // The win rate is that of the score that is shown: the mean of 40 and 55.
        steady.observe(&ballot, Duration::ZERO);
        let text = shares(&ballot, Some(&steady)).expect("votes");
        assert!(
            text.contains("7g7f 67% (win rate 52.0%, uncalibrated)"),
            "{text}"
        );
        ballot.votes[0].win_rate = Some(0.5);
        let text = shares(&ballot, Some(&steady)).expect("votes");
        assert!(text.contains("7g7f 67% (win rate 50.0%), 2g2f"), "{text}");
    }

    #[test]
    fn only_the_legal_part_of_a_pv_is_shown() {
        let mut ballot = ballot();
        ballot.votes[1].line.as_mut().expect("a line").pv =
            ["2g2f", "8c8d", "5e5d", "3c3d"].map(str::to_owned).to_vec();
        assert!(lines(&ballot)[1].ends_with("pv 2g2f 8c8d"));
        ballot.votes[1].line.as_mut().expect("a line").pv = vec!["9g9f".to_owned()];
        assert!(lines(&ballot)[1].ends_with("pv 2g2f"));
    }

    #[test]
    fn the_verdict_names_every_voter() {
        assert_eq!(
            verdict(&ballot()),
            "info string votes 7g7f=2 (monju-1 monju-3) 2g2f=1 (monju-2) \
             decision 7g7f rule majority"
        );
    }

    #[test]
    fn the_verdict_names_ties_and_votes_that_did_not_count() {
        let mut ballot = ballot();
        ballot.decision.as_mut().expect("decided").tie_break = TieBreak::Primary.into();
        let mut resigned = vote("gpsusi", "resign", score::Kind::Cp(0), 1);
        resigned.counted = false;
        resigned.arrival = Arrival::Resigned.into();
        ballot.votes.push(resigned);
        ballot.votes.push(Vote {
            arrival: Arrival::Failed.into(),
            ..Vote::default()
        });
        assert_eq!(
            verdict(&ballot),
            "info string votes 7g7f=2 (monju-1 monju-3) 2g2f=1 (monju-2) \
             decision 7g7f rule majority tie primary uncounted (gpsusi:resigned ?:failed)"
        );
        assert_eq!(verdict(&Ballot::default()), "info string votes none");
    }

    #[test]
    fn without_a_vote_the_verdict_names_the_first_failure() {
        let failed = |name: &str, failure: &str| Vote {
            arrival: Arrival::Failed.into(),
            counted: false,
            failure: failure.to_owned(),
            ..vote(name, "7g7f", score::Kind::Cp(0), 1)
        };
        let held = "the players are held by another GUI\n for a game";
        let votes = vec![failed("a", ""), failed("b", held), failed("c", "lost")];
        let mut ballot = Ballot {
            votes,
            ..Ballot::default()
        };
        assert_eq!(
            verdict(&ballot),
            "info string votes none uncounted (a:failed b:failed c:failed) \
             because b: the players are held by another GUI  for a game"
        );
        // An analysis that waits for its players tells at once why.
        assert_eq!(
            shares(&ballot, Some(&SteadyScores::default())).as_deref(),
            Some(
                "info string votes none because b: the players are held by another GUI  for a game"
            )
        );
        assert_eq!(shares(&ballot, None), None);
        ballot.votes[1].failure = "x".repeat(10_000);
        assert!(verdict(&ballot).len() < 300);
        // A failure beside votes is in the log of the coordinator.
        ballot.votes.push(vote("d", "7g7f", score::Kind::Cp(0), 1));
        ballot.tally = vec![tally("7g7f", 1)];
        assert!(!verdict(&ballot).contains("because"));
        let mated = Ballot {
            decision: Some(Decision {
                r#move: "resign".to_owned(),
                rule: "majority".to_owned(),
                tie_break: TieBreak::Rules.into(),
                ..Decision::default()
            }),
            ..Ballot::default()
        };
        assert_eq!(
            verdict(&mated),
            "info string votes none decision resign by the rules of the game"
        );
    }
}
