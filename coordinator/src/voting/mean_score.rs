//! Rule `mean-score`: the highest mean score wins.

use super::poll::{Choice, Poll, greatest};
use std::collections::BTreeMap;

/// Returns the move whose votes have the highest mean score. Without comparable scores, the majority
/// decides.
pub fn mean_score(poll: &Poll<'_>) -> Option<Choice> {
    let mut values = BTreeMap::<&str, Vec<f64>>::new();
    for opinion in poll.opinions {
        if let Some(value) = opinion.value {
            values.entry(&opinion.mv).or_default().push(value);
        }
    }
    let means = values.iter().map(|(mv, values)| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (*mv, mean)
    });
    match greatest(means) {
        none if none.is_empty() => poll.majority_instead(),
        best => poll.break_tie(best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    #[test]
    fn one_high_score_is_averaged_with_those_of_the_same_move() {
        let opinions = [("7g7f", 0.9), ("7g7f", 0.1), ("2g2f", 0.6)].map(|(mv, value)| Opinion {
            value: Some(value),
            ..Opinion::plain(mv)
        });
        let poll = Poll {
            win_rate: None,
            opinions: &opinions,
            primary: None,
            seed: 1,
        };
        assert_eq!(mean_score(&poll), Some(Choice::new("2g2f", Ground::Votes)));
    }
}
