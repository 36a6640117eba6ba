//! The values of options: what is declared for all of ours, and how a GUI's are read.

use monju_coordinator::names::UnknownName;
use monju_engine::{
    EvaluatorChoice, Model, SearchOptionsError,
    eval::{Noise, Sigma, UnknownEvaluator},
};
use monju_host::DEFAULT_HASH_MIB;

/// Default of `USI_Hash`: leaves the size to the command line and the configuration, whose default
/// is the same.
pub const HASH_DEFAULT: u32 = DEFAULT_HASH_MIB;
/// Greatest value of `USI_Hash`.
pub const HASH_MAXIMUM: u32 = 1 << 20;

/// Why a value was refused; the option keeps the value it had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// Not a number, or outside the declared range.
    #[error("option {name} must be a whole number from {minimum} to {maximum}, not '{value}'")]
    Number {
        /// The option.
        name: &'static str,
        /// Its least value.
        minimum: i64,
        /// Its greatest value.
        maximum: u64,
        /// What was given.
        value: String,
    },
    /// Not a standard deviation.
    #[error("option Sigma: {0}")]
    Sigma(String),
    /// Not one of the voting rules.
    #[error("option Rule: {0}")]
    Rule(#[source] UnknownName),
    /// Not one of the time_policies.
    #[error("option TimePolicy: {0}")]
    TimePolicy(#[source] UnknownName),
    /// Not a kind of pondering of one player.
    #[error("option Pondering: unknown pondering '{0}'; expected one of: predicted, opponent")]
    EnginePondering(String),
    /// Not a kind of pondering.
    #[error("option Pondering: {0}")]
    Pondering(#[source] UnknownName),
    /// Not options of the search.
    #[error("option SearchOptions: {0}")]
    Search(#[from] SearchOptionsError),
    /// Not one of the evaluators.
    #[error("option Evaluator: {0}")]
    Evaluator(#[from] UnknownEvaluator),
}

/// An evaluator, `NAME` or `NAME:FILE`; `None` for the declared default, which is empty.
pub fn evaluator(value: &str) -> Result<Option<EvaluatorChoice>, UnknownEvaluator> {
    match value {
        "" | "<empty>" => Ok(None),
        _ => value.parse().map(Some),
    }
}

/// A whole number of the declared range; `None` for a negative one that the range allows.
pub fn number(
    name: &'static str,
    value: &str,
    minimum: i64,
    maximum: u64,
) -> Result<Option<u64>, OptionError> {
    match value.parse::<i128>() {
        Ok(number) if (minimum.into()..=maximum.into()).contains(&number) => {
            Ok(u64::try_from(number).ok())
        }
        _ => Err(OptionError::Number {
            name,
            minimum,
            maximum,
            value: value.to_owned(),
        }),
    }
}

/// A number that the declared range keeps below 2^32.
pub fn small(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

/// A standard deviation; `None` where the GUI leaves it to the command line: nothing, or -1.
pub fn sigma(value: &str) -> Result<Option<Sigma>, OptionError> {
    if matches!(value.trim(), "" | "<empty>" | "-1") {
        return Ok(None);
    }
    let error = |what: String| OptionError::Sigma(what);
    let sigma: Sigma = value.parse().map_err(|none| error(format!("{none}")))?;
    // The exact value depends on the evaluator, which is not loaded yet; this one's will do.
    Noise::new(sigma.in_centipawns(&Model::material()), 0)
        .map_err(|none| error(none.to_string()))?;
    Ok(Some(sigma))
}
