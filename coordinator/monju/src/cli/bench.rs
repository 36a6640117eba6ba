//! The command line of `monju bench`.

use super::parsers::{self, ValueError, no_sense};
use clap::{ArgGroup, Args};
use monju_commands::bench::{
    Branching, Dimension, Evaluators, MateBench, RivalComparison, RivalOption, Scaling, SuiteBench,
};
use monju_engine::{
    EvaluatorChoice, PlayerSettings, SearchChoices, SearchOption, SearchOptions,
    bench::MIDDLEGAME,
    eval::{NoiseModel, Sigma},
};
use monju_host::load_evaluator;
use std::{path::PathBuf, time::Duration};

/// Text below the options in the short help.
pub const HELP: &str = "\
The suite is the start position and 23 positions of other engines' benchmarks; each is a new game, searched \
on one thread. At the same depth, hash, sigma and seed the total of nodes is the same on every machine. New \
weights give another total, so changes of the search are told by that of --evaluator material.

With --json, one object: nodes, nps, depth, time_ms, evaluation_ns (one evaluation as a search needs it: a \
move followed, valued and taken back), evaluator, hash_mib, sigma, noise_model, seed, positions[] (position, nodes, \
nps, time_ms, bestmove, score).

With --against as well: against, movetime_ms, nps, against_nps, ratio, compared, positions[] (position, nps, \
against_nps, ratio).

With --nodes: positions, rows[] (nodes, depth, branching_factor from the row before). Positions that a proved \
mate ends early are left out.

With --evaluators: movetime_ms, compared, evaluators[] (evaluator, nps, evaluation_ns, and ratio to the first).

With --mates: problems, limit, rows[] (search, mates, no_mates, unsolved, wrong, longer, nodes as a geometric \
mean, median_ms, p90_ms). Each line of a file begins with a position, a tab and the length of its mate.

With --threads: depth, positions, rounds, evaluator, hash_mib, sigma, noise_model, threads[] (threads, \
nodes, nps, time_to_depth_ms; compared with the first of them nps_ratio, nodes_ratio, speedup; and \
independent_nps_ratio, the nodes/second that as many independent searches reach here). The 95 % intervals of \
nodes_ratio and speedup go from the mean divided by nodes_ratio_margin, or speedup_margin, to the mean times \
it. With --lanes the same under lanes[], compared with one player without noise, which comes first, and by \
iteration from 4 on depths[] (depth, nodes_ratio, time_ratio, and differing, the share of positions in which \
the lanes choose at least two moves).

Examples:
  monju bench --threads 1,2 --depth 20 --hash 256 --sigma 1 --rounds 4
  monju bench --lanes 8 --depth 14 --sigma '1/4 pawn exchange'
  monju bench --evaluators material,linear,nnue
  monju bench --mates tests/data/mate/mates.tsv
  monju bench --against fairy-stockfish --against-option UCI_Variant=shogi --against-option Threads=1";

/// Text below the options in the long help: the short one's, and every option of the search.
pub fn long_help() -> String {
    let mut help = format!(
        "{HELP}\n\nSearch options (--search, or SearchOptions of 'monju engine'), with the defaults of nnue and linear; \
             material has values of its own:\n"
    );
    for option in SearchOptions::all() {
        let SearchOption {
            name,
            default,
            range,
            meaning,
        } = option;
        let (low, high) = (range.start(), range.end());
        help += &format!("  {name}={default} ({low} to {high}):{meaning}\n");
    }
    help
}

fn parse_lanes(text: &str) -> Result<usize, ValueError> {
    let lanes = text.parse()?;
    PlayerSettings::check_lanes(lanes)?;
    Ok(lanes)
}

fn parse_threads(text: &str) -> Result<usize, ValueError> {
    let threads = text.parse()?;
    PlayerSettings::check_threads(threads)?;
    Ok(threads)
}

