//! The question and the answer of the search.

use crate::{
    names::UnknownName,
    rules::{Color, Move},
};
use std::fmt;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Default of [`DangerSettings::nodes`]: the most that the paper's rival search expanded (section 4).
pub const DEFAULT_NODES: u64 = 4_000;

/// The assumption to judge, and the effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DangerSettings {
    /// The side that is assumed to stand worse, which attacks.
    pub worse: Color,
    /// The other side must have more points than this one, as in the paper, instead of no fewer than at
    /// the root.
    pub absolute: bool,
    /// Most nodes to expand.
    pub nodes: u64,
}

/// The judgement on the assumption.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum Danger {
    /// The side ahead keeps its gain against every attack.
    Holds,
    /// An attack wins material.
    Fails,
    /// The nodes did not suffice.
    Unknown,
}

impl Danger {
    /// Returns the name that ballots and commands use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<Danger>("judgement", name)
}

/// A step of a line of this search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A move.
    Move(Move),
    /// The side ahead needs no defence (手抜き): a pass in place of any other move.
    Pass,
}

impl fmt::Display for Step {
    /// Writes the move as USI text, or `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(mv) => mv.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DangerOutcome {
    /// The judgement.
    pub danger: Danger,
    /// The winning attack, or the longest one that fails, with the answers to it; empty where unknown.
    pub line: Vec<Step>,
    /// Number of nodes generated.
    pub generated: u64,
    /// Number of nodes expanded.
    pub expanded: u64,
    /// Points of the side ahead less those of the other at the root, in centipawns.
    pub before: i32,
    /// The same at the end of the line.
    pub after: i32,
    /// The line ends with the side ahead mated.
    pub mates: bool,
}
