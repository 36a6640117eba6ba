//! Votes that weigh differently.

use super::{Choice, Poll, greatest};
use std::collections::BTreeMap;

/// The move whose votes weigh most. A vote of weight 0 decides only where no other counts: when
/// all weigh nothing, the majority decides.
pub fn weighted(poll: &Poll<'_>) -> Option<Choice> {
    let mut sums = BTreeMap::<&str, f64>::new();
    for opinion in poll.opinions {
        *sums.entry(&opinion.mv).or_default() += opinion.weight;
    }
    if sums.values().all(|sum| *sum <= 0.0) {
        return poll.majority_instead();
    }
    poll.break_tie(greatest(sums.iter().map(|(mv, sum)| (*mv, *sum))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    fn decide(votes: &[(&str, f64)]) -> Choice {
        let opinions: Vec<Opinion> = votes
            .iter()
            .map(|(mv, weight)| Opinion {
                weight: *weight,
                ..Opinion::plain(mv)
            })
            .collect();
        let poll = Poll {
            opinions: &opinions,
            primary: None,
            seed: 1,
        };
        weighted(&poll).expect("votes")
    }

    #[test]
    fn the_heavier_side_wins() {
        let votes = [("7g7f", 1.0), ("7g7f", 1.0), ("2g2f", 2.5)];
        assert_eq!(decide(&votes), Choice::new("2g2f", Ground::Votes));
    }

    #[test]
    fn a_weightless_player_decides_only_when_it_is_alone() {
        assert_eq!(decide(&[("7g7f", 0.0), ("2g2f", 0.1)]).mv, "2g2f");
        assert_eq!(
            decide(&[("7g7f", 0.0)]),
            Choice::new("7g7f", Ground::Majority)
        );
    }
}
