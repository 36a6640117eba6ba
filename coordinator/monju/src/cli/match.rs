//! The command line of `monju match`.

use super::parsers::{StoreAddress, ValueError, even, no_sense, sigma};
use clap::{Args, value_parser};
use monju_commands::r#match::MatchCommand;
use monju_coordinator::clock::NodesTime;
use monju_engine::{EvaluatorChoice, SearchChoices, eval::Sigma};
use monju_experiment::{
    paired_match::{MatchPlayer, MatchPlayerKind, PairedMatch, PairedMatchError, name_of_store},
    statistics::{EloModel, MINIMUM_PAIRS, Sprt},
    store::{Accepted, Address},
};
use std::path::PathBuf;

/// Usage of the command, which is wider than a terminal on one line.
pub const USAGE: &str = "\
monju match --first <PROGRAM> --second <PROGRAM> --openings <FILE>
                   [OPTIONS]";

/// Text below the options in the help.
pub const HELP: &str = "\
Every opening is played with both colours. The openings come in an order that the seed shuffles, each \
once. A clock is kept by the referee: a move beyond it and --margin loses, and so does an illegal move. \
A pair in which an engine ends is played again, and given up after three failures; --retry-given-up plays \
it again from a --store.

Examples: monju match --first monju --first-arguments engine --second fairy-stockfish \\
              --second-option UCI_Variant=shogi --byoyomi 200 \\
              --openings configs/openings/records2016_24ply.sfen --games 400
          monju match --first monju --first-arguments engine --second ./older --second-arguments engine \\
              --main-time 40000 --nodes-per-ms 10 --openings configs/openings/records2016_24ply.sfen
          monju match --first native --first-search null_move=0 --second native --nodes 25000 \\
              --elo0 0 --elo1 10 --openings configs/openings/records2016_24ply.sfen --games 2000";

/// Program name that stands for a native player.
const NATIVE: &str = "native";

/// Default byoyomi in milliseconds, where no other limit is given.
const BYOYOMI_MS: u64 = 200;

/// An option of a USI engine.
#[derive(Clone, Debug)]
struct EngineOption(String, String);

fn engine_option(text: &str) -> Result<EngineOption, ValueError> {
    let (name, value) = text.split_once('=').ok_or(ValueError::NoAssignment)?;
    Ok(EngineOption(name.to_owned(), value.to_owned()))
}

/// Defines the arguments of one side, which differ in the names of their flags alone.
macro_rules! side_arguments {
    ($name:ident, $prefix:literal) => {
        #[derive(Debug, Args)]
        struct $name {
            /// Program of this side, or native for a player of Monju in this process
            #[arg(id = $prefix, long = $prefix, value_name = "PROGRAM")]
            program: String,
            /// Argument of the program; repeat it for several
            #[arg(id = concat!($prefix, "-arguments"), long = concat!($prefix, "-arguments"),
                  value_name = "TEXT", allow_hyphen_values = true)]
            arguments: Vec<String>,
            /// Option that it is sent; repeat it for several
            #[arg(id = concat!($prefix, "-option"), long = concat!($prefix, "-option"),
                  value_name = "NAME=VALUE", value_parser = engine_option)]
            options: Vec<EngineOption>,
            /// Words of its go, such as 'nodes 10000', instead of those that the limits give
            #[arg(id = concat!($prefix, "-go"), long = concat!($prefix, "-go"), value_name = "WORDS")]
            go: Option<String>,
            /// Lets it think on the opponent's time, too, as a GUI would
            #[arg(id = concat!($prefix, "-ponder"), long = concat!($prefix, "-ponder"))]
            ponder: bool,
            /// Native player: static evaluation, or one with the weights of a file: NAME:FILE
            #[arg(id = concat!($prefix, "-evaluator"), long = concat!($prefix, "-evaluator"),
                  value_name = "NAME")]
            evaluator: Option<EvaluatorChoice>,
            /// Native player: options of the search that differ from their defaults
            #[arg(id = concat!($prefix, "-search"), long = concat!($prefix, "-search"),
                  value_name = "NAME=VALUE,…")]
            search: Option<SearchChoices>,
            /// Native player: standard deviation of the evaluation noise
            #[arg(id = concat!($prefix, "-sigma"), long = concat!($prefix, "-sigma"),
                  value_name = "S", allow_negative_numbers = true, value_parser = sigma)]
            sigma: Option<Sigma>,
        }

        impl From<$name> for SideArguments {
            fn from(arguments: $name) -> Self {
                Self {
                    prefix: $prefix,
                    program: arguments.program,
                    arguments: arguments.arguments,
                    options: arguments.options,
                    go: arguments.go,
                    ponder: arguments.ponder,
                    evaluator: arguments.evaluator,
                    search: arguments.search,
                    sigma: arguments.sigma,
                }
            }
        }
    };
}

