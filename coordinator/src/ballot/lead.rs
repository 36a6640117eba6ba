//! Whom the rules that follow one player follow.

use super::poll::{MOST_CENTIPAWNS, Method, centipawns, name};
use crate::voting::Rule;
use monju_proto::v1::Vote;

/// A score that has fallen by more than so many centipawns hands the lead over.
const FALL: f64 = 200.0;

/// Who decided last in a game under `hand-over`, and how it saw itself then.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// The player's name on the ballot.
    pub player: String,
    /// Its last score in its own centipawns, from the side to move; a bound is none.
    pub score: Option<f64>,
}

/// Who decides now: whoever has the lead keeps it, unless its vote is missing or its score has fallen
/// by more than [`FALL`] since its last decision; then it goes to the next player on the ballot whose
/// vote counts. The primary player leads first, or else the first one. `None` without votes that
/// count.
pub fn lead(previous: Option<&Lead>, primary: Option<&str>, votes: &[Vote]) -> Option<Lead> {
    let place_of = |player: &str| votes.iter().position(|vote| name(vote) == player);
    let kept = previous.and_then(|lead| Some((place_of(&lead.player)?, lead.score)));
    let (place, before) = match (kept, primary) {
        (Some(kept), _) => kept,
        (None, primary) => (primary.and_then(place_of).unwrap_or(0), None),
    };
    let leader = votes.get(place)?;
    // All mates of one side are the same to it.
    let most = f64::from(MOST_CENTIPAWNS);
    let seen = |score: f64| score.clamp(-most, most);
    let has_fallen = matches!(
        (before, centipawns(leader)), (Some(before), Some(now)) if seen(now) < seen(before) - FALL
    );
    if leader.counted && !has_fallen {
        return Some(Lead {
            player: name(leader).to_owned(),
            score: centipawns(leader).or(before),
        });
    }
    let others = votes[place + 1..].iter().chain(&votes[..=place]);
    let next = others.into_iter().find(|vote| vote.counted)?;
    Some(Lead {
        player: name(next).to_owned(),
        score: centipawns(next),
    })
}

/// The name of the player that the rule follows, or whose word decides ties.
pub(super) fn followed<'a>(method: &Method<'a>, votes: &'a [Vote]) -> Option<String> {
    match method.rule {
        // The one player that `single` follows is the first where none is primary.
        Rule::Single => method
            .primary
            .or(votes.first().map(name))
            .map(str::to_owned),
        // Everybody in turn, at each of the side's own moves.
        Rule::Alternate => {
            let turn = (method.ply.max(1) as usize - 1) / 2;
            let vote = votes.get(turn % votes.len().max(1));
            vote.map(|vote| name(vote).to_owned())
        }
        Rule::HandOver => lead(method.lead, method.primary, votes).map(|lead| lead.player),
        _ => method.primary.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballot::poll::tests::{make_bound, vote};
    use monju_proto::v1::score::Kind;

    fn votes(scores: [i32; 3]) -> Vec<Vote> {
        let names = ["a", "b", "c"].into_iter().zip(scores);
        names
            .map(|(name, cp)| vote(name, name, "7g7f", cp))
            .collect()
    }

    fn lead_of(player: &str, score: f64) -> Lead {
        Lead {
            player: player.to_owned(),
            score: Some(score),
        }
    }

    #[test]
    fn the_lead_is_kept_until_the_score_falls() {
        let first = lead(None, None, &votes([50, 0, 0])).expect("votes");
        assert_eq!(first, lead_of("a", 50.0));
        assert_eq!(
            lead(None, Some("b"), &votes([0, 30, 0])),
            Some(lead_of("b", 30.0))
        );
        let kept = lead(Some(&first), None, &votes([-150, 0, 0])).expect("votes");
        assert_eq!(kept, lead_of("a", -150.0));
        // What others think does not matter.
        let next = lead(Some(&first), None, &votes([-151, -900, 0])).expect("votes");
        assert_eq!(next, lead_of("b", -900.0));
        let last = lead_of("c", 0.0);
        assert_eq!(
            lead(Some(&last), None, &votes([10, 0, -300])),
            Some(lead_of("a", 10.0))
        );
    }

    #[test]
    fn a_score_is_remembered_while_bounds_come() {
        let mut bound = votes([500, 0, 0]);
        make_bound(&mut bound[0]);
        let kept = lead(Some(&lead_of("a", 100.0)), None, &bound).expect("votes");
        assert_eq!(kept, lead_of("a", 100.0));
        let next = lead(Some(&kept), None, &votes([-101, 7, 0]));
        assert_eq!(next, Some(lead_of("b", 7.0)));
    }

    #[test]
    fn mates_of_one_side_are_alike_and_those_of_the_other_are_a_fall() {
        let mate = |plies| {
            let mut votes = votes([0, 0, 0]);
            let line = votes[0].line.as_mut().expect("a line");
            line.score.as_mut().expect("a score").kind = Some(Kind::Mate(plies));
            votes
        };
        for (before, now, kept) in [(-999, -3, true), (3, 999, true), (3, -3, false)] {
            let first = lead(None, None, &mate(before)).expect("votes");
            assert_eq!(first.player, "a", "{before}");
            let next = lead(Some(&first), None, &mate(now)).expect("votes");
            assert_eq!(next.player == "a", kept, "{before} to {now}");
        }
    }

    #[test]
    fn who_is_gone_says_nothing_about_the_others() {
        let gone = lead_of("z", 900.0);
        assert_eq!(
            lead(Some(&gone), Some("c"), &votes([0, 0, -50])),
            Some(lead_of("c", -50.0))
        );
        assert_eq!(
            lead(Some(&gone), None, &votes([0, 0, -50])),
            Some(lead_of("a", 0.0))
        );
    }

    #[test]
    fn who_has_no_vote_does_not_lead() {
        let mut votes = votes([0, 0, 0]);
        votes[0].counted = false;
        votes[1].counted = false;
        let first = lead_of("a", 0.0);
        assert_eq!(
            lead(Some(&first), None, &votes),
            Some(lead_of("c", 0.0)),
            "the next one that has"
        );
        votes[2].counted = false;
        assert_eq!(lead(Some(&first), None, &votes), None);
        assert_eq!(lead(None, None, &[]), None);
    }
}
