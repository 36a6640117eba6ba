//! The rules by name.

use std::{fmt, str::FromStr};

/// A voting rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The move with the most votes (paper 002, section 3).
    #[default]
    Majority,
    /// The move whose votes weigh most.
    Weighted,
    /// The move of the vote with the highest score (Sugiyama et al. 2010).
    Optimistic,
    /// The move of the vote with the lowest score.
    Pessimistic,
    /// The move with the most votes; among equals, the one of the highest score.
    MajorityThenOptimistic,
    /// The move whose votes have the highest mean score.
    MeanScore,
    /// The move that the players' rankings of moves put first: Borda's count.
    Ranked,
    /// The primary player's move, unless another has more than half of the votes (paper 002,
    /// section 4).
    PrimaryUnlessOutvoted,
    /// The primary player's move, whatever the others say; without a primary, the first player's.
    Single,
    /// The players in turn, move by move.
    Alternate,
    /// One player, until its score falls; then the next one.
    HandOver,
}

impl Rule {
    /// Every rule there is.
    pub const ALL: [Self; 11] = [
        Self::Majority,
        Self::Weighted,
        Self::Optimistic,
        Self::Pessimistic,
        Self::MajorityThenOptimistic,
        Self::MeanScore,
        Self::Ranked,
        Self::PrimaryUnlessOutvoted,
        Self::Single,
        Self::Alternate,
        Self::HandOver,
    ];

    /// The name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Majority => "majority",
            Self::Weighted => "weighted",
            Self::Optimistic => "optimistic",
            Self::Pessimistic => "pessimistic",
            Self::MajorityThenOptimistic => "majority-then-optimistic",
            Self::MeanScore => "mean-score",
            Self::Ranked => "ranked",
            Self::PrimaryUnlessOutvoted => "primary-unless-outvoted",
            Self::Single => "single",
            Self::Alternate => "alternate",
            Self::HandOver => "hand-over",
        }
    }

    /// Whether the rule compares scores, which those of different engines allow only when they are
    /// calibrated.
    pub fn compares_scores(self) -> bool {
        matches!(
            self,
            Self::Optimistic | Self::Pessimistic | Self::MajorityThenOptimistic | Self::MeanScore
        )
    }

    /// Whether the rule means nothing without a primary player.
    pub fn needs_primary(self) -> bool {
        self == Self::PrimaryUnlessOutvoted
    }

    /// Whether the rule needs players that rank several moves.
    pub fn ranks_moves(self) -> bool {
        self == Self::Ranked
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_selected_by_name() {
        for rule in Rule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
            assert!(!rule.name().contains(' '), "usi allows no spaces");
        }
        let error = "seniority".parse::<Rule>().expect_err("unknown");
        assert!(
            error
                .to_string()
                .starts_with("unknown rule 'seniority'; expected one of: majority, weighted")
        );
    }
}
