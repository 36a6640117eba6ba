//! `monju perft`: counts the positions that a number of legal moves leads to.

use anyhow::Context;
use monju_engine::{Game, rules};
use serde_json::{Map, Value, json};
use std::{
    io::{self, Write},
    time::Instant,
};

/// What to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// The position as USI text; empty for the start position.
    pub position: String,
    /// How many plies deep.
    pub depth: u32,
    /// Shows the count below every move, too.
    pub divide: bool,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Perft {
    /// Counts, and prints the count to standard output.
    ///
    /// # Errors
    /// The position is wrong.
    pub fn run(&self) -> anyhow::Result<()> {
        let game = match self.position.trim() {
            "" => Game::startpos(),
            text => Game::from_usi(text).with_context(|| format!("position '{text}'"))?,
        };
        let begun = Instant::now();
        let (nodes, below) = self.count(&game);
        let seconds = begun.elapsed().as_secs_f64();
        let nps = (nodes as f64 / seconds.max(1e-9)) as u64;
        let mut output = io::stdout().lock();
        let written = if self.json {
            let mut object = json!({
                "position": game.position().to_string(),
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
            writeln!(output, "{object:#}")
        } else {
            below
                .iter()
                .try_for_each(|(mv, nodes)| writeln!(output, "{mv}: {nodes}"))
                .and_then(|()| writeln!(output, "{nodes} nodes in {seconds:.3} s, {nps} nodes/s"))
        };
        written.context("cannot write to standard output")
    }

    /// The count, and with `divide` the counts below each move.
    fn count(&self, game: &Game) -> (u64, Vec<(String, u64)>) {
        let mut position = game.position().clone();
        if !self.divide || self.depth == 0 {
            return (rules::perft(&mut position, self.depth), Vec::new());
        }
        let mut below = Vec::new();
        for mv in game.legal_moves() {
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
            position: String::new(),
            depth: 3,
            divide,
            json: false,
        };
        let game = Game::startpos();
        let (whole, none) = perft(false).count(&game);
        let (sum, below) = perft(true).count(&game);
        assert_eq!((whole, sum), (25_470, 25_470));
        assert_eq!((none.len(), below.len()), (0, 30));
    }
}
