//! Rule `ranked`: Borda's count over the players' rankings of moves.

use super::poll::{Choice, Poll, greatest};
use std::collections::{BTreeMap, BTreeSet};

/// Number of moves that players rank under this rule, unless a consultation asks for another number.
/// Each further move costs a native player about as much time as its first.
pub const RANKED_MOVES: u32 = 4;

/// Returns the voted move with the most points, where each player gives its first of n moves n - 1
/// points, its second n - 2, and so on. The n moves are those of all rankings together; the moves that
/// a player leaves out share its remaining points equally. A player that ranks only its own move thus
/// has as much influence as any other, and if all do so, the majority wins.
///
/// Only moves with a vote can win: a second choice of all players may not have been examined with care.
pub fn ranked(poll: &Poll<'_>) -> Option<Choice> {
    let moves: BTreeSet<&str> = poll
        .opinions
        .iter()
        .flat_map(|opinion| opinion.ranking.iter().chain([&opinion.mv]))
        .map(String::as_str)
        .collect();
    let voted: BTreeSet<&str> = poll.opinions.iter().map(|opinion| &*opinion.mv).collect();
    let mut points: BTreeMap<&str, f64> = voted.iter().map(|mv| (*mv, 0.0)).collect();
    for opinion in poll.opinions {
        let ranks = ranks(&opinion.mv, &opinion.ranking);
        let left_out = moves.len() - ranks.len();
        let rest = left_out.saturating_sub(1) as f64 / 2.0;
        for (mv, points) in &mut points {
            let rank = ranks.iter().position(|ranked| ranked == mv);
            *points += rank.map_or(rest, |rank| (moves.len() - 1 - rank) as f64);
        }
    }
    poll.break_tie(greatest(points.iter().map(|(mv, sum)| (*mv, *sum))))
}

/// Returns the ranking with the vote itself first and each move once: a vote may be newer than a
/// ranking.
fn ranks<'a>(vote: &'a str, ranking: &'a [String]) -> Vec<&'a str> {
    let mut ranks = vec![vote];
    for mv in ranking {
        if !ranks.contains(&mv.as_str()) {
            ranks.push(mv);
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    fn decide(rankings: &[&[&str]]) -> Option<Choice> {
        let opinions: Vec<Opinion> = rankings
            .iter()
            .map(|ranking| Opinion {
                ranking: ranking.iter().map(|mv| (*mv).to_owned()).collect(),
                ..Opinion::plain(ranking[0])
            })
            .collect();
        ranked(&Poll {
            win_rate: None,
            opinions: &opinions,
            primary: None,
            seed: 1,
        })
    }

    #[test]
    fn a_good_second_choice_beats_a_split_first() {
        // a: 3 + 0 + 0 + 3 = 6, b: 2 + 3 + 2 + 2 = 9, c: 1 + 2 + 3 + 0, d: 0 + 1 + 1 + 1.
        let choice = decide(&[
            &["a", "b", "c", "d"],
            &["b", "c", "d", "a"],
            &["c", "b", "d", "a"],
            &["a", "b", "d", "c"],
        ]);
        assert_eq!(choice, Some(Choice::new("b", Ground::Votes)));
    }

    #[test]
    fn a_move_without_a_vote_cannot_win() {
        let choice = decide(&[&["a", "x"], &["b", "x"], &["c", "x"], &["a", "x"]]);
        assert_eq!(choice, Some(Choice::new("a", Ground::Votes)));
    }

    #[test]
    fn without_rankings_the_majority_wins() {
        let choice = decide(&[&["a"], &["b"], &["a"], &["c"], &["d"]]);
        assert_eq!(choice, Some(Choice::new("a", Ground::Votes)));
    }
}
