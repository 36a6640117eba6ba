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

    /// What it goes by.
    fn basis(self) -> Basis {
        match self {
            Self::Majority => Basis::Votes,
            Self::Weighted => Basis::Weights,
            Self::Optimistic
            | Self::Pessimistic
            | Self::MajorityThenOptimistic
            | Self::MeanScore => Basis::Scores,
            Self::Ranked => Basis::Rankings,
            Self::PrimaryUnlessOutvoted => Basis::Primary,
            Self::Careful => Basis::Danger,
            Self::Single | Self::Alternate | Self::HandOver => Basis::OnePlayer,
        }
    }

    /// Returns true for rules that compare scores; scores of different engines must be calibrated for
    /// that.
    pub fn compares_scores(self) -> bool {
        self.basis() == Basis::Scores
    }

    /// Returns true for rules that ask whether a move keeps the material.
    pub fn judges_danger(self) -> bool {
        self.basis() == Basis::Danger
    }

    /// Returns true for rules that require a primary player.
    pub fn needs_primary(self) -> bool {
        self.basis() == Basis::Primary
    }

    /// Returns true for rules that require players to rank several moves.
    pub fn ranks_moves(self) -> bool {
        self.basis() == Basis::Rankings
    }

    /// Returns true for rules that give votes the weights of their players.
    pub fn weighs_votes(self) -> bool {
        self.basis() == Basis::Weights
    }
}

/// What a rule goes by, besides the number of votes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basis {
    Votes,
    Weights,
    Scores,
    Rankings,
    Primary,
    Danger,
    OnePlayer,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<Rule>("rule", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guide_and_template_explain_every_rule() {
        let guide = include_str!("../../../docs/guide-voting.md");
        let template = include_str!("../../../configs/monju.toml");
        for &rule in Rule::ALL {
            assert!(guide.contains(&format!("`{}`", rule.name())), "{rule}");
            let line = format!("# \"{}\": ", rule.name());
            assert!(template.contains(&line), "{rule}");
        }
    }

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
