//! A configuration checked against reality: [`visit`] gathers facts, [`diagnose`] judges them.

mod diagnosis;
#[cfg(test)]
mod tests;
mod visit;

pub use diagnosis::{Finding, Severity, diagnose};
pub use visit::visit;

use crate::voting::Rule;
use monju_proto::v1::{ExamineResponse, Vote};
use std::time::Duration;

/// What was found.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The version of this program.
    pub version: String,
    /// The ensemble's rule.
    pub rule: Rule,
    /// The ensemble's primary player.
    pub primary: Option<String>,
    /// How long the players had for their test moves.
    pub test_time: Duration,
    /// Every worker of the configuration.
    pub workers: Vec<WorkerFacts>,
    /// Every player that is known.
    pub players: Vec<PlayerFacts>,
}

/// What was found of a worker.
#[derive(Clone, Debug)]
pub struct WorkerFacts {
    /// Its own name, or its address while that is not known.
    pub name: String,
    /// "in-process", or its URL.
    pub address: String,
    /// Why it is not connected; empty when it is.
    pub failure: String,
    /// Its version; empty while that is not known.
    pub version: String,
    /// How many players it hosts.
    pub players: usize,
    /// Measured over several calls.
    pub round_trip: Option<RoundTrip>,
}

/// How long calls to a worker take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// The one in the middle.
    pub median: Duration,
    /// The longest.
    pub longest: Duration,
}

/// What was found of a player.
#[derive(Clone, Debug)]
pub struct PlayerFacts {
    /// Its vote in a consultation of all players together.
    pub vote: Vote,
    /// Whether its scores can be read as win rates.
    pub is_calibrated: bool,
    /// What its engine survives, or why that is not known.
    pub examined: Result<ExamineResponse, String>,
}

impl PlayerFacts {
    /// Its name on ballots.
    pub fn name(&self) -> &str {
        self.vote.player.as_ref().map_or("", |player| &player.name)
    }

    /// Whether it is a foreign engine.
    pub fn is_foreign(&self) -> bool {
        let player = self.vote.player.as_ref();
        player.is_some_and(|player| player.evaluator.is_empty())
    }

    /// Nodes a second in the test move; 0 when it said nothing.
    pub fn nodes_per_second(&self) -> u64 {
        let line = self.vote.line.as_ref();
        line.map_or(0, |line| line.nodes * 1_000 / line.time_ms.max(1))
    }
}
