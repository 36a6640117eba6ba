//! The command line of `monju book`.

use super::parsers;
use clap::{Args, Subcommand};
use monju_commands::book::{self, ShowBook};
use monju_engine::{EvaluatorChoice, PlayerSettings, book::ValueWeights};
use monju_host::load_evaluator;
use monju_learn::book::{BookConversionRun, BookSource, BuildRun, SearchRun};
use monju_proto::build;
use std::{path::PathBuf, thread};

const BUILD_HELP: &str = "\
The extension of a file is its format, as for 'monju learn records': .csa, .kif, .ki2, .jkf, .tsv, .usi, \
.sfen, .txt; and .psv of 'monju learn selfplay'. Players draw a move by its weight. \
Example: monju book build games/*.csa --output wins.book";

const SEARCH_HELP: &str = "\
The weight of a move becomes √games · exp((value - best value) / temperature); its value is that of the \
position after it. FILE.values beside the output keeps what has been searched: the same command goes on \
where it was stopped, and with other weights it searches nothing again. \
Example: monju book build games/*.csa --source played --min-games 2 --plies 40 --output met.book, \
then monju book search met.book --output searched.book";

const SHOW_HELP: &str = "\
Examples: monju book show wins.book
          monju book show wins.book startpos moves 7g7f";

/// Opening books.
#[derive(Debug, Subcommand)]
pub enum BookCommand {
    /// Makes a book of the moves that won in games
    #[command(after_help = BUILD_HELP)]
    Build(BuildArguments),
    /// Searches the positions of a book, and prefers moves of high value
    #[command(after_help = SEARCH_HELP)]
    Search(SearchArguments),
    /// Shows a book, or its moves in a position
    #[command(after_help = SHOW_HELP)]
    Show(ShowArguments),
    /// Writes a book in the other format: a database of YaneuraOu becomes a book of Monju, and back
    Convert(BookConvertArguments),
}

/// Everything after `monju book build`.
#[derive(Debug, Args)]
pub struct BuildArguments {
    /// Files of games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The book to write; with the extension .db a database of YaneuraOu
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Number of moves from the start of each game that are looked at
    #[arg(long, default_value = "60", value_parser = clap::value_parser!(u32).range(1..))]
    plies: u32,
    /// won-by-mover: games with a winner, a move weighs those that its side won; played: all games, a move
    /// weighs those in which it was played
    #[arg(long, default_value_t, value_parser = parsers::named::<BookSource>())]
    source: BookSource,
    /// Games that the side to move must have won at a position; default: 2 by won-by-mover, else 0
    #[arg(long, value_name = "N")]
    min_wins: Option<u32>,
    /// Games in which a position must have been met; default: 2 by played, else 1
    #[arg(long, value_name = "N")]
    min_games: Option<u32>,
}

/// Everything after `monju book search`.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// The book whose positions are searched
    book: PathBuf,
    /// The book to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Nodes for each position
    #[arg(long, default_value = "300000", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Transposition table of each thread in MiB
    #[arg(long, value_name = "MIB", default_value = "32", value_parser = parsers::table_mib::<usize>())]
    hash: usize,
    /// Simultaneous searches; default: one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(parsers::THREADS))]
    threads: Option<u32>,
    /// Games in which a position must have been met
    #[arg(long, value_name = "N", default_value = "2")]
    min_games: u32,
    /// Positions up to this move are searched
    #[arg(long, value_name = "N", default_value = "40")]
    plies: u32,
    /// Goes on with values beside the output that another build has found
    #[arg(long)]
    accept_build: bool,
    /// Takes the values of the searches as they are, without those of later positions
    #[arg(long)]
    no_minimax: bool,
    /// Centipawns below the best move at which a weight is e times as small
    #[arg(long, value_name = "CP", default_value = ValueWeights::default().temperature.to_string(),
          value_parser = parsers::positive)]
    temperature: f64,
    /// Centipawns below the best move beyond which a move is left out
    #[arg(long, value_name = "CP", default_value = ValueWeights::default().margin.to_string(),
          value_parser = clap::value_parser!(i32).range(0..))]
    margin: i32,
    /// Least value of a move in the first 20 plies, in centipawns
    #[arg(long, value_name = "CP", default_value = ValueWeights::default().floor.to_string(),
          allow_negative_numbers = true)]
    floor: i32,
}

/// Everything after `monju book show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The book
    book: PathBuf,
    /// A position: 'startpos moves …', 'sfen …' or a bare SFEN; without one the whole book in numbers
    #[arg(value_name = "POSITION")]
    position: Vec<String>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// Everything after `monju book convert`.
#[derive(Debug, Args)]
pub struct BookConvertArguments {
    /// The book
    book: PathBuf,
    /// The file to write; with the extension .db a database of YaneuraOu
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl BookCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Build(arguments) => book::build(&arguments.into()),
            Self::Search(arguments) => book::search(&arguments.try_into()?),
            Self::Show(arguments) => arguments.resolve()?.run(),
            Self::Convert(arguments) => book::convert(&arguments.into()),
        }
    }
}

impl From<BuildArguments> for BuildRun {
    fn from(arguments: BuildArguments) -> Self {
        let (wins, games) = match arguments.source {
            BookSource::WonByMover => (2, 1),
            BookSource::Played => (0, 2),
        };
        Self {
            files: arguments.files,
            output: arguments.output,
            plies: arguments.plies,
            source: arguments.source,
            min_wins: arguments.min_wins.unwrap_or(wins),
            min_games: arguments.min_games.unwrap_or(games),
        }
    }
}

impl TryFrom<SearchArguments> for SearchRun {
    type Error = anyhow::Error;

    fn try_from(arguments: SearchArguments) -> anyhow::Result<Self> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            book: arguments.book,
            output: arguments.output,
            player: PlayerSettings {
                evaluator: load_evaluator(&arguments.evaluator)?,
                hash_mib: arguments.hash,
                ..PlayerSettings::default()
            },
            build: build::name().to_owned(),
            accepts_builds: arguments.accept_build,
            nodes: arguments.nodes,
            threads: arguments
                .threads
                .map_or_else(cores, |threads| threads as usize),
            min_games: arguments.min_games,
            plies: arguments.plies,
            minimax: !arguments.no_minimax,
            weights: ValueWeights {
                temperature: arguments.temperature,
                margin: arguments.margin,
                floor: arguments.floor,
                ..ValueWeights::default()
            },
        })
    }
}

impl From<BookConvertArguments> for BookConversionRun {
    fn from(arguments: BookConvertArguments) -> Self {
        Self {
            book: arguments.book,
            output: arguments.output,
        }
    }
}

impl ShowArguments {
    fn resolve(self) -> anyhow::Result<ShowBook> {
        let game = match self.position.is_empty() {
            true => None,
            false => Some(parsers::position(&self.position)?),
        };
        Ok(ShowBook {
            book: self.book,
            game,
            json: self.json,
        })
    }
}
