//! Rule `single`: one player decides alone, as the baseline of an experiment.

use super::poll::{Choice, Ground, Poll};

/// Returns the primary player's move. Without its vote, the majority decides.
pub fn single(poll: &Poll<'_>) -> Option<Choice> {
    match poll.primary_move() {
        Some(mv) => Some(Choice::new(mv, Ground::Votes)),
        None => poll.majority_instead(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::Opinion;

    #[test]
    fn the_other_votes_only_matter_without_the_primarys() {
        let opinions = ["7g7f", "7g7f", "2g2f"].map(Opinion::plain);
        let mut poll = Poll {
            win_rate: None,
            opinions: &opinions,
            primary: Some(2),
            seed: 1,
        };
        assert_eq!(single(&poll), Some(Choice::new("2g2f", Ground::Votes)));
        poll.primary = None;
        assert_eq!(single(&poll), Some(Choice::new("7g7f", Ground::Majority)));
    }
}
