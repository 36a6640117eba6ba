//! Rule `weighted`: the greatest sum of weights wins.

use super::poll::{Choice, Poll, greatest};
use std::collections::BTreeMap;

/// Returns the move whose votes have the greatest sum of weights. When all weights are 0, the majority
/// decides.
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
            win_rate: None,
            opinions: &opinions,
            primary: None,
            seed: 1,
        };
        weighted(&poll).expect("votes")
    }

    #[test]
    fn the_greatest_sum_of_weights_wins() {
        let votes = [("7g7f", 1.0), ("7g7f", 1.0), ("2g2f", 2.5)];
        assert_eq!(decide(&votes), Choice::new("2g2f", Ground::Votes));
    }

    #[test]
    fn the_greatest_weights_are_added_up_and_compared() {
        use monju_proto::convert::GREATEST_WEIGHT;
        let mut votes = vec![("7g7f", GREATEST_WEIGHT); 2_000];
        votes.resize(4_000, ("2g2f", GREATEST_WEIGHT));
        votes.push(("2g2f", 10.0));
        assert_eq!(decide(&votes), Choice::new("2g2f", Ground::Votes));
    }

    #[test]
    fn a_vote_of_weight_zero_decides_only_alone() {
        assert_eq!(decide(&[("7g7f", 0.0), ("2g2f", 0.1)]).mv, "2g2f");
        assert_eq!(
            decide(&[("7g7f", 0.0)]),
            Choice::new("7g7f", Ground::Majority)
        );
    }
}
