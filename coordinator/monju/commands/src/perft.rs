//! `monju perft`: counts the positions that a number of legal moves leads to.

use crate::output::print;
use monju_engine::{Game, counted, rules};
use serde_json::{Map, Value, json};
use std::{fmt::Write, time::Instant};

/// A count of positions.
#[derive(Clone, Debug)]
pub struct Perft {
    /// The position to begin with.
    pub game: Game,
    /// Depth in plies.
    pub depth: u32,
    /// Shows the count below every move as well.
    pub divide: bool,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Perft {
    /// Counts, and prints the count to standard output.
    ///
    /// # Errors
    /// Standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        let begun = Instant::now();
        let (nodes, below) = self.count();
        let seconds = begun.elapsed().as_secs_f64();
        let nps = (nodes as f64 / seconds.max(1e-9)) as u64;
        let text = if self.json {
            let mut object = json!({
                "position": self.game.position().to_string(),
                "depth": self.depth,
                "nodes": nodes,
                "nps": nps,
                "elapsed_ms": (seconds * 1000.0) as u64,
            });
            if self.divide {
                let below: Map<String, Value> = below
                    .into_iter()
                    .map(|(mv, nodes)| (mv, nodes.into()))
                    .collect();
                object["divide"] = below.into();
            }
            format!("{object:#}\n")
        } else {
            let mut lines = String::new();
            for (mv, nodes) in &below {
                let _ = writeln!(lines, "{mv}: {nodes}");
            }
            lines
                + &format!(
                    "{} in {seconds:.3} s, {nps} nodes/s\n",
                    counted(nodes, "node")
                )
        };
        print(&text)
    }

    /// Returns the count, and with `divide` the counts below each move.
    fn count(&self) -> (u64, Vec<(String, u64)>) {
        let mut position = self.game.position().clone();
        if !self.divide || self.depth == 0 {
            return (rules::perft(&mut position, self.depth), Vec::new());
        }
        let mut below = Vec::new();
        for mv in self.game.legal_moves() {
            let undo = position.make(mv);
            below.push((mv.to_string(), rules::perft(&mut position, self.depth - 1)));
            position.unmake(mv, undo);
        }
        (below.iter().map(|(_, nodes)| nodes).sum(), below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_division_add_up() {
        let perft = |divide| Perft {
            game: Game::startpos(),
            depth: 3,
            divide,
            json: false,
        };
        let (whole, none) = perft(false).count();
        let (sum, below) = perft(true).count();
        assert_eq!((whole, sum), (25_470, 25_470));
        assert_eq!((none.len(), below.len()), (0, 30));
    }
}
