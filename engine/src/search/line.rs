use crate::rules::Move;
use std::time::Duration;

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

/// One of several moves that a player has ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its value.
    pub score: Score,
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
    /// The iteration it comes from.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// The best moves, best first, as the last iteration that ranked several has ranked them; empty
    /// where none did.
    pub candidates: Vec<Candidate>,
}
