//! The positions that a team ponders on.

use monju_engine::names::UnknownName;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// The positions that a team ponders on while the opponent thinks.
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
pub enum Pondering {
    /// Every player ponders on the reply that the decision predicted. When it is played, every
    /// search goes on.
    #[default]
    Predicted,
    /// Each supporter of the decision ponders on the reply that it expects itself, so that the
    /// replies share the players by their votes. The searches about the reply that is played go on.
    Spread,
    /// Every player ponders on the opponent's position. Whatever is played, all are asked anew, with what that
    /// search has found in their memory (Shimoyama, section 9).
    Opponent,
}

impl Pondering {
    /// Every kind of pondering.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name that configurations and options use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<Pondering>("pondering", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &pondering in Pondering::ALL {
            assert_eq!(pondering.name().parse(), Ok(pondering));
        }
        let error = "all".parse::<Pondering>().expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "unknown pondering 'all'; expected one of: predicted, spread, opponent"
        );
    }
}