side_arguments!(FirstArguments, "first");
side_arguments!(SecondArguments, "second");

/// Arguments of one side.
#[derive(Debug)]
struct SideArguments {
    prefix: &'static str,
    program: String,
    arguments: Vec<String>,
    options: Vec<EngineOption>,
    go: Option<String>,
    ponder: bool,
    evaluator: Option<EvaluatorChoice>,
    search: Option<SearchChoices>,
    sigma: Option<Sigma>,
}

/// Everything after `monju match`.
#[derive(Debug, Args)]
pub struct MatchArguments {
    #[command(flatten)]
    first: FirstArguments,
    #[command(flatten)]
    second: SecondArguments,
    /// Openings, one 'startpos moves …' or 'sfen …' a line
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// First opening to use, counted from 0
    #[arg(long, value_name = "N", default_value = "0")]
    skip: usize,
    /// Uses only the last fifth of the openings, which 'monju tune' leaves alone: for the final figures of what it
    /// has found
    #[arg(long)]
    held_out: bool,
    /// Number of games, or the largest number with --elo1
    #[arg(long, value_name = "N", default_value = "100", value_parser = even)]
    games: u32,
    /// Seed of the order of openings, of ties and of noise
    #[arg(long, default_value = "1", value_parser = value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Milliseconds for a move after the main time; default: 200 without any other limit
    #[arg(long, value_name = "MS")]
    byoyomi: Option<u64>,
    /// Milliseconds of main time for each side and game
    #[arg(long, value_name = "MS")]
    main_time: Option<u64>,
    /// Milliseconds that are added to the main time after each move
    #[arg(long, value_name = "MS")]
    increment: Option<u64>,
    /// Counts so many nodes as a millisecond of the clock, in place of time, so that games can be repeated;
    /// engines are told by the option NodesTime, and believed
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(NodesTime::MOST)))]
    nodes_per_ms: Option<u32>,
    /// Milliseconds beyond the clock after which a move loses on time
    #[arg(long, value_name = "MS", default_value = "300")]
    margin: u64,
    /// Nodes of each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Iterations of each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Transposition table of each native player in MiB
    #[arg(long, value_name = "MIB", default_value = "16",
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Games at the same time; default: one per core, or 1 where time is measured
    #[arg(long, alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: Option<u32>,
    /// Plies after which a game is a draw
    #[arg(long, value_name = "N", default_value = "320",
          value_parser = clap::value_parser!(u32).range(1..))]
    maximum_plies: u32,
    /// A game ends when both sides agree on a score beyond this for six plies; 0 for never
    #[arg(long, value_name = "CP", default_value = "3000",
          value_parser = clap::value_parser!(i32).range(0..))]
    adjudication: i32,
    /// Sequential test: Elo difference that it rejects in favour of --elo1
    #[arg(
        long,
        value_name = "ELO",
        default_value = "0",
        requires = "elo1",
        allow_negative_numbers = true
    )]
    elo0: f64,
    /// Ends the match as soon as a sequential test has decided between --elo0 and this difference
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Error probability of the sequential test, for both errors
    #[arg(long, value_name = "P", default_value = "0.05", requires = "elo1")]
    error_probability: f64,
    /// Pairs before which the sequential test does not end
    #[arg(long, value_name = "N", default_value = MINIMUM_PAIRS.to_string(), requires = "elo1")]
    minimum_pairs: u32,
    /// Takes the differences of the sequential test as logistic Elo instead of normalized Elo
    #[arg(long, requires = "elo1")]
    logistic: bool,
    /// Keeps the games in this store, from which the same command goes on; default: none are kept
    #[arg(long, value_name = "FILE|URL", value_parser = StoreAddress)]
    store: Option<Address>,
    /// Begins anew even if the store holds games of other settings, which stay there, apart
    #[arg(long, requires = "store")]
    accept_changes: bool,
    /// Counts games of another build with those of this one
    #[arg(long, requires = "store")]
    accept_build: bool,
    /// Plays the pairs again that failed three times and were given up
    #[arg(long, requires = "store")]
    retry_given_up: bool,
    /// Prints one JSON object at the end
    #[arg(long)]
    json: bool,
}

