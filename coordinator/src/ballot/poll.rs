//! From votes, of a ballot under way or of a recorded one, to what the rules decide from.

use super::lead::{Lead, followed};
use crate::{
    calibration::{Standing, scale_name, standing},
    seed,
    voting::{self, Choice, Opinion, Poll, Rule},
};
use monju_proto::v1::{Line, Score, Vote};

/// What a mate counts in centipawns before its length is taken off, where scores of one engine are
/// compared as they are. More than any evaluation.
const MATE: f64 = 100_000.0;

/// Evaluations beyond this many centipawns are all the same.
pub(super) const MOST_CENTIPAWNS: i32 = 50_000;

/// How votes are decided.
#[derive(Clone, Copy, Debug)]
pub struct Method<'a> {
    /// The voting rule.
    pub rule: Rule,
    /// Ballot name of the primary player, where there is one.
    pub primary: Option<&'a str>,
    /// The game's seed.
    pub seed: u64,
    /// The position as SFEN: ties of one game should not all fall the same way.
    pub sfen: &'a str,
    /// The number of the move to be played, 1 for the first.
    pub ply: u32,
    /// Who has led the game so far, under `hand-over`.
    pub lead: Option<&'a Lead>,
}

/// Decides from the votes that count; `None` when there are none.
pub fn decide(method: Method<'_>, votes: &[Vote]) -> Option<Choice> {
    let counted: Vec<&Vote> = votes.iter().filter(|vote| vote.counted).collect();
    let opinions = opinions(&counted);
    let followed = followed(&method, votes);
    let poll = Poll {
        opinions: &opinions,
        primary: followed.and_then(|one| counted.iter().position(|vote| name(vote) == one)),
        seed: seed::derive(method.seed, &format!("tie {}", method.sfen)),
    };
    voting::decide(method.rule, &poll)
}

pub(super) fn name(vote: &Vote) -> &str {
    vote.player.as_ref().map_or("", |player| &player.name)
}

