//! The format of every `info` line with a principal variation.

use std::{fmt, time::Duration};

/// One `info` line. Its `Display` is the text for the GUI, `pv` last.
#[derive(Clone, Debug)]
pub struct InfoLine {
    /// The last finished iteration.
    pub depth: u32,
    /// The deepest ply reached; 0 if unknown.
    pub selective_depth: u32,
    /// The text after the word `score`, if there is a score.
    pub score: Option<String>,
    /// Nodes visited.
    pub nodes: u64,
    /// Nodes per second.
    pub nodes_per_second: u64,
    /// Share of the transposition tables in use, in parts of a thousand, if it is known.
    pub hash_full: Option<u32>,
    /// Time since `go`.
    pub time: Duration,
    /// Rank among several candidates, from 1.
    pub multipv: Option<usize>,
    /// The principal variation, its moves separated by blanks.
    pub pv: String,
}

impl fmt::Display for InfoLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "info depth {}", self.depth)?;
        if self.selective_depth > 0 {
            write!(formatter, " seldepth {}", self.selective_depth)?;
        }
        if let Some(score) = &self.score {
            write!(formatter, " score {score}")?;
        }
        let time_ms = self.time.as_millis();
        let (nodes, nps) = (self.nodes, self.nodes_per_second);
        write!(formatter, " nodes {nodes} nps {nps}")?;
        if let Some(share) = self.hash_full {
            write!(formatter, " hashfull {share}")?;
        }
        write!(formatter, " time {time_ms}")?;
        if let Some(rank) = self.multipv {
            write!(formatter, " multipv {rank}")?;
        }
        write!(formatter, " pv {}", self.pv)
    }
}
