//! What every `info` line with a line of play looks like.

use std::{fmt, time::Duration};

/// One line. Its `Display` is what the GUI reads, the line of play last.
#[derive(Clone, Debug)]
pub struct InfoLine {
    /// The finished iterations.
    pub depth: u32,
    /// The deepest ply reached; 0 when nobody knows.
    pub selective_depth: u32,
    /// What follows the word `score`, when there is a score.
    pub score: Option<String>,
    /// Nodes visited.
    pub nodes: u64,
    /// Nodes a second.
    pub nodes_per_second: u64,
    /// Since `go`.
    pub time: Duration,
    /// The place among several candidates, from 1.
    pub multipv: Option<usize>,
    /// The line of play, its moves separated by blanks.
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
        write!(formatter, " nodes {nodes} nps {nps} time {time_ms}")?;
        if let Some(place) = self.multipv {
            write!(formatter, " multipv {place}")?;
        }
        write!(formatter, " pv {}", self.pv)
    }
}