fn opinions(counted: &[&Vote]) -> Vec<Opinion> {
    let values = values(counted);
    let of = |(vote, value): (&&Vote, Option<f64>)| {
        let mv = vote.line.as_ref().map_or("", |line| &line.r#move);
        let candidates = vote.line.iter().flat_map(|line| &line.candidates);
        let ranking: Vec<String> = candidates.map(|ranked| ranked.r#move.clone()).collect();
        Opinion {
            weight: vote
                .player
                .as_ref()
                .and_then(|player| player.weight)
                .unwrap_or(1.0),
            value,
            ranking: match ranking.is_empty() {
                true => vec![mv.to_owned()],
                false => ranking,
            },
            mv: mv.to_owned(),
        }
    };
    counted.iter().zip(values).map(of).collect()
}

/// The scores in one unit: win rates where every score has one, else centipawns where all are of
/// one engine, else nothing at all.
fn values(counted: &[&Vote]) -> Vec<Option<f64>> {
    let scored = |vote: &&&Vote| score_of(vote).and_then(standing).is_some();
    if counted
        .iter()
        .filter(scored)
        .all(|vote| vote.win_rate.is_some())
    {
        return counted.iter().map(|vote| vote.win_rate).collect();
    }
    // Bounds rank for nothing, and their engines are others all the same.
    let mut scales = counted
        .iter()
        .filter(|vote| score_of(vote).is_some())
        .map(|vote| vote.player.as_ref().map(scale_name));
    let first = scales.next();
    let comparable = scales.all(|scale| Some(scale) == first);
    let value = |vote: &&Vote| centipawns(vote).filter(|_| comparable);
    counted.iter().map(value).collect()
}

/// The score as its engine gave it; `None` where there is none that ranks.
pub(super) fn centipawns(vote: &Vote) -> Option<f64> {
    Some(match score_of(vote).and_then(standing)? {
        Standing::Centipawns(cp) => cp.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).into(),
        Standing::Mates(plies) => MATE - f64::from(plies),
        Standing::Mated(plies) => f64::from(plies) - MATE,
    })
}

fn score_of(vote: &Vote) -> Option<&Score> {
    let line: &Line = vote.line.as_ref()?;
    line.score.as_ref()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::voting::Ground;
    use monju_proto::v1::{PlayerInfo, score::Kind};

    pub fn vote(name: &str, engine: &str, mv: &str, cp: i32) -> Vote {
        Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                engine: engine.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: mv.to_owned(),
                score: Some(Score {
                    kind: Some(Kind::Cp(cp)),
                    bound: 1,
                }),
                ..Line::default()
            }),
            counted: true,
            ..Vote::default()
        }
    }

    /// Turns its score into a bound.
    pub fn make_bound(vote: &mut Vote) {
        let line = vote.line.as_mut().expect("a line");
        line.score.as_mut().expect("a score").bound = 2;
    }

    fn decided(rule: Rule, votes: &[Vote]) -> (String, Ground) {
        decided_at(1, rule, votes)
    }

    fn decided_at(ply: u32, rule: Rule, votes: &[Vote]) -> (String, Ground) {
        let method = Method {
            rule,
            primary: None,
            seed: 1,
            sfen: "here",
            ply,
            lead: None,
        };
        let choice = decide(method, votes).expect("votes");
        (choice.mv, choice.ground)
    }

    #[test]
    fn scores_of_different_engines_compare_only_as_win_rates() {
        let mut votes = [
            vote("a", "one", "7g7f", 10),
            vote("b", "one", "7g7f", 20),
            vote("c", "two", "2g2f", 90),
        ];
        assert_eq!(
            decided(Rule::Optimistic, &votes),
            ("7g7f".to_owned(), Ground::Majority)
        );
        for (vote, rate) in votes.iter_mut().zip([0.4, 0.5, 0.6]) {
            vote.win_rate = Some(rate);
        }
        assert_eq!(
            decided(Rule::Optimistic, &votes),
            ("2g2f".to_owned(), Ground::Votes)
        );
        votes[0].win_rate = None;
        assert_eq!(decided(Rule::Optimistic, &votes).1, Ground::Majority);
    }

    #[test]
    fn bounds_rank_for_nothing_and_are_of_another_engine_all_the_same() {
        let mut votes = [
            vote("a", "one", "7g7f", 10),
            vote("b", "two", "2g2f", 20),
            vote("c", "three", "2g2f", 90),
        ];
        votes[1..].iter_mut().for_each(make_bound);
        assert_eq!(
            decided(Rule::Optimistic, &votes),
            ("2g2f".to_owned(), Ground::Majority)
        );
    }

    #[test]
    fn scores_of_one_engine_compare_as_they_are() {
        let mut votes = [
            vote("a", "one", "7g7f", 10),
            vote("b", "one", "7g7f", 20),
            vote("c", "one", "2g2f", 90),
        ];
        assert_eq!(decided(Rule::Optimistic, &votes).0, "2g2f");
        // A bound does not rank.
        make_bound(&mut votes[2]);
        assert_eq!(
            decided(Rule::Optimistic, &votes),
            ("7g7f".to_owned(), Ground::Votes)
        );
    }

    #[test]
    fn without_a_primary_the_single_player_is_the_first() {
        let mut votes = ["7g7f", "2g2f", "2g2f"].map(|mv| vote(mv, "one", mv, 0));
        assert_eq!(decided(Rule::Single, &votes).0, "7g7f");
        votes[0].counted = false;
        assert_eq!(
            decided(Rule::Single, &votes),
            ("2g2f".to_owned(), Ground::Majority)
        );
    }

    #[test]
    fn players_that_alternate_have_a_turn_at_every_move_of_their_side() {
        let mut votes = ["7g7f", "2g2f", "5g5f"].map(|mv| vote(mv, "one", mv, 0));
        let turns = |votes: &[Vote], plies: [u32; 4]| {
            plies.map(|ply| decided_at(ply, Rule::Alternate, votes).0)
        };
        let expected = ["7g7f", "2g2f", "5g5f", "7g7f"];
        assert_eq!(turns(&votes, [1, 3, 5, 7]), expected);
        assert_eq!(turns(&votes, [2, 4, 6, 8]), expected);
        votes[1].counted = false;
        let (_, ground) = decided_at(3, Rule::Alternate, &votes);
        assert_eq!(ground, Ground::Majority, "whose turn it is has no vote");
    }
}
