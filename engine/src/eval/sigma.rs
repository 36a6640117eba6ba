//! How the noise of a player is written: its standard deviation, and what it is added to.

use super::model::Model;
use std::{fmt, str::FromStr};

/// The standard deviation of evaluation noise, as a user writes it: `50` is centipawns,
/// `1/4 pawn exchange` is a share of what exchanging a pawn is worth to the evaluator, which is how
/// paper 002 quotes it.
///
/// ```
/// use monju_engine::eval::{Model, Sigma};
/// let sigma: Sigma = "1/4 pawn exchange".parse().unwrap();
/// let model = Model::material();
/// assert_eq!(sigma.in_centipawns(&model), model.pawn_exchange() / 4.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sigma {
    /// In the evaluator's centipawns.
    Centipawns(f64),
    /// In values of a pawn exchange.
    PawnExchanges(f64),
}

impl Sigma {
    /// No noise.
    pub const ZERO: Self = Self::Centipawns(0.0);

    /// The standard deviation in the evaluator's centipawns.
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

/// A text that is no standard deviation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no sigma; expected centipawns such as 50, or a share such as '1/4 pawn exchange'"
)]
pub struct SigmaError(pub String);

impl FromStr for Sigma {
    type Err = SigmaError;

    fn from_str(text: &str) -> Result<Self, SigmaError> {
        let error = || SigmaError(text.chars().take(80).collect());
        let share = ["pawn exchange", "pawn exchanges"]
            .iter()
            .find_map(|unit| text.trim().strip_suffix(unit));
        let value = number(share.unwrap_or(text).trim()).ok_or_else(error)?;
        Ok(match share {
            Some(_) => Self::PawnExchanges(value),
            None => Self::Centipawns(value),
        })
    }
}

/// `0.25` or `1/4`.
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

/// What the noise of a player is added to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoiseModel {
    /// To every static evaluation, as a function of seed and position (paper 002, section 2).
    #[default]
    Position,
    /// Once to every weight of the evaluator, as a function of the seed: the other way of Bonanza's
    /// consultations of 2009. The player is then a slightly different evaluator, and as consistent. The
    /// weights of a network are no centipawns: to it the noise of all `material` values is added.
    Weights,
}

impl NoiseModel {
    /// Every model.
    pub const ALL: [Self; 2] = [Self::Position, Self::Weights];

    /// The name that configurations and ballots use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Weights => "weights",
        }
    }
}

/// No noise model has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown noise model '{0}'; expected one of: position, weights")]
pub struct UnknownNoiseModel(pub String);

impl FromStr for NoiseModel {
    type Err = UnknownNoiseModel;

    fn from_str(text: &str) -> Result<Self, UnknownNoiseModel> {
        Self::ALL
            .into_iter()
            .find(|model| model.name() == text)
            .ok_or_else(|| UnknownNoiseModel(text.chars().take(80).collect()))
    }
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
    fn what_is_no_sigma_is_refused() {
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
        ] {
            let error = text.parse::<Sigma>().expect_err(text);
            assert!(error.to_string().contains("pawn exchange"), "{error}");
        }
    }
}
