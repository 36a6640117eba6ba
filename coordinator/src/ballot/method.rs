//! Deciding from the votes of a ballot, open or recorded.

use super::{
    danger::judgement,
    lead::{Lead, lead},
    vote::{centipawns, name, score_of},
};
use crate::{
    calibration::scale_name,
    seed,
    voting::{self, Choice, Opinion, Poll, Rule},
};
use monju_proto::v1::{self, Vote};

/// The method by which votes are decided.
#[derive(Clone, Copy, Debug)]
pub struct VotingMethod<'a> {
    /// The voting rule.
    pub rule: Rule,
    /// Ballot name of the primary player, if there is one.
    pub primary: Option<&'a str>,
    /// The game's seed.
    pub seed: u64,
    /// The position as SFEN, so that the ties of one game do not all fall the same way.
    pub sfen: &'a str,
    /// Number of the move to be played, 1 for the first.
    pub ply: u32,
    /// The player that led the game so far, under `hand-over`.
    pub lead: Option<&'a Lead>,
}

/// Decides from the votes that count; `None` when there are none.
pub fn decide(method: VotingMethod<'_>, votes: &[Vote]) -> Option<Choice> {
    let counted: Vec<&Vote> = votes.iter().filter(|vote| vote.counted).collect();
    let opinions = opinions(&counted);
    let followed = followed_player(&method, votes);
    let poll = Poll {
        opinions: &opinions,
        primary: followed.and_then(|one| counted.iter().position(|vote| name(vote) == one)),
        win_rate: mean(counted.iter().filter_map(|vote| vote.win_rate)),
        seed: seed::derive(method.seed, &format!("tie {}", method.sfen)),
    };
    voting::decide(method.rule, &poll)
}

/// Returns the name of the player that the rule follows, or that decides ties.
fn followed_player<'a>(method: &VotingMethod<'a>, votes: &'a [Vote]) -> Option<String> {
    match method.rule {
        // Without a primary, `single` follows the first player.
        Rule::Single => method
            .primary
            .or(votes.first().map(name))
            .map(str::to_owned),
        // The players take turns at the side's own moves.
        Rule::Alternate => {
            let turn = (method.ply.max(1) as usize - 1) / 2;
            let vote = votes.get(turn % votes.len().max(1));
            vote.map(|vote| name(vote).to_owned())
        }
        Rule::HandOver => lead(method.lead, method.primary, votes).map(|lead| lead.player),
        Rule::Majority
        | Rule::Weighted
        | Rule::Optimistic
        | Rule::Pessimistic
        | Rule::MajorityThenOptimistic
        | Rule::MeanScore
        | Rule::Ranked
        | Rule::PrimaryUnlessOutvoted
        | Rule::Careful => method.primary.map(str::to_owned),
    }
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
            danger: judgement(vote),
            mv: mv.to_owned(),
        }
    };
    counted.iter().zip(values).map(of).collect()
}

/// Returns the mean; `None` without values.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// Returns the scores in one unit: win rates if every score has one, else centipawns if all are of
/// one engine, else none.
fn values(counted: &[&Vote]) -> Vec<Option<f64>> {
    let scored = |vote: &&&Vote| score_of(vote).and_then(v1::Score::ranked).is_some();
    if counted
        .iter()
        .filter(scored)
        .all(|vote| vote.win_rate.is_some())
    {
        return counted.iter().map(|vote| vote.win_rate).collect();
    }
    // A bound does not rank, but its engine still counts as one more scale.
    let mut scales = counted
        .iter()
        .filter(|vote| score_of(vote).is_some())
        .map(|vote| vote.player.as_ref().map(scale_name));
    let first = scales.next();
    let comparable = scales.all(|scale| Some(scale) == first);
    let value = |vote: &&Vote| centipawns(vote).filter(|_| comparable);
    counted.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ballot::vote::tests::{make_bound, vote},
        voting::Ground,
    };

    fn decided(rule: Rule, votes: &[Vote]) -> (String, Ground) {
        decided_at(1, rule, votes)
    }

    fn decided_at(ply: u32, rule: Rule, votes: &[Vote]) -> (String, Ground) {
        let method = VotingMethod {
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
    fn a_careful_team_judges_by_recorded_judgements_and_win_rates() {
        let mut votes = [
            vote("a", "one", "7g7f", 10),
            vote("b", "one", "7g7f", 20),
            vote("c", "one", "2g2f", 90),
        ];
        for (vote, danger) in votes.iter_mut().zip(["fails", "fails", "holds"]) {
            vote.danger = danger.to_owned();
        }
        assert_eq!(decided(Rule::Careful, &votes).0, "7g7f");
        for (vote, rate) in votes.iter_mut().zip([0.5, 0.6, 0.7]) {
            vote.win_rate = Some(rate);
        }
        assert_eq!(
            decided(Rule::Careful, &votes),
            ("2g2f".to_owned(), Ground::Votes)
        );
    }

    #[test]
    fn a_bound_does_not_rank_but_counts_as_another_scale() {
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
    fn without_a_primary_the_first_player_decides_alone() {
        let mut votes = ["7g7f", "2g2f", "2g2f"].map(|mv| vote(mv, "one", mv, 0));
        assert_eq!(decided(Rule::Single, &votes).0, "7g7f");
        votes[0].counted = false;
        assert_eq!(
            decided(Rule::Single, &votes),
            ("2g2f".to_owned(), Ground::Majority)
        );
    }

    #[test]
    fn alternating_players_take_turns_at_the_moves_of_their_side() {
        let mut votes = ["7g7f", "2g2f", "5g5f"].map(|mv| vote(mv, "one", mv, 0));
        let turns = |votes: &[Vote], plies: [u32; 4]| {
            plies.map(|ply| decided_at(ply, Rule::Alternate, votes).0)
        };
        let expected = ["7g7f", "2g2f", "5g5f", "7g7f"];
        assert_eq!(turns(&votes, [1, 3, 5, 7]), expected);
        assert_eq!(turns(&votes, [2, 4, 6, 8]), expected);
        votes[1].counted = false;
        let (_, ground) = decided_at(3, Rule::Alternate, &votes);
        assert_eq!(
            ground,
            Ground::Majority,
            "the player whose turn it is has no vote"
        );
    }
}
