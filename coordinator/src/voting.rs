//! Voting rules: pure functions from counted votes to a move.

use crate::seed;
use std::{cmp::Reverse, collections::BTreeMap, fmt, str::FromStr};

/// A voting rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The move that most players voted for (paper 002, section 3). Without a primary player a tie
    /// is drawn at random; with one, its move is taken whenever no move has more than half of the
    /// votes (section 4: 1:1:1).
    #[default]
    Majority,
}

impl Rule {
    /// Every rule there is.
    pub const ALL: [Self; 1] = [Self::Majority];

    /// The name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// No rule has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule '{0}'; expected one of: {names}", names = Rule::ALL.map(Rule::name).join(", "))]
pub struct UnknownRule(pub String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == text)
            .ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

/// How many votes a move has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The move, as USI text.
    pub mv: String,
    /// Its votes, at least one.
    pub votes: u32,
}

/// How the winner was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// It had more votes than any other move (more than half of them where there is a primary).
    Votes,
    /// It was drawn among the moves that shared the most votes.
    Draw,
    /// No move had more than half of the votes, and it is the primary player's move.
    Primary,
}

/// The move that a rule chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, as USI text.
    pub mv: String,
    /// Why this one.
    pub ground: Ground,
}

/// Counts votes: most votes first, equal counts in order of the move's text.
pub fn tally<'a>(votes: impl IntoIterator<Item = &'a str>) -> Vec<Count> {
    let mut counts = BTreeMap::<&str, u32>::new();
    for mv in votes {
        *counts.entry(mv).or_default() += 1;
    }
    let mut tally: Vec<Count> = counts
        .into_iter()
        .map(|(mv, votes)| Count {
            mv: mv.to_owned(),
            votes,
        })
        .collect();
    // The sort is stable, so equal counts keep the map's order.
    tally.sort_by_key(|count| Reverse(count.votes));
    tally
}

/// Simple majority over a tally in the order of [`tally`].
///
/// `primary` is the move of the primary player, when there is such a player and its vote counts;
/// `seed` decides ties, and should differ from position to position. `None` only without votes.
pub fn majority(tally: &[Count], primary: Option<&str>, seed: u64) -> Option<Choice> {
    let leader = tally.first()?;
    let total: u32 = tally.iter().map(|count| count.votes).sum();
    if let Some(mv) = primary
        && leader.votes * 2 <= total
    {
        return Some(Choice {
            mv: mv.to_owned(),
            ground: Ground::Primary,
        });
    }
    let tied = tally
        .iter()
        .take_while(|count| count.votes == leader.votes)
        .count();
    Some(Choice {
        mv: tally[seed::draw(seed, tied)].mv.clone(),
        ground: if tied == 1 {
            Ground::Votes
        } else {
            Ground::Draw
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decide(votes: &[&str], primary: Option<&str>) -> (String, Ground) {
        let choice = majority(&tally(votes.iter().copied()), primary, 1).expect("votes");
        (choice.mv, choice.ground)
    }

    #[test]
    fn paper_002_section_4() {
        // 1:1:1 is the primary's, 2:1 is the two's, whether or not the primary is among them.
        assert_eq!(
            decide(&["7g7f", "2g2f", "5g5f"], Some("2g2f")),
            ("2g2f".to_owned(), Ground::Primary)
        );
        assert_eq!(
            decide(&["7g7f", "2g2f", "7g7f"], Some("2g2f")),
            ("7g7f".to_owned(), Ground::Votes)
        );
        assert_eq!(
            decide(&["7g7f", "2g2f", "7g7f"], Some("7g7f")),
            ("7g7f".to_owned(), Ground::Votes)
        );
    }

    #[test]
    fn half_of_the_votes_is_no_majority() {
        assert_eq!(
            decide(&["7g7f", "7g7f", "2g2f", "5g5f"], Some("5g5f")),
            ("5g5f".to_owned(), Ground::Primary)
        );
        // Without a primary's vote the plurality wins.
        assert_eq!(
            decide(&["7g7f", "7g7f", "2g2f", "5g5f"], None),
            ("7g7f".to_owned(), Ground::Votes)
        );
    }

    #[test]
    fn ties_are_drawn_from_the_seed() {
        let tally = tally(["7g7f", "2g2f", "2g2f", "7g7f", "5g5f"]);
        let winners: Vec<String> = (0..64)
            .map(|seed| majority(&tally, None, seed).expect("votes").mv)
            .collect();
        assert!(winners.iter().any(|mv| mv == "7g7f"));
        assert!(winners.iter().any(|mv| mv == "2g2f"));
        assert!(winners.iter().all(|mv| mv != "5g5f"));
    }

    #[test]
    fn nothing_is_decided_without_votes() {
        assert_eq!(majority(&[], Some("7g7f"), 1), None);
    }

    #[test]
    fn names_are_read_back() {
        for rule in Rule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
        }
        assert_eq!(
            "mejority".parse::<Rule>().expect_err("no rule").to_string(),
            "unknown rule 'mejority'; expected one of: majority"
        );
    }

    proptest! {
        #[test]
        fn the_order_of_votes_is_of_no_account(
            votes in prop::collection::vec("[1-9][a-i][1-9][a-i]", 1..20)
                .prop_flat_map(|votes| (Just(votes.clone()), Just(votes).prop_shuffle())),
            seed in any::<u64>(),
        ) {
            let (one, other) = votes;
            let one = tally(one.iter().map(String::as_str));
            let other = tally(other.iter().map(String::as_str));
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(majority(&one, None, seed), majority(&other, None, seed));
        }

        #[test]
        fn the_winner_has_the_most_votes(
            votes in prop::collection::vec("[abc]", 1..20),
            seed in any::<u64>(),
        ) {
            let tally = tally(votes.iter().map(String::as_str));
            let choice = majority(&tally, None, seed).expect("votes");
            let most = tally.iter().map(|count| count.votes).max();
            let winner = tally.iter().find(|count| count.mv == choice.mv);
            prop_assert_eq!(winner.map(|count| count.votes), most);
            prop_assert_eq!(tally.iter().map(|count| count.votes as usize).sum::<usize>(), votes.len());
        }

        #[test]
        fn a_primary_rules_exactly_where_nobody_has_a_majority(
            votes in prop::collection::vec("[abcd]", 1..20),
            primary in any::<prop::sample::Index>(),
            seed in any::<u64>(),
        ) {
            let primary = primary.get(&votes).as_str();
            let tally = tally(votes.iter().map(String::as_str));
            let choice = majority(&tally, Some(primary), seed).expect("votes");
            if tally[0].votes as usize * 2 > votes.len() {
                prop_assert_eq!(choice.mv, tally[0].mv.clone());
                prop_assert_eq!(choice.ground, Ground::Votes);
            } else {
                prop_assert_eq!(choice.mv, primary);
                prop_assert_eq!(choice.ground, Ground::Primary);
            }
        }
    }
}