/// Everything after `monju bench`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("scaling").args(["threads", "lanes", "nodes"]))]
#[command(group = ArgGroup::new("timed").args(["against", "evaluators"]))]
pub struct BenchArguments {
    /// Iterations in every position
    #[arg(long, default_value = "12", value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Transposition table in MiB; another size is another signature
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = parsers::table_mib::<u32>())]
    hash: u32,
    /// Standard deviation of the evaluation noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", default_value_t, value_parser = parsers::sigma,
          allow_negative_numbers = true)]
    sigma: Sigma,
    /// Target of the noise: every evaluation, the weights, or the result of each leaf's quiescence search
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = parsers::named::<NoiseModel>(),
          conflicts_with_all = ["evaluators", "mates"])]
    noise_model: NoiseModel,
    /// Seed of the noise
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Options of the search that differ from their defaults, separated by commas
    #[arg(long, value_name = "NAME=VALUE,…", default_value = "")]
    search: SearchChoices,
    /// Searches 24 middlegame positions with each of these numbers of threads in turn, instead of the
    /// suite, and compares the time to depth
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "timed",
          value_parser = parse_threads)]
    threads: Vec<usize>,
    /// As --threads, for these numbers of virtual players in one search, compared with one player
    /// without noise; --sigma makes them differ
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = parse_lanes,
          conflicts_with = "timed")]
    lanes: Vec<usize>,
    /// Searches the middlegame positions with the largest of these numbers of nodes, and prints the depth
    /// reached within each and the branching factor between them
    #[arg(long, value_name = "N,…", value_delimiter = ',', num_args = 1,
          conflicts_with_all = ["timed", "depth", "rounds"],
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// Number of middlegame positions
    #[arg(long, value_name = "N", default_value = MIDDLEGAME.len().to_string(), requires = "scaling",
          value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Number of rounds over all of them, each with the next seed; --sigma 1 is noise enough to make
    /// every round another tree
    #[arg(long, value_name = "N", default_value = "1", requires = "scaling",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: u64,
    /// Compares nodes/second with this USI engine, position by position in one run
    #[arg(long, value_name = "PROGRAM", conflicts_with = "depth")]
    against: Option<PathBuf>,
    /// Compares nodes/second with these evaluators, in turns, and the cost of one evaluation
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with_all = ["depth", "evaluator", "sigma"])]
    evaluators: Vec<EvaluatorChoice>,
    /// An option of that engine; repeat it for several
    #[arg(long, value_name = "NAME=VALUE", requires = "against")]
    against_option: Vec<RivalOption>,
    /// Searches the mate problems of these files without and with the parts of df-pn+, and then solves
    /// them: positions searched, unsolved problems, and mates that are longer than the file's
    #[arg(long, value_name = "FILE", num_args = 1..,
          conflicts_with_all = ["scaling", "timed", "depth", "evaluator", "sigma", "search"])]
    mates: Vec<PathBuf>,
    /// Largest number of positions for a mate problem
    #[arg(long, value_name = "N", default_value = "200000", requires = "mates",
          value_parser = clap::value_parser!(u64).range(1..))]
    mate_nodes: u64,
    /// Milliseconds for each position and engine, or evaluator
    #[arg(long, value_name = "MS", default_value = "1000", requires = "timed",
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    movetime: u64,
}

impl BenchArguments {
    /// Runs the measurement that the arguments ask for.
    pub fn run(self) -> anyhow::Result<()> {
        if !self.mates.is_empty() {
            return MateBench {
                files: self.mates,
                nodes: self.mate_nodes,
                hash_mib: self.hash as usize,
                json: self.json,
            }
            .run();
        }
        if !self.lanes.is_empty() && self.noise_model == NoiseModel::Weights {
            let what =
                "lanes share their weights: --noise-model position or leaf makes them differ";
            return Err(no_sense(what.to_owned()).into());
        }
        let evaluator = load_evaluator(&self.evaluator)?;
        let settings = PlayerSettings {
            sigma: self.sigma.in_centipawns(&evaluator),
            evaluator,
            noise_model: self.noise_model,
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
        if !self.nodes.is_empty() {
            return Branching {
                settings,
                seed: self.seed,
                nodes: self.nodes,
                positions: self.positions as usize,
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
                positions: self.positions as usize,
                rounds: self.rounds,
                json: self.json,
            }
            .run(),
            None => SuiteBench {
                settings,
                seed: self.seed,
                depth: self.depth,
                json: self.json,
            }
            .run(),
            Some(program) => RivalComparison {
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
