//! Rule `pessimistic`: the lowest score wins.

use super::{
    optimistic::by_score,
    poll::{Choice, Poll},
};

/// Returns the move of the vote with the lowest score, which trusts the player that sees a danger.
/// Without comparable scores, the majority decides.
pub fn pessimistic(poll: &Poll<'_>) -> Option<Choice> {
    by_score(poll, |value| -value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    #[test]
    fn one_low_score_outvotes_all_others() {
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
                win_rate: None,
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
