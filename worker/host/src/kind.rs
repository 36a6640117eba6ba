//! The two kinds of players.

use serde::Deserialize;
use strum::Display;

/// Kind of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SpecKind {
    /// The engine of Monju, in the worker's process.
    #[default]
    Native,
    /// A USI engine, as a child process.
    Usi,
}