impl MatchArguments {
    /// The command that the arguments describe.
    ///
    /// # Errors
    /// The arguments of a side contradict each other.
    pub fn resolve(self) -> Result<MatchCommand, clap::Error> {
        let given = [self.main_time, self.byoyomi, self.increment];
        let clock = match given.map(|time| time.unwrap_or(0)) {
            [0, 0, 0] if given == [None; 3] => None,
            [0, 0, 0] => {
                let what =
                    "a clock of 0 ms leaves no time to move; give --byoyomi or --main-time more";
                return Err(no_sense(what.to_owned()));
            }
            [0, 0, _] => {
                return Err(no_sense(
                    "a clock needs --main-time or --byoyomi".to_owned(),
                ));
            }
            [_, byoyomi, increment] if byoyomi > 0 && increment > 0 => {
                let what = "USI has either --byoyomi or --increment; leave one out";
                return Err(no_sense(what.to_owned()));
            }
            clock => Some(clock),
        };
        if self.nodes_per_ms.is_some() && clock.is_none() {
            let what = "--nodes-per-ms counts the clock; give --main-time or --byoyomi";
            return Err(no_sense(what.to_owned()));
        }
        let limits = SideLimits {
            nodes: self.nodes,
            depth: self.depth,
            clock_ms: clock,
            nodes_per_ms: self.nodes_per_ms,
            hash_mib: self.hash,
        };
        let sides = [
            SideArguments::from(self.first).resolve(&limits)?,
            SideArguments::from(self.second).resolve(&limits)?,
        ];
        let name = match &self.store {
            Some(Address::Sqlite(file)) => name_of_store(file),
            _ => "match".to_owned(),
        };
        let stop = self.elo1.map(|elo1| Sprt {
            model: match self.logistic {
                true => EloModel::Logistic,
                false => EloModel::Normalized,
            },
            elo0: self.elo0,
            elo1,
            alpha: self.error_probability,
            beta: self.error_probability,
            minimum_pairs: self.minimum_pairs,
        });
        if let Some(stop) = &stop {
            stop.check().map_err(|error| no_sense(error.to_string()))?;
        }
        Ok(MatchCommand {
            paired: PairedMatch {
                name,
                sides,
                openings: self.openings,
                skip: self.skip,
                held_out: self.held_out,
                games: self.games,
                seed: self.seed,
                margin_ms: self.margin,
                maximum_plies: self.maximum_plies,
                adjudication: self.adjudication,
                stop,
            },
            jobs: self.concurrency.map(|jobs| jobs as usize),
            address: self.store,
            accepted: Accepted {
                changes: self.accept_changes,
                build: self.accept_build,
            },
            retry_given_up: self.retry_given_up,
            json: self.json,
        })
    }
}

/// Limits of both sides.
struct SideLimits {
    nodes: Option<u64>,
    depth: Option<u32>,
    clock_ms: Option<[u64; 3]>,
    nodes_per_ms: Option<u32>,
    hash_mib: u32,
}

impl SideArguments {
    fn resolve(self, limits: &SideLimits) -> Result<MatchPlayer, clap::Error> {
        let prefix = self.prefix;
        let is_limited = limits.nodes.is_some() || limits.depth.is_some() || self.go.is_some();
        let clock_ms = limits
            .clock_ms
            .or((!is_limited).then_some([0, BYOYOMI_MS, 0]));
        let is_native = self.program == NATIVE;
        for (flag, given, of_native) in [
            ("arguments", !self.arguments.is_empty(), false),
            ("option", !self.options.is_empty(), false),
            ("go", self.go.is_some(), false),
            ("ponder", self.ponder, false),
            ("evaluator", self.evaluator.is_some(), true),
            ("search", self.search.is_some(), true),
            ("sigma", self.sigma.is_some(), true),
        ] {
            if given && of_native != is_native {
                let kind = if of_native {
                    "a native player"
                } else {
                    "a program"
                };
                let what = format!(
                    "--{prefix}-{flag} is for {kind}, not for '{}'",
                    self.program
                );
                return Err(no_sense(what));
            }
        }
        let needs_engine = |[main, _, increment]: [u64; 3]| {
            main.max(increment) > 0 || limits.nodes_per_ms.is_some()
        };
        if is_native && clock_ms.is_some_and(needs_engine) {
            return Err(no_sense(PairedMatchError::NativeClock.to_string()));
        }
        let kind = match is_native {
            true => MatchPlayerKind::Native {
                evaluator: self.evaluator.map(|evaluator| evaluator.to_string()),
                sigma: self.sigma.map(|sigma| sigma.to_string()),
                search: self.search.map(|search| search.to_string()),
                hash_mib: limits.hash_mib,
            },
            false => MatchPlayerKind::Program {
                command: [vec![self.program], self.arguments].concat(),
                options: self
                    .options
                    .into_iter()
                    .map(|EngineOption(name, value)| (name, value))
                    .collect(),
                go: self.go.clone(),
                ponder: self.ponder,
            },
        };
        // Its own words of go take the place of nodes and depth.
        let has_go = self.go.is_some();
        Ok(MatchPlayer {
            kind,
            nodes: limits.nodes.filter(|_| !has_go),
            depth: limits.depth.filter(|_| !has_go),
            clock_ms,
            nodes_per_ms: limits.nodes_per_ms,
        })
    }
}
