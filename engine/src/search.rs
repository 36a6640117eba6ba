//! Search.

use crate::rules::Move;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// A value from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Plies to mate: positive mates, negative (or zero) is mated.
    Mate(i32),
}

/// How a score relates to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// When to stop: at the first limit reached; with none, only when told to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Iterations of iterative deepening.
    pub depth: Option<u32>,
    /// Time since the start (or since the ponder hit).
    pub time: Option<Duration>,
}

/// What a player thinks of a position at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Principal variation; its first move is the move it would play. Empty only when there is no
    /// legal move or a win was declared.
    pub pv: Vec<Move>,
    /// The value.
    pub score: Score,
    /// How exact it is.
    pub bound: Bound,
    /// Finished iterations.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
}

/// The handle by which another thread steers a running search. Clones steer the same search.
#[derive(Clone, Debug, Default)]
pub struct Control {
    shared: Arc<()>,
}

impl Control {
    /// A control for one search that starts now under no limits but those given to it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search; it answers within 5 ms.
    pub fn stop(&self) {
        let _ = &self.shared;
    }

    /// Ends the search when `deadline` comes; replaces an earlier deadline.
    pub fn stop_at(&self, deadline: Instant) {
        let _ = deadline;
    }

    /// Ends the search after `nodes` nodes since its start; replaces an earlier node limit.
    pub fn limit_nodes(&self, nodes: u64) {
        let _ = nodes;
    }

    /// Ends the search after the iteration `depth`; replaces an earlier depth limit.
    pub fn limit_depth(&self, depth: u32) {
        let _ = depth;
    }
}
