//! Whom the rules that follow one player follow.

use super::poll::{Method, centipawns, name};
use crate::voting::Rule;
use monju_proto::v1::Vote;

/// A score that has fallen by more than so many centipawns hands the lead over.
const FALL: f64 = 200.0;

/// Who decided last in a game under `hand-over`, and how it saw itself then.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// The player's name on the ballot.
    pub player: String,
    /// Its score in its own centipawns, from the side to move; `None` where there was none.
    pub score: Option<f64>,
}

/// Who decides now: whoever has the lead keeps it, unless its vote is missing or its score has fallen
/// by more than [`FALL`] since its last decision; then it goes to the next player on the ballot whose
/// vote counts. The primary player leads first, or else the first one. `None` without votes that
/// count.
pub fn lead(previous: Option<&Lead>, primary: Option<&str>, votes: &[Vote]) -> Option<Lead> {
    let leader = previous.map(|lead| lead.player.as_str()).or(primary);
    let place = votes.iter().position(|vote| Some(name(vote)) == leader);
    let place = place.unwrap_or(0);
    let has_fallen = |vote: &Vote| {
        let before = previous.and_then(|lead| lead.score);
        matches!((before, centipawns(vote)), (Some(before), Some(now)) if now < before - FALL)
    };
    let stays = votes
        .get(place)
        .is_some_and(|vote| vote.counted && !has_fallen(vote));
    let first = if stays { place } else { place + 1 };
    let in_turn = (first..first + votes.len()).map(|index| &votes[index % votes.len()]);
    let vote = in_turn.into_iter().find(|vote| vote.counted)?;
    Some(Lead {
        player: name(vote).to_owned(),
        score: centipawns(vote),
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
    use crate::ballot::poll::tests::vote;

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
