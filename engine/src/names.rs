//! Names of enumerations in configurations, options and messages.

use strum::VariantNames;

/// Characters of an unknown name that an error shows.
const MOST_SHOWN: usize = 80;

/// Error of a name that no variant of an enumeration has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}'; expected one of: {expected}")]
pub struct UnknownName {
    /// The enumeration, in words.
    what: &'static str,
    /// The name as it was given.
    name: String,
    /// The names of all variants, separated by commas.
    expected: String,
}

impl UnknownName {
    /// The error of a name that is not one of `T`, which messages call `what`.
    pub fn new<T: VariantNames>(what: &'static str, name: &str) -> Self {
        Self {
            what,
            name: name.chars().take(MOST_SHOWN).collect(),
            expected: T::VARIANTS.join(", "),
        }
    }
}
