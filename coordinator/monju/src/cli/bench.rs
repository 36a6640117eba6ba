//! The command line of `monju bench`.

use crate::commands::bench::{Bench, Comparison, Dimension, Evaluators, RivalOption, Scaling};
use clap::{ArgGroup, Args};
use monju_engine::{
    EvaluatorChoice, PlayerSettings, SearchChoices, SearchOptions, bench::MIDDLEGAME, eval::Sigma,
};
use monju_host::load_evaluator;
use std::{path::PathBuf, time::Duration};

/// What stands below the options in the help.
pub const HELP: &str = "\
The suite is the start position and 23 positions of other engines' benchmarks; each is a new game,
searched on one thread. At the same depth, hash, sigma and seed the total of nodes is the same on
every machine. New weights are another total, so changes of the search are told by that of
--evaluator material.

With --json, one object: nodes, nps, depth, time_ms, evaluation_ns (one evaluation as a search needs
it: a move followed, valued and taken back), evaluator, hash_mib, sigma, seed, positions[] (position,
nodes, nps, time_ms, bestmove, score). With --against as well: against, movetime_ms, nps, against_nps,
ratio, compared, positions[] (position, nps, against_nps, ratio). With --evaluators: movetime_ms,
compared, evaluators[] (evaluator, nps, evaluation_ns, and ratio beside the first). With --threads:
depth, positions, rounds, evaluator, hash_mib, sigma, threads[] (threads, nodes, nps, time_to_depth_ms, and beside the
first of them nps_ratio, nodes_ratio, speedup, and independent_nps_ratio: what so many searches reach
here that have nothing to do with each other; the 95 % intervals of nodes_ratio and speedup go from
the mean divided by nodes_ratio_margin, or speedup_margin, to the mean times it); with --lanes the same
under lanes[].

Examples: monju bench --threads 1,2 --depth 20 --hash 256 --sigma 1 --rounds 4
          monju bench --lanes 1,2,4,8,16 --depth 12 --sigma 50
          monju bench --evaluators material,linear,nnue
          monju bench --against fairy-stockfish --against-option UCI_Variant=shogi \\
              --against-option Threads=1";

/// The same, and every option of the search.
pub fn long_help() -> String {
    let mut help = format!(
        "{HELP}\n\nSearch options (--search, or SearchOptions of 'monju engine'), with the defaults of nnue and linear; \
             material has numbers of its own:\n"
    );
    for (name, default, range, what) in SearchOptions::DESCRIPTIONS {
        let (low, high) = (range.start(), range.end());
        help += &format!("  {name}={default} ({low} to {high}):{what}\n");
    }
    help
}

fn parse_lanes(text: &str) -> Result<usize, String> {
    let lanes = text.parse().map_err(|_| "not a number".to_owned())?;
    PlayerSettings::check_lanes(lanes).map_err(|error| error.to_string())?;
    Ok(lanes)
}

fn parse_threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().map_err(|_| "not a number".to_owned())?;
    PlayerSettings::check_threads(threads).map_err(|error| error.to_string())?;
    Ok(threads)
}

/// Everything after `monju bench`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("scaling").args(["threads", "lanes"]))]
#[command(group = ArgGroup::new("timed").args(["against", "evaluators"]))]
pub struct Arguments {
    /// Iterations in every position
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Static evaluation, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Transposition table in MiB; another size is another signature
    #[arg(long, value_name = "MIB", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Standard deviation of the evaluation noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", default_value_t, allow_negative_numbers = true)]
    sigma: Sigma,
    /// Seed of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Options of the search that differ from their defaults, with commas between
    #[arg(long, value_name = "NAME=VALUE,…", default_value = "")]
    search: SearchChoices,
    /// Searches 24 middlegame positions instead, with each of these numbers of threads in turn, and
    /// compares the time to depth
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "timed",
          value_parser = parse_threads)]
    threads: Vec<usize>,
    /// The same for these numbers of virtual players in one search; --sigma tells them apart
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = parse_lanes,
          conflicts_with = "timed")]
    lanes: Vec<usize>,
    /// How many of the middlegame positions
    #[arg(long, value_name = "N", default_value_t = MIDDLEGAME.len(), requires = "scaling")]
    positions: usize,
    /// How often all of them are searched, each time with the next seed; --sigma 1 is noise enough to
    /// make every round another tree
    #[arg(long, value_name = "N", default_value_t = 1, requires = "scaling",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: u64,
    /// Compares nodes/second with this USI engine instead, position by position in one run
    #[arg(long, value_name = "PROGRAM", conflicts_with = "depth")]
    against: Option<PathBuf>,
    /// Compares nodes/second with these evaluators instead, in turns, and what one evaluation costs
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with_all = ["depth", "evaluator", "sigma"])]
    evaluators: Vec<EvaluatorChoice>,
    /// An option of that engine; repeat it for several
    #[arg(long, value_name = "NAME=VALUE", requires = "against")]
    against_option: Vec<RivalOption>,
    /// Milliseconds that each gets for each position
    #[arg(long, value_name = "MS", default_value_t = 1000, requires = "timed",
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    movetime: u64,
}

impl Arguments {
    /// Runs what is asked for.
    pub fn run(self) -> anyhow::Result<()> {
        let evaluator = load_evaluator(&self.evaluator)?;
        let settings = PlayerSettings {
            sigma: self.sigma.in_centipawns(&evaluator),
            evaluator,
            hash_mib: self.hash as usize,
            search: self.search,
            ..PlayerSettings::default()
        };
        let (dimension, counts) = if self.lanes.is_empty() {
            (Dimension::Threads, self.threads)
        } else {
            (Dimension::Lanes, self.lanes)
        };
        if !self.evaluators.is_empty() {
            let models = self.evaluators.iter().map(load_evaluator);
            return Evaluators {
                settings,
                seed: self.seed,
                models: models.collect::<Result<_, _>>()?,
                move_time: Duration::from_millis(self.movetime),
                json: self.json,
            }
            .run();
        }
        match self.against {
            None if !counts.is_empty() => Scaling {
                settings,
                seed: self.seed,
                depth: self.depth,
                dimension,
                counts,
                positions: self.positions,
                rounds: self.rounds,
                json: self.json,
            }
            .run(),
            None => Bench {
                settings,
                seed: self.seed,
                depth: self.depth,
                json: self.json,
            }
            .run(),
            Some(program) => Comparison {
                settings,
                seed: self.seed,
                program,
                options: self.against_option,
                move_time: Duration::from_millis(self.movetime),
                json: self.json,
            }
            .run(),
        }
    }
}
