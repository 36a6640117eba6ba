//! What a team ponders on.

use std::{fmt, str::FromStr};

/// What a team ponders on while the opponent thinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pondering {
    /// All on the reply that the decision predicted. When it is played, every search goes on.
    #[default]
    Predicted,
    /// Each supporter of the decision on the reply that it expects itself, so that the replies share
    /// the players by their votes. Whatever is played, the searches that are about it go on.
    Spread,
}

impl Pondering {
    /// Every kind there is.
    pub const ALL: [Self; 2] = [Self::Predicted, Self::Spread];

    /// The name that configurations and options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predicted => "predicted",
            Self::Spread => "spread",
        }
    }
}

impl fmt::Display for Pondering {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// No kind of pondering has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown pondering '{0}'; expected one of: {names}", names = Pondering::ALL.map(Pondering::name).join(", "))]
pub struct UnknownPondering(pub String);

impl FromStr for Pondering {
    type Err = UnknownPondering;

    fn from_str(text: &str) -> Result<Self, UnknownPondering> {
        Self::ALL
            .into_iter()
            .find(|pondering| pondering.name() == text)
            .ok_or_else(|| UnknownPondering(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for pondering in Pondering::ALL {
            assert_eq!(pondering.name().parse(), Ok(pondering));
        }
        assert_eq!(
            "all".parse::<Pondering>().expect_err("no such").to_string(),
            "unknown pondering 'all'; expected one of: predicted, spread"
        );
    }
}
