//! The command line of `monju learn nnue`.

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use monju_engine::eval::Architecture;
use monju_learn::nnue::{NetworkRun, NetworkTraining};
use std::path::PathBuf;

/// Architectures that can be trained.
const TRAINED: [Architecture; 2] = [Architecture::KP, Architecture::KPPairs];

pub const NETWORK_HELP: &str = "\
The network is K-P 256x2-32-32. Other engines read the architecture k-p; in k-p-pairs the first hidden \
layer sees products of two sums each. After every epoch FILE is written, and beside it FILE.checkpoint and \
FILE.recipe, from which --resume continues with the same data and options, FILE.losses.tsv, and \
FILE.loss.svg, their curve. The same data, options and number of threads give the same network. One game of \
50 is held out for validation; positions in check, or whose best move is a capture, are left out.

The mean of several networks that were trained independently (--teacher) has memorised less of single games \
than each of them, and so does a network that is distilled from it. Monju's own network was trained with \
--lambda 1 --trace-decay 0.95.

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
    /// Architecture of the network
    #[arg(long, value_name = "NAME", default_value = NetworkTraining::default().architecture.to_string(),
          value_parser = PossibleValuesParser::new(TRAINED.map(Architecture::name)).try_map(|name| name.parse::<Architecture>()))]
    architecture: Architecture,
    /// The nn.bin to write for other engines, with --architecture k-p
    #[arg(long, value_name = "FILE")]
    nn_bin: Option<PathBuf>,
    /// Initial network, instead of random weights
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Network to distill from, of either architecture; several are averaged
    #[arg(long, value_name = "FILE")]
    teacher: Vec<PathBuf>,
    /// Share of the teachers in each score
    #[arg(long, value_name = "SHARE", default_value = NetworkTraining::default().teacher_share.to_string())]
    teacher_share: f64,
    /// Resumes an earlier run of the same command
    #[arg(long)]
    resume: bool,
    /// Stops after this epoch, to be resumed
    #[arg(long, value_name = "EPOCH", value_parser = clap::value_parser!(u64).range(1..))]
    until: Option<u64>,
    /// Number of epochs
    #[arg(long, value_name = "N", default_value = NetworkTraining::default().epochs.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions in a minibatch
    #[arg(long, value_name = "N", default_value = NetworkTraining::default().batch.to_string())]
    batch: usize,
    /// Initial learning rate; it falls to a hundredth
    #[arg(long, default_value = NetworkTraining::default().rate.to_string())]
    rate: f64,
    /// Share of the score in the target; the rest is the game result
    #[arg(long, default_value = NetworkTraining::default().lambda.to_string())]
    lambda: f64,
    /// Share in each score of the scores and the result that follow in its game (the λ of
    /// temporal-difference learning)
    #[arg(long, value_name = "DECAY", default_value = NetworkTraining::default().trace_decay.to_string())]
    trace_decay: f64,
    /// Centipawns in one unit of the logit: a side with that score wins 73 % of the games
    #[arg(long, default_value = NetworkTraining::default().scale.to_string())]
    scale: f64,
    /// Seed of the initial weights and of the order of the positions
    #[arg(long, default_value = NetworkTraining::default().seed.to_string())]
    seed: u64,
    /// Threads that share a minibatch
    #[arg(long, value_name = "N", default_value = NetworkTraining::default().threads.to_string())]
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
