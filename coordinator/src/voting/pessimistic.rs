//! The lowest score wins.

use super::{Choice, Poll, optimistic::by_score};

/// The move of the vote with the lowest score: whoever sees the danger is believed. Without scores
/// that can be compared, the majority decides.
pub fn pessimistic(poll: &Poll<'_>) -> Option<Choice> {
    by_score(poll, |value| -value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    #[test]
    fn one_pessimist_outvotes_everybody() {
        let vote = |mv, value| Opinion {
            value,
            ..Opinion::plain(mv)
        };
        let mut opinions = [
            vote("7g7f", Some(0.5)),
            vote("7g7f", Some(0.6)),
            vote("2g2f", Some(0.2)),
            vote("5g5f", None),
        ];
        let decide = |opinions: &[Opinion]| {
            let poll = Poll {
                opinions,
                primary: None,
                seed: 1,
            };
            pessimistic(&poll).expect("votes")
        };
        assert_eq!(decide(&opinions), Choice::new("2g2f", Ground::Votes));
        for opinion in &mut opinions {
            opinion.value = None;
        }
        assert_eq!(decide(&opinions), Choice::new("7g7f", Ground::Majority));
    }
}
