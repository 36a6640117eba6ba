//! The command line of `monju perft`.

use super::parsers::{no_sense, position};
use clap::Args;
use monju_commands::perft::Perft;

/// Greatest depth; nobody has the time for one third of it.
const MOST_PLIES: u32 = 64;

/// Everything after `monju perft`.
#[derive(Debug, Args)]
pub struct PerftArguments {
    /// The position (default: startpos), then the depth in plies
    #[arg(required = true, value_name = "POSITION DEPTH")]
    words: Vec<String>,
    /// Shows the count below every move, too
    #[arg(long)]
    divide: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl PerftArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The last word is no depth, or the others are no position.
    pub fn resolve(self) -> Result<Perft, clap::Error> {
        let last = self.words.last().map_or("", String::as_str);
        let depth = last.parse().ok().filter(|depth| *depth <= MOST_PLIES);
        let Some(depth) = depth else {
            return Err(no_sense(format!(
                "'{last}' is no depth; expected a number of plies up to {MOST_PLIES} at the end, as in: perft startpos 5"
            )));
        };
        Ok(Perft {
            game: position(&self.words[..self.words.len() - 1])?,
            depth,
            divide: self.divide,
            json: self.json,
        })
    }
}
