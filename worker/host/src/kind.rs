//! The two kinds of players.

use serde::Deserialize;
use strum::Display;

/// The most players of one worker, and so of one table.
pub const MAX_COUNT: u32 = 1000;

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
