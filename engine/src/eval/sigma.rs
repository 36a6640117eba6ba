//! The noise of a player in configurations: its standard deviation and its target.

use super::model::Model;
use crate::names::UnknownName;
use std::{fmt, str::FromStr};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// The standard deviation of evaluation noise in a user's words: `50` means centipawns, and
/// `1/4 pawn exchange` a share of the evaluator's value of exchanging a pawn, as in Ito et al. (2011).
///
/// ```
/// use monju_engine::eval::{Model, Sigma};
/// let sigma: Sigma = "1/4 pawn exchange".parse().unwrap();
/// let model = Model::material();
/// assert_eq!(sigma.in_centipawns(&model), model.pawn_exchange() / 4.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sigma {
    /// A number of the evaluator's centipawns.
    Centipawns(f64),
    /// A multiple of the value of a pawn exchange.
    PawnExchanges(f64),
}

impl Sigma {
    /// No noise.
    pub const ZERO: Self = Self::Centipawns(0.0);

    /// Returns the standard deviation in the evaluator's centipawns.
    pub fn in_centipawns(self, evaluator: &Model) -> f64 {
        match self {
            Self::Centipawns(centipawns) => centipawns,
            Self::PawnExchanges(share) => share * evaluator.pawn_exchange(),
        }
    }
}

impl Default for Sigma {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<f64> for Sigma {
    fn from(centipawns: f64) -> Self {
        Self::Centipawns(centipawns)
    }
}

impl fmt::Display for Sigma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(centipawns) => centipawns.fmt(f),
            Self::PawnExchanges(share) => write!(f, "{share} pawn exchange"),
        }
    }
}

/// Error of a text that is not a standard deviation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SigmaError {
    /// Neither a number nor a share.
    #[error(
        "'{0}' is no sigma; expected centipawns such as 50, or a share such as '1/4 pawn exchange'"
    )]
    Unreadable(String),
    /// A fraction without a unit, which hardly ever means centipawns.
    #[error(
        "sigma '{0}' of what? A share is written '{0} pawn exchange', and centipawns as a number such as 50"
    )]
    NoUnit(String),
}

impl FromStr for Sigma {
    type Err = SigmaError;

    fn from_str(text: &str) -> Result<Self, SigmaError> {
        let error = || SigmaError::Unreadable(text.chars().take(80).collect());
        let share = ["pawn exchange", "pawn exchanges"]
            .iter()
            .find_map(|unit| text.trim().strip_suffix(unit));
        let value = number(share.unwrap_or(text).trim()).ok_or_else(error)?;
        match share {
            Some(_) => Ok(Self::PawnExchanges(value)),
            None if text.contains('/') => Err(SigmaError::NoUnit(text.trim().to_owned())),
            None => Ok(Self::Centipawns(value)),
        }
    }
}

/// Parses a number such as `0.25` or `1/4`.
fn number(text: &str) -> Option<f64> {
    let value: f64 = match text.split_once('/') {
        Some((part, whole)) => {
            let (part, whole): (f64, f64) = (part.trim().parse().ok()?, whole.trim().parse().ok()?);
            part / whole
        }
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// Target of a player's noise.
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
pub enum NoiseModel {
    /// Noise is added to every static evaluation, as a function of seed and position (Ito et al. (2011),
    /// section 2).
    #[default]
    Position,
    /// Noise is added once to every weight of the evaluator, as a function of the seed, as in other
    /// consultations of Bonanza in 2009. The result is a slightly different evaluator, which is as
    /// consistent as the original. The weights of a network are not centipawns, so that a network
    /// gets the noise of all `material` values instead.
    Weights,
    /// Noise is added once to the result of the quiescence search at each leaf, as a function of seed
    /// and position (Tohske, section 4).
    Leaf,
}

impl NoiseModel {
    /// Every model.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name used in configurations and ballots.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<NoiseModel>("noise model", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigma_is_read_in_both_units() {
        for (text, expected) in [
            ("50", Sigma::Centipawns(50.0)),
            (" 12.5 ", Sigma::Centipawns(12.5)),
            ("0", Sigma::ZERO),
            ("1/4 pawn exchange", Sigma::PawnExchanges(0.25)),
            ("1 / 8 pawn exchange", Sigma::PawnExchanges(0.125)),
            ("0.5 pawn exchange", Sigma::PawnExchanges(0.5)),
            ("2 pawn exchanges", Sigma::PawnExchanges(2.0)),
        ] {
            let sigma = text.parse();
            assert_eq!(sigma, Ok(expected), "{text}");
            assert_eq!(expected.to_string().parse(), Ok(expected), "written {text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "a quarter",
            "1/0",
            "1/",
            "/4 pawn exchange",
            "pawn exchange",
            "NaN",
            "inf",
            "1/4 pawns",
            "1/4 knight exchange",
            "1/4",
        ] {
            let error = text.parse::<Sigma>().expect_err(text);
            assert!(error.to_string().contains("pawn exchange"), "{error}");
        }
        let asked = "1/4".parse::<Sigma>().expect_err("no unit").to_string();
        assert!(asked.starts_with("sigma '1/4' of what?"), "{asked}");
    }
}
