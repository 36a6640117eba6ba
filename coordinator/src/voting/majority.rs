//! Simple majority, and majority with ties broken by score.

use super::{
    optimistic::highest,
    poll::{Choice, Ground, Poll},
    tally::leaders,
};

/// Returns the move with the most votes (Ito et al. (2011), section 3); ties go to the primary player's move,
/// otherwise the seed picks.
pub fn majority(poll: &Poll<'_>) -> Option<Choice> {
    poll.break_tie(leaders(&poll.tally()))
}

/// Returns the move with the most votes; ties go to the move of the vote with the highest score.
pub fn majority_then_optimistic(poll: &Poll<'_>) -> Option<Choice> {
    let tally = poll.tally();
    let equal = leaders(&tally);
    if equal.len() < 2 {
        return poll.break_tie(equal);
    }
    let among = |mv: &str| equal.contains(&mv);
    match highest(poll, among).as_slice() {
        [] => poll.majority_instead(),
        [only] => Some(Choice::new(only, Ground::Score)),
        several => poll.break_tie(several.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::Opinion;

    fn votes(moves: &[&str]) -> Vec<Opinion> {
        moves.iter().map(|mv| Opinion::plain(mv)).collect()
    }

    fn poll(opinions: &[Opinion], primary: Option<usize>) -> Poll<'_> {
        Poll {
            win_rate: None,
            opinions,
            primary,
            seed: 1,
        }
    }

    #[test]
    fn the_primary_breaks_ties_that_include_its_move() {
        let decide = |moves: &[&str], primary| {
            let opinions = votes(moves);
            let choice = majority(&poll(&opinions, Some(primary))).expect("votes");
            (choice.mv, choice.ground)
        };
        // Ito et al. (2011), section 4: 1:1:1 goes to the primary, 2:1 to the two others.
        let three = ["7g7f", "2g2f", "5g5f"];
        assert_eq!(decide(&three, 1), ("2g2f".to_owned(), Ground::Primary));
        let two = ["7g7f", "2g2f", "7g7f"];
        assert_eq!(decide(&two, 1), ("7g7f".to_owned(), Ground::Votes));
        // A lone vote of the primary does not break a tie between other moves.
        let beside = ["7g7f", "7g7f", "2g2f", "2g2f", "5g5f"];
        assert_eq!(decide(&beside, 4).1, Ground::Random);
    }

    #[test]
    fn the_seed_breaks_ties() {
        let opinions = votes(&["7g7f", "2g2f", "2g2f", "7g7f", "5g5f"]);
        let winners: Vec<String> = (0..64)
            .map(|seed| {
                let poll = Poll {
                    seed,
                    ..poll(&opinions, None)
                };
                majority(&poll).expect("votes").mv
            })
            .collect();
        for mv in ["7g7f", "2g2f"] {
            assert!(winners.iter().any(|winner| winner == mv));
        }
        assert!(winners.iter().all(|winner| winner != "5g5f"));
    }

    #[test]
    fn scores_only_break_ties() {
        let mut opinions = votes(&["7g7f", "7g7f", "2g2f", "2g2f", "5g5f"]);
        for (opinion, value) in opinions.iter_mut().zip([0.5, 0.4, 0.6, 0.1, 0.9]) {
            opinion.value = Some(value);
        }
        let choice = majority_then_optimistic(&poll(&opinions, Some(0))).expect("votes");
        assert_eq!(choice, Choice::new("2g2f", Ground::Score));
        let choice = majority_then_optimistic(&poll(&opinions[..3], None)).expect("votes");
        assert_eq!(choice, Choice::new("7g7f", Ground::Votes));
        for opinion in &mut opinions {
            opinion.value = None;
        }
        let choice = majority_then_optimistic(&poll(&opinions, Some(0))).expect("votes");
        assert_eq!(choice, Choice::new("7g7f", Ground::Majority));
    }
}
