//! The leading player under `hand-over`.

use super::vote::{MOST_CENTIPAWNS, centipawns, name};
use monju_proto::v1::Vote;

/// Drop of the leader's score, in centipawns, above which the lead is handed over.
const DROP: f64 = 200.0;

/// The player that decided last in a game under `hand-over`, and its score then.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// The player's name on the ballot.
    pub player: String,
    /// Its last exact score in its own centipawns, from the side to move.
    pub score: Option<f64>,
}

/// Returns the player that decides now. The previous leader keeps the lead unless its vote is missing
/// or its score has dropped by more than `DROP` since its last decision; then the lead goes to the
/// next player on the ballot whose vote counts. The primary player leads first, or without one the
/// first player. `None` without votes that count.
pub fn lead(previous: Option<&Lead>, primary: Option<&str>, votes: &[Vote]) -> Option<Lead> {
    let place_of = |player: &str| votes.iter().position(|vote| name(vote) == player);
    let kept = previous.and_then(|lead| Some((place_of(&lead.player)?, lead.score)));
    let (place, before) = match (kept, primary) {
        (Some(kept), _) => kept,
        (None, primary) => (primary.and_then(place_of).unwrap_or(0), None),
    };
    let leader = votes.get(place)?;
    // All mates of one side are equal here.
    let most = f64::from(MOST_CENTIPAWNS);
    let clamped = |score: f64| score.clamp(-most, most);
    let has_dropped = matches!(
        (before, centipawns(leader)), (Some(before), Some(now)) if clamped(now) < clamped(before) - DROP
    );
    if leader.counted && !has_dropped {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballot::vote::tests::{make_bound, vote};
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
    fn the_lead_is_kept_until_the_score_drops() {
        let first = lead(None, None, &votes([50, 0, 0])).expect("votes");
        assert_eq!(first, lead_of("a", 50.0));
        assert_eq!(
            lead(None, Some("b"), &votes([0, 30, 0])),
            Some(lead_of("b", 30.0))
        );
        let kept = lead(Some(&first), None, &votes([-150, 0, 0])).expect("votes");
        assert_eq!(kept, lead_of("a", -150.0));
        // The scores of other players do not matter.
        let next = lead(Some(&first), None, &votes([-151, -900, 0])).expect("votes");
        assert_eq!(next, lead_of("b", -900.0));
        let last = lead_of("c", 0.0);
        assert_eq!(
            lead(Some(&last), None, &votes([10, 0, -300])),
            Some(lead_of("a", 10.0))
        );
    }

    #[test]
    fn the_last_exact_score_is_kept_through_bounds() {
        let mut bound = votes([500, 0, 0]);
        make_bound(&mut bound[0]);
        let kept = lead(Some(&lead_of("a", 100.0)), None, &bound).expect("votes");
        assert_eq!(kept, lead_of("a", 100.0));
        let next = lead(Some(&kept), None, &votes([-101, 7, 0]));
        assert_eq!(next, Some(lead_of("b", 7.0)));
    }

    #[test]
    fn mates_of_one_side_are_equal_and_a_change_of_side_is_a_drop() {
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
    fn a_missing_leader_is_replaced_by_the_first_choice() {
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
    fn a_player_without_a_vote_does_not_lead() {
        let mut votes = votes([0, 0, 0]);
        votes[0].counted = false;
        votes[1].counted = false;
        let first = lead_of("a", 0.0);
        assert_eq!(
            lead(Some(&first), None, &votes),
            Some(lead_of("c", 0.0)),
            "the next player with a vote"
        );
        votes[2].counted = false;
        assert_eq!(lead(Some(&first), None, &votes), None);
        assert_eq!(lead(None, None, &[]), None);
    }
}
