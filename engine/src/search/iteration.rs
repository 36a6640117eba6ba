//! A finished iteration, by which a clock judges how a search goes.

use super::line::{Bound, Line};
use crate::rules::Move;

/// Bound of all scores in centipawns, and the value of a mate: beyond it, no difference counts.
const CLEARLY_WON: i32 = 2_000;

/// A finished iteration of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Its depth.
    pub depth: u32,
    /// Nodes of the search up to its end.
    pub nodes: u64,
    /// Its score in centipawns, at most 2,000 to either side.
    pub score: i32,
    /// Share of its nodes below the best move, in parts of a thousand, if it is known.
    pub effort: Option<u32>,
    /// Its principal variation, at least one move.
    pub pv: Vec<Move>,
}

impl Iteration {
    /// Returns the iteration that a line ends; `None` for other lines.
    pub fn of(line: &Line) -> Option<Self> {
        let ends = line.ends_iteration && line.bound == Bound::Exact && !line.pv.is_empty();
        ends.then(|| Self {
            depth: line.depth,
            nodes: line.nodes,
            score: (line.score.to_centipawns()).clamp(-CLEARLY_WON, CLEARLY_WON),
            effort: line.best_move_effort,
            pv: line.pv.clone(),
        })
    }

    /// Returns its best move.
    pub fn best_move(&self) -> Move {
        self.pv[0]
    }
}
