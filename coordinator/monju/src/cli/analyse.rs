//! The command line of `monju analyse`.

use super::{
    parsers::{self, no_sense},
    team::TeamArguments,
};
use clap::Args;
use monju_commands::{analyse::Analyse, consult::DEFAULT_TIME_MS};
use monju_proto::{convert::MOST_MOVES, v1::Limits};
use std::path::{Path, PathBuf};

/// Text after the list of arguments.
pub const HELP: &str = "\
Writes beside the game, or to --out: NAME.analysis.kifu and .csa, the game with comments that ShogiHome shows; \
NAME.analysis.html, a page with board, graph and votes; NAME.analysis.jsonl, the ballots, as 'monju replay' reads \
them. The same command resumes an analysis that was interrupted.

Example: monju analyse game.kif --time 3000 --multi-pv 3";

/// Everything after `monju analyse`.
#[derive(Debug, Args)]
pub struct AnalyseArguments {
    /// Game: .kif, .kifu, .ki2, .ki2u, .csa, .jkf, .usi, .sfen or .tsv
    file: PathBuf,
    /// Number of the game in a file of several
    #[arg(long, value_name = "N", default_value = "1")]
    game: usize,
    #[command(flatten)]
    team: TeamArguments,
    /// First position, by the number of moves before it; default: 0
    #[arg(long, value_name = "N")]
    from: Option<usize>,
    /// Last position, by the number of moves before it; default: the end of the game
    #[arg(long, value_name = "N")]
    to: Option<usize>,
    /// Seed of ties and noise
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Nodes per player and position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Iterations per player and position
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Thinking time for each position in milliseconds; default: 1000, unless there is another limit
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Moves that each player ranks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    multi_pv: Option<u32>,
    /// Folder to write to; default: the folder of the game
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Prints one JSON object in place of the table
    #[arg(long)]
    json: bool,
}

impl AnalyseArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The file has no such game, or the range has no position.
    pub fn resolve(self) -> anyhow::Result<Analyse> {
        let game = parsers::game(&self.file, self.game)?;
        let count = game.game().moves().len();
        let (from, to) = (self.from.unwrap_or(0), self.to.unwrap_or(count));
        if from > to || to > count {
            let what = format!(
                "--from {from} --to {to}: the positions of the game have the numbers 0 to {count}"
            );
            return Err(no_sense(what).into());
        }
        if to > MOST_MOVES {
            let what = format!(
                "{}: players are asked about positions after {MOST_MOVES} moves at most; the game has {count}: add --to {MOST_MOVES}",
                self.file.display()
            );
            return Err(no_sense(what).into());
        }
        if self.team.names_book() {
            let what = "--book: the players are asked in the opening, too; leave it out";
            return Err(no_sense(what.to_owned()).into());
        }
        let unlimited = self.nodes.is_none() && self.depth.is_none();
        let stem = self
            .file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = match self.game {
            1 => stem,
            number => format!("{stem}-{number}"),
        };
        let beside = self.file.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Analyse {
            game,
            plies: from..=to,
            choices: self.team.into(),
            seed: self.seed,
            limits: Limits {
                nodes: self.nodes,
                depth: self.depth,
                time_ms: self.time.or(unlimited.then_some(DEFAULT_TIME_MS)),
                multi_pv: self.multi_pv.filter(|&wanted| wanted > 1),
                ..Limits::default()
            },
            folder: self.out.unwrap_or(beside),
            name,
            json: self.json,
        })
    }
}
