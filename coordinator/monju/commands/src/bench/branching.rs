//! The depth that a player reaches with so many nodes, and the branching factor between them.

use super::stack::on_search_stack;
use crate::{output::print_line, progress::PositionsProgress};
use monju_engine::{
    Bound, Control, Game, Limits, Player, PlayerSettings, bench::MIDDLEGAME, counted,
};
use serde_json::json;

/// Depths over the middlegame positions by nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// The player; every position is a new game to it.
    pub settings: PlayerSettings,
    /// Its noise seed.
    pub seed: u64,
    /// Numbers of nodes, in any order.
    pub nodes: Vec<u64>,
    /// Number of positions.
    pub positions: usize,
    /// One JSON object instead of text.
    pub json: bool,
}

impl Branching {
    /// Searches the positions, each once with the largest number of nodes, and prints the mean of the
    /// deepest iterations completed within each number.
    ///
    /// # Errors
    /// The player cannot be made, or standard output is closed.
    pub fn run(mut self) -> anyhow::Result<()> {
        self.nodes.sort_unstable();
        self.nodes.dedup();
        on_search_stack(|| {
            let positions = &MIDDLEGAME[..self.positions.min(MIDDLEGAME.len())];
            let mut player = Player::new(self.settings.clone())?;
            let mut sums = vec![0u64; self.nodes.len()];
            let mut decided = 0;
            let progress = PositionsProgress::begin(positions.len(), positions.len());
            for position in positions {
                match self.depths(&mut player, &Game::from_usi(position)?) {
                    Some(depths) => {
                        for (sum, depth) in sums.iter_mut().zip(depths) {
                            *sum += u64::from(depth);
                        }
                    }
                    None => decided += 1,
                }
                progress.advance();
            }
            drop(progress);
            let searched = positions.len() - decided;
            let means: Vec<f64> = sums
                .iter()
                .map(|&sum| sum as f64 / searched.max(1) as f64)
                .collect();
            self.print(searched, &means)
        })
    }

    /// Returns the depth within each number of nodes, or none if a proved mate ended the search before.
    fn depths(&self, player: &mut Player, game: &Game) -> Option<Vec<u32>> {
        player.new_game(self.seed);
        let limits = Limits {
            nodes: self.nodes.last().copied(),
            ..Limits::default()
        };
        let mut depths = vec![0; self.nodes.len()];
        let outcome = player.think(game, &limits, &Control::new(), &mut |line| {
            if line.ends_iteration && line.bound == Bound::Exact {
                for (depth, &nodes) in depths.iter_mut().zip(&self.nodes) {
                    if line.nodes <= nodes {
                        *depth = line.depth;
                    }
                }
            }
        });
        let is_whole = Some(outcome.line.nodes) >= self.nodes.last().map(|nodes| nodes / 10 * 9);
        is_whole.then_some(depths)
    }

    fn print(&self, searched: usize, means: &[f64]) -> anyhow::Result<()> {
        let factor = |index: usize| {
            let nodes = self.nodes[index] as f64 / self.nodes[index - 1] as f64;
            nodes.powf(1.0 / (means[index] - means[index - 1]))
        };
        if self.json {
            let rows: Vec<_> = (0..means.len())
                .map(|index| {
                    let branching = (index > 0).then(|| factor(index));
                    json!({
                        "nodes": self.nodes[index],
                        "depth": means[index],
                        "branching_factor": branching.filter(|factor| factor.is_finite()),
                    })
                })
                .collect();
            return print_line(&format!(
                "{:#}",
                json!({ "positions": searched, "rows": rows })
            ));
        }
        print_line(&counted(searched, "position"))?;
        print_line("     nodes  depth  branching factor")?;
        for (index, depth) in means.iter().enumerate() {
            let branching = match index {
                0 => String::new(),
                _ => format!("  {:.3}", factor(index)),
            };
            print_line(&format!(
                "{:>10}  {depth:>5.2}{branching}",
                self.nodes[index]
            ))?;
        }
        Ok(())
    }
}
