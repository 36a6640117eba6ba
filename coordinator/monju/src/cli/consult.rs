//! The command line of `monju consult`.

use super::{parsers::position_or_game, team::TeamArguments};
use clap::Args;
use monju_commands::consult::Consult;

/// Everything after `monju consult`.
#[derive(Debug, Args)]
pub struct ConsultArguments {
    /// startpos, startpos moves …, sfen …, a bare SFEN, or a game (KIF, KI2, CSA, JKF, USI); default: startpos
    position: Vec<String>,
    /// Number of the position's moves to play; default: all
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Number of the game in a file of several
    #[arg(long, value_name = "N", default_value = "1")]
    game: usize,
    #[command(flatten)]
    team: TeamArguments,
    /// Seed of ties and noise
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Nodes per player
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Iterations per player
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Thinking time in milliseconds; default: 1000, unless there is another limit
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl ConsultArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The position is wrong, or the file of the game cannot be read.
    pub fn resolve(self) -> anyhow::Result<Consult> {
        Ok(Consult {
            game: position_or_game(&self.position, self.game, self.ply)?,
            choices: self.team.into(),
            seed: self.seed,
            nodes: self.nodes,
            depth: self.depth,
            time_ms: self.time,
            json: self.json,
        })
    }
}
