//! The council's ranking of moves.
//!
//! A move's score is the median of the exact scores of all players that vote for it or rank it, each on the
//! player's own scale; of an even number, the lower of the two in the middle. It changes little when one more
//! player speaks. The line of play is that of the deepest voter or, without one, of the deepest player that
//! ranks the move.

use monju_proto::v1::{Ballot, Candidate, Line, Score, Vote};
use std::{cmp::Reverse, collections::BTreeMap, ptr};

/// A move of the council.
#[derive(Clone, Copy, Debug)]
pub struct RankedMove<'a> {
    /// The move.
    pub mv: &'a str,
    /// The median score; the score of `line` if all are bounds, `None` without any.
    pub score: Option<Score>,
    /// The line of the player whose variation is shown.
    pub line: &'a Line,
    /// The variation, which starts with the move where one is known.
    pub pv: &'a [String],
}

/// A player's view of one move.
#[derive(Clone, Copy)]
struct MoveView<'a> {
    line: &'a Line,
    is_vote: bool,
    score: Option<Score>,
    pv: &'a [String],
}

/// Ranks the moves of a ballot: the decision first, then those with votes by their number, then the moves that
/// players only rank, those of most players first and equals by their median scores. If several moves are
/// `wanted`, as many are returned; otherwise all that have votes.
pub fn rank(ballot: &Ballot, wanted: usize) -> Vec<RankedMove<'_>> {
    let decided = ballot.decision.as_ref().map(|decision| &decision.r#move);
    let mut moves: Vec<&str> = ballot
        .tally
        .iter()
        .map(|tally| tally.r#move.as_str())
        .collect();
    // The sort is stable: the other moves stay in the order of their votes.
    moves.sort_by_key(|mv| decided.map(String::as_str) != Some(mv));
    let mut views = views(ballot);
    let mut ranking: Vec<RankedMove> = (moves.iter())
        .filter_map(|&mv| ranked_move(&views.remove(mv)?, mv))
        .collect();
    if wanted > 1 {
        let mut others: Vec<(usize, RankedMove)> = (views.iter())
            .filter(|(_, views)| views.iter().any(|view| !view.is_vote))
            .filter_map(|(mv, views)| Some((views.len(), ranked_move(views, mv)?)))
            .collect();
        let worth = |score: Option<Score>| score.and_then(|score| score.centipawns());
        others.sort_by_key(|(players, ranked)| Reverse((*players, worth(ranked.score))));
        ranking.extend(others.into_iter().map(|(_, ranked)| ranked));
        ranking.truncate(wanted);
    }
    ranking
}

/// Returns the mean win rate of the counted votes for a move; `None` if no score of theirs is calibrated.
pub fn win_rate(votes: &[Vote], mv: &str) -> Option<f64> {
    let votes = (votes.iter()).filter(|vote| vote.counted && vote.chosen() == mv);
    let rates: Vec<f64> = votes.filter_map(|vote| vote.win_rate).collect();
    (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
}

/// Returns the views of all players by the move that they vote for or rank. The work grows with the number of views:
/// a hostile worker may send one of every legal move for each of its players.
fn views(ballot: &Ballot) -> BTreeMap<&str, Vec<MoveView<'_>>> {
    let mut views = BTreeMap::<&str, Vec<MoveView>>::new();
    for line in ballot.votes.iter().filter_map(|vote| vote.line.as_ref()) {
        let vote = MoveView {
            line,
            is_vote: true,
            score: line.score,
            pv: &line.pv,
        };
        let ranked = (line.candidates.iter()).map(|Candidate { r#move, score, pv }| {
            let view = MoveView {
                line,
                is_vote: false,
                score: *score,
                pv,
            };
            (r#move.as_str(), view)
        });
        for (mv, view) in std::iter::once((line.chosen(), vote)).chain(ranked) {
            let known = views.entry(mv).or_default();
            // The first word of a player on a move counts.
            if !known.last().is_some_and(|last| ptr::eq(last.line, line)) {
                known.push(view);
            }
        }
    }
    views
}

fn ranked_move<'a>(views: &[MoveView<'a>], mv: &'a str) -> Option<RankedMove<'a>> {
    let is_exact = |view: &MoveView| view.score.is_some_and(|score| score.is_exact());
    // Exact scores come before bounds; equal depths are ordered by nodes.
    let shown = (views.iter()).max_by_key(|view| {
        (
            view.is_vote,
            is_exact(view),
            view.line.depth,
            view.line.nodes,
        )
    })?;
    let mut exact: Vec<(i32, Score)> = (views.iter())
        .filter(|view| is_exact(view))
        .filter_map(|view| view.score)
        .filter_map(|score| Some((score.centipawns()?, score)))
        .collect();
    exact.sort_by_key(|&(centipawns, _)| centipawns);
    let median = exact.get(exact.len().saturating_sub(1) / 2);
    Some(RankedMove {
        mv,
        score: median.map(|&(_, score)| score).or(shown.score),
        line: shown.line,
        pv: shown.pv,
    })
}
