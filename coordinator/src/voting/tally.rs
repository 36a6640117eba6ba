//! Vote counts.

use std::{cmp::Reverse, collections::BTreeMap};

/// Number of votes for a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteCount {
    /// The move, as USI text.
    pub mv: String,
    /// Number of votes, at least one.
    pub votes: u32,
}

/// Counts votes; the result has most votes first, and equal counts in order of the moves' texts.
pub fn tally<'a>(votes: impl IntoIterator<Item = &'a str>) -> Vec<VoteCount> {
    let mut counts = BTreeMap::<&str, u32>::new();
    for mv in votes {
        *counts.entry(mv).or_default() += 1;
    }
    let mut tally: Vec<VoteCount> = counts
        .into_iter()
        .map(|(mv, votes)| VoteCount {
            mv: mv.to_owned(),
            votes,
        })
        .collect();
    // The sort is stable, so equal counts keep the map's order.
    tally.sort_by_key(|count| Reverse(count.votes));
    tally
}

/// Returns the moves that share the most votes, of a tally in the order of [`tally`].
pub(super) fn leaders(tally: &[VoteCount]) -> Vec<&str> {
    let most = tally.first().map_or(0, |count| count.votes);
    tally
        .iter()
        .take_while(|count| count.votes == most)
        .map(|count| count.mv.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promotion_and_a_non_promotion_are_different_moves() {
        // Engines that hide some non-promotions vote `8h2b+` where others vote `8h2b`.
        let counts = tally(["8h2b", "8h2b+", "8h2b+"]);
        assert_eq!((counts[0].mv.as_str(), counts[0].votes), ("8h2b+", 2));
        assert_eq!(leaders(&counts), ["8h2b+"]);
        assert!(leaders(&tally([])).is_empty());
    }
}
