//! The two kinds of players.

use serde::Deserialize;
use std::fmt;

/// The most players that one table may stand for.
pub const MAX_COUNT: u32 = 1000;

/// Kind of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpecKind {
    /// The engine of Monju, in the worker's process.
    #[default]
    Native,
    /// A USI engine, as a child process.
    Usi,
}

impl fmt::Display for SpecKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Native => "native",
            Self::Usi => "usi",
        })
    }
}
