//! From games against itself to the evaluator `nnue`.

use crate::commands::learn::{nnue::NetworkRun, selfplay::SelfPlayRun};
use clap::Args;
use monju_engine::{EvaluatorChoice, PlayerSettings, eval::Architecture};
use monju_host::load_evaluator;
use monju_learn::{NetworkTraining, SelfPlaySettings};
use std::{path::PathBuf, thread};

pub const SELF_PLAY_HELP: &str = "\
The file holds 40 bytes a position, as .psv files do: packed SFEN, score, best move, ply, result.
It depends on these options and not on the number of threads. Stopped and started again with the
same options, it goes on where it stopped; with more --positions, it grows. FILE.recipe beside it has
the options; a build that plays the file's last game otherwise leaves the file as it is.";

/// Everything after `monju learn selfplay`.
#[derive(Debug, Args)]
pub struct SelfPlayArguments {
    /// The file to write, or to continue
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Positions that it shall hold; the last game is finished
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Nodes a move
    #[arg(long, default_value_t = SelfPlaySettings::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Static evaluation, or one with the weights of a file: NAME:FILE
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Standard deviation of the evaluation noise in centipawns
    #[arg(
        long,
        value_name = "S",
        default_value_t = SelfPlaySettings::default().player.sigma,
        allow_negative_numbers = true
    )]
    sigma: f64,
    /// Every game is a function of this and its number
    #[arg(long, default_value_t = SelfPlaySettings::default().seed)]
    seed: u64,
    /// Openings, one 'startpos moves …' a line; each game follows one of them for a while
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// How far at most, in plies
    #[arg(long, value_name = "PLIES", default_value_t = SelfPlaySettings::default().opening_plies)]
    opening_plies: usize,
    /// Random moves at most, after the opening
    #[arg(long, value_name = "PLIES", default_value_t = SelfPlaySettings::default().random_plies)]
    random_plies: usize,
    /// Games with so many plies are drawn
    #[arg(long, value_name = "PLIES", default_value_t = SelfPlaySettings::default().maximum_plies)]
    maximum_plies: usize,
    /// A game is decided when one side has been so many centipawns ahead for four searches
    #[arg(long, value_name = "SCORE", default_value_t = SelfPlaySettings::default().decided_score)]
    decided_score: i32,
    /// Transposition table of each thread in MiB
    #[arg(long, value_name = "MIB", default_value_t = SelfPlaySettings::default().player.hash_mib)]
    hash: usize,
    /// Games at the same time; default: one per core
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl TryFrom<SelfPlayArguments> for SelfPlayRun {
    type Error = anyhow::Error;

    fn try_from(arguments: SelfPlayArguments) -> anyhow::Result<Self> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            output: arguments.output,
            positions: arguments.positions,
            threads: arguments.threads.unwrap_or_else(cores).max(1),
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

pub const NETWORK_HELP: &str = "\
The network is K-P 256x2-32-32: with --architecture k-p as other engines read it, with k-p-pairs one whose
second layer sees products of two sums each. After every epoch it is written to FILE, and beside it
FILE.checkpoint and FILE.recipe, with which --resume goes on where data and options are the same,
FILE.losses.tsv, and FILE.loss.svg, their curve. With the same data, options and number of threads the
network is the same. One game of 50 is held out to validate on; positions in check, or whose best move
captures, are not learned from.

What several networks that were trained apart say of a position (--teacher) knows less of single games
by heart than each of them, and so does a network that learns from it. The one that Monju carries was
trained with --lambda 1 --trace-decay 0.95.

Use it with --evaluator nnue:FILE; other engines read the nn.bin.";

/// Everything after `monju learn nnue`.
#[derive(Debug, Args)]
pub struct NetworkArguments {
    /// Positions, as 'monju learn selfplay' writes them
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The network to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// What the network is made of: k-p or k-p-pairs
    #[arg(long, value_name = "NAME", default_value_t = NetworkTraining::default().architecture)]
    architecture: Architecture,
    /// The same for other engines, with --architecture k-p
    #[arg(long, value_name = "FILE")]
    nn_bin: Option<PathBuf>,
    /// A network to start from, instead of random weights
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// A network that teaches, of either architecture; several are asked for their mean
    #[arg(long, value_name = "FILE")]
    teacher: Vec<PathBuf>,
    /// How much of each score is taken from the teachers, where there are some
    #[arg(long, value_name = "SHARE", default_value_t = NetworkTraining::default().teacher_share)]
    teacher_share: f64,
    /// Goes on where an earlier run of the same command stopped
    #[arg(long)]
    resume: bool,
    /// Stops after this epoch, to be resumed
    #[arg(long, value_name = "EPOCH", value_parser = clap::value_parser!(u64).range(1..))]
    until: Option<u64>,
    /// How often every position is seen
    #[arg(long, value_name = "N", default_value_t = NetworkTraining::default().epochs,
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions of a step
    #[arg(long, value_name = "N", default_value_t = NetworkTraining::default().batch)]
    batch: usize,
    /// Length of the first steps; it falls to a hundredth
    #[arg(long, default_value_t = NetworkTraining::default().rate)]
    rate: f64,
    /// Share of the score in what is learned; the rest is the result of the game
    #[arg(long, default_value_t = NetworkTraining::default().lambda)]
    lambda: f64,
    /// How much of each score is taken from the scores and the result that follow in its game (the λ of
    /// temporal-difference learning); 0 is nothing
    #[arg(long, value_name = "DECAY", default_value_t = NetworkTraining::default().trace_decay)]
    trace_decay: f64,
    /// Centipawns of one unit of the logit: with a score of as many, 73 % of the games are won
    #[arg(long, default_value_t = NetworkTraining::default().scale)]
    scale: f64,
    /// Of the first weights, and of the order of the positions
    #[arg(long, default_value_t = NetworkTraining::default().seed)]
    seed: u64,
    /// Threads that share a step
    #[arg(long, value_name = "N", default_value_t = NetworkTraining::default().threads)]
    threads: usize,
}

impl From<NetworkArguments> for NetworkRun {
    fn from(arguments: NetworkArguments) -> Self {
        Self {
            data: arguments.data,
            output: arguments.output,
            nn_bin: arguments.nn_bin,
            start: arguments.start,
            teachers: arguments.teacher,
            resume: arguments.resume,
            until: arguments.until,
            settings: NetworkTraining {
                architecture: arguments.architecture,
                seed: arguments.seed,
                epochs: arguments.epochs,
                batch: arguments.batch,
                rate: arguments.rate,
                lambda: arguments.lambda,
                trace_decay: arguments.trace_decay,
                teacher_share: arguments.teacher_share,
                scale: arguments.scale,
                threads: arguments.threads,
            },
        }
    }
}
