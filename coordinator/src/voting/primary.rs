//! Rule `primary-unless-outvoted`: one player decides unless the others agree on another move.

use super::poll::{Choice, Ground, Poll};

/// Returns the primary player's move, unless another move has more than half of all votes: with three
/// players, unless the two others agree (Ito et al. (2011), section 4). Without the primary's vote, the
/// majority decides.
pub fn primary_unless_outvoted(poll: &Poll<'_>) -> Option<Choice> {
    let tally = poll.tally();
    let leader = tally.first()?;
    if leader.votes as usize * 2 > poll.opinions.len() {
        return Some(Choice::new(&leader.mv, Ground::Votes));
    }
    match poll.primary_move() {
        Some(mv) => Some(Choice::new(mv, Ground::Primary)),
        None => poll.majority_instead(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::Opinion;

    fn decide(moves: &[&str], primary: Option<usize>) -> (String, Ground) {
        let opinions: Vec<Opinion> = moves.iter().map(|mv| Opinion::plain(mv)).collect();
        let poll = Poll {
            win_rate: None,
            opinions: &opinions,
            primary,
            seed: 1,
        };
        let choice = primary_unless_outvoted(&poll).expect("votes");
        (choice.mv, choice.ground)
    }

    #[test]
    fn paper_002_section_4() {
        assert_eq!(
            decide(&["7g7f", "2g2f", "5g5f"], Some(1)),
            ("2g2f".to_owned(), Ground::Primary)
        );
        assert_eq!(
            decide(&["7g7f", "2g2f", "7g7f"], Some(1)),
            ("7g7f".to_owned(), Ground::Votes)
        );
        assert_eq!(
            decide(&["7g7f", "2g2f", "7g7f"], Some(0)),
            ("7g7f".to_owned(), Ground::Votes)
        );
    }

    #[test]
    fn exactly_half_of_the_votes_does_not_outvote_the_primary() {
        let moves = ["7g7f", "7g7f", "2g2f", "5g5f"];
        assert_eq!(
            decide(&moves, Some(3)),
            ("5g5f".to_owned(), Ground::Primary)
        );
        assert_eq!(decide(&moves, None), ("7g7f".to_owned(), Ground::Majority));
    }
}
