//! The voting rules by name.

use monju_engine::names::UnknownName;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// A voting rule.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum Rule {
    /// The move with the most votes (Ito et al. (2011), section 3).
    #[default]
    Majority,
    /// The move with the greatest sum of weights.
    Weighted,
    /// The move of the vote with the highest score (Sugiyama et al. 2010).
    Optimistic,
    /// The move of the vote with the lowest score.
    Pessimistic,
    /// The move with the most votes; among equals, the one of the highest score.
    MajorityThenOptimistic,
    /// The move whose votes have the highest mean score.
    MeanScore,
    /// The move that comes first by Borda's count over the players' rankings.
    Ranked,
    /// The primary player's move, unless another has more than half of the votes (Ito et al. (2011),
    /// section 4).
    PrimaryUnlessOutvoted,
    /// The majority; while the team is ahead, among the moves after which it keeps its material (Hiramatsu
    /// et al.).
    Careful,
    /// The primary player's move; without a primary, the first player's.
    Single,
    /// The players in turn, move by move.
    Alternate,
    /// One player, until its score falls; then the next one.
    HandOver,
}

impl Rule {
    /// Every rule.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns true for rules that compare scores; scores of different engines must be calibrated for
    /// that.
    pub fn compares_scores(self) -> bool {
        matches!(
            self,
            Self::Optimistic | Self::Pessimistic | Self::MajorityThenOptimistic | Self::MeanScore
        )
    }

    /// Returns true for rules that ask whether a move keeps the material.
    pub fn judges_danger(self) -> bool {
        self == Self::Careful
    }

    /// Returns true for rules that require a primary player.
    pub fn needs_primary(self) -> bool {
        self == Self::PrimaryUnlessOutvoted
    }

    /// Returns true for rules that require players to rank several moves.
    pub fn ranks_moves(self) -> bool {
        self == Self::Ranked
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<Rule>("rule", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_selected_by_name() {
        for &rule in Rule::ALL {
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
