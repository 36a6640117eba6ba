//! The command line of `monju mate`.

use super::parsers::position_or_game;
use clap::Args;
use monju_commands::mate::MateCommand;
use monju_engine::mate::MateQuestion;
use std::time::Duration;

/// Text below the options in the help.
pub const HELP: &str = "\
A mate is printed only when every answer to every check of it has been refuted. The line shows the longest \
defence; interpositions that only delay the mate count as moves. Without --shortest, a mate is shortened with \
about as much effort as it took to find.

The status is 1 when the limits, or an interrupt, leave the question open.

With --json, one object: position, result (mate, no_mate, unknown), plies, moves, shortest (the mate is proved \
to be the shortest; null without a mate), nodes, time_ms, time_us.

Examples:
  monju mate sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1
  monju mate game.kif --ply 110 --time 5000 --shortest";

/// Everything after `monju mate`.
#[derive(Debug, Args)]
pub struct MateArguments {
    /// startpos moves …, sfen …, a bare SFEN, or a game (KIF, KI2, CSA, JKF, USI)
    #[arg(required = true)]
    position: Vec<String>,
    /// Number of the position's moves to play; default: all
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Number of the game in a file of several
    #[arg(long, value_name = "N", default_value = "1")]
    game: usize,
    /// Largest number of positions to search; default: until there is a result
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Longest time in milliseconds; default: until there is a result
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Looks for the shortest mate, and for the best defence against it
    #[arg(long)]
    shortest: bool,
    /// Largest table in MiB; it begins small
    #[arg(long, value_name = "MIB", default_value = "256",
          value_parser = clap::value_parser!(u32).range(1..=MateQuestion::MAX_TABLE_MIB as i64))]
    hash: u32,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl MateArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The position is wrong, or the file of the game cannot be read.
    pub fn resolve(self) -> anyhow::Result<MateCommand> {
        Ok(MateCommand {
            game: position_or_game(&self.position, self.game, self.ply)?,
            question: MateQuestion {
                nodes: self.nodes.unwrap_or(u64::MAX),
                shortest: self.shortest,
                ..MateQuestion::new(self.hash as usize)
            },
            time: self.time.map(Duration::from_millis),
            json: self.json,
        })
    }
}
