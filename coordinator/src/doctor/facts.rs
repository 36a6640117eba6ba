//! The facts that the doctor gathers.

use crate::{roster::ReachError, voting::Rule};
use monju_proto::v1::{ExamineResponse, Vote};
use std::time::Duration;

/// The facts about a team.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The version of this program.
    pub version: String,
    /// The build of this program.
    pub build: String,
    /// The ensemble's rule.
    pub rule: Rule,
    /// The ensemble's primary player.
    pub primary: Option<String>,
    /// Time of the players for their test moves.
    pub test_time: Duration,
    /// The workers of the configuration.
    pub workers: Vec<WorkerFacts>,
    /// The known players.
    pub players: Vec<PlayerFacts>,
}

/// The facts about a worker.
#[derive(Clone, Debug)]
pub struct WorkerFacts {
    /// Its own name, or its address until the name is known.
    pub name: String,
    /// "in-process", or its URL.
    pub address: String,
    /// Reason why it is not connected; empty when it is.
    pub failure: String,
    /// It finishes the questions under way, and takes no others.
    pub is_draining: bool,
    /// Its version; empty until it is known.
    pub version: String,
    /// Its build; empty until it is known.
    pub build: String,
    /// Number of players that it hosts.
    pub players: usize,
    /// Times of several calls; `None` if one of them failed.
    pub round_trip: Option<CallTimes>,
}

/// Times that calls to a worker take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTimes {
    /// The median.
    pub median: Duration,
    /// The longest.
    pub longest: Duration,
}

/// The facts about a player.
#[derive(Clone, Debug)]
pub struct PlayerFacts {
    /// Its vote in a consultation of all players together.
    pub vote: Vote,
    /// True if its scores are calibrated.
    pub is_calibrated: bool,
    /// Result of the examination of its engine.
    pub examined: Result<ExamineResponse, ReachError>,
}

impl PlayerFacts {
    /// Returns its name on ballots.
    pub fn name(&self) -> &str {
        self.vote.player.as_ref().map_or("", |player| &player.name)
    }

    /// Returns true for a foreign engine.
    pub fn is_foreign(&self) -> bool {
        let player = self.vote.player.as_ref();
        player.is_some_and(|player| player.evaluator.is_empty())
    }

    /// Returns the nodes per second of the test move; 0 without a line.
    pub fn nodes_per_second(&self) -> u64 {
        let line = self.vote.line.as_ref();
        line.map_or(0, |line| {
            line.nodes.saturating_mul(1_000) / line.time_ms.max(1)
        })
    }
}
