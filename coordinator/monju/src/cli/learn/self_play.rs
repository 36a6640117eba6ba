//! The command line of `monju learn selfplay`.

use super::super::parsers;
use clap::{Args, builder::RangedU64ValueParser};
use monju_engine::{EvaluatorChoice, PlayerSettings};
use monju_host::load_evaluator;
use monju_learn::self_play::{SelfPlayRun, SelfPlaySettings};
use std::{path::PathBuf, thread};

pub const SELF_PLAY_HELP: &str = "\
The file has 40 bytes for each position, in the layout of .psv files: packed SFEN, score, best move, ply, \
result. It depends on the options but not on the number of threads. Started again with the same options, \
the command continues the file, which also grows with more --positions. FILE.recipe beside it has the \
options; a build that plays the last game of the file differently refuses to continue it.";

/// Everything after `monju learn selfplay`.
#[derive(Debug, Args)]
pub struct SelfPlayArguments {
    /// The file to write or to continue
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Number of positions to reach; the last game is finished
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Nodes per move
    #[arg(long, default_value = SelfPlaySettings::default().nodes.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Standard deviation of the evaluation noise in centipawns
    #[arg(
        long,
        value_name = "S",
        default_value = SelfPlaySettings::default().player.sigma.to_string(),
        allow_negative_numbers = true
    )]
    sigma: f64,
    /// Seed of the games
    #[arg(long, default_value = SelfPlaySettings::default().seed.to_string())]
    seed: u64,
    /// Openings, one 'startpos moves …' a line; each game begins with a part of one
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Largest number of opening moves
    #[arg(long, value_name = "PLIES", default_value = SelfPlaySettings::default().opening_plies.to_string())]
    opening_plies: usize,
    /// Largest number of random moves after the opening
    #[arg(long, value_name = "PLIES", default_value = SelfPlaySettings::default().random_plies.to_string(),
          value_parser = RangedU64ValueParser::<usize>::new().range(..=1_000))]
    random_plies: usize,
    /// Length at which a game is drawn
    #[arg(long, value_name = "PLIES", default_value = SelfPlaySettings::default().maximum_plies.to_string(),
          value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    maximum_plies: usize,
    /// Lead in centipawns that wins a game when it lasts for four searches; 0 for none
    #[arg(long, value_name = "SCORE", default_value = SelfPlaySettings::default().decided_score.to_string(),
          value_parser = clap::value_parser!(i32).range(0..))]
    decided_score: i32,
    /// Transposition table of each thread in MiB
    #[arg(long, value_name = "MIB", default_value = SelfPlaySettings::default().player.hash_mib.to_string(),
          value_parser = parsers::table_mib::<usize>())]
    hash: usize,
    /// Simultaneous games; default: one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,
}

impl TryFrom<SelfPlayArguments> for SelfPlayRun {
    type Error = anyhow::Error;

    fn try_from(arguments: SelfPlayArguments) -> anyhow::Result<Self> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            output: arguments.output,
            positions: arguments.positions,
            threads: arguments
                .threads
                .map_or_else(cores, |threads| threads as usize),
            openings: arguments.openings,
            settings: SelfPlaySettings {
                player: PlayerSettings {
                    evaluator: load_evaluator(&arguments.evaluator)?,
                    sigma: arguments.sigma,
                    hash_mib: arguments.hash,
                    threads: 1,
                    ..PlayerSettings::default()
                },
                nodes: arguments.nodes,
                seed: arguments.seed,
                random_plies: arguments.random_plies,
                opening_plies: arguments.opening_plies,
                maximum_plies: arguments.maximum_plies,
                decided_score: arguments.decided_score,
                ..SelfPlaySettings::default()
            },
        })
    }
}
