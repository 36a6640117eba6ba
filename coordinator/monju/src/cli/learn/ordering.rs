//! The command line of `monju learn ordering`.

use clap::Args;
use monju_learn::{DescentSettings, ordering::OrderingRun};
use std::path::PathBuf;

pub const ORDERING_HELP: &str = "\
Learns by which squares, pieces and captures the order of moves is better (Shimoyama, section 5), in a few minutes, \
from the samples of 'monju learn searches --samples ordering'. The games of every fourth opening are held out: for their nodes \
it prints how often the move that cuts comes first, and its mean place, by today's order and by the learned \
one. The same logs and options give the same weights; FILE.recipe beside them has the options. They are \
used with the search option learned_order; the program carries those of engine/weights/ordering.bin: \
to play with others, build it with them in that place.";

/// Everything after `monju learn ordering`.
#[derive(Debug, Args)]
pub struct OrderingArguments {
    /// Logs with samples, as 'monju learn searches' writes them
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// The weights to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Number of epochs
    #[arg(long, value_name = "N", default_value = OrderingRun::settings().epochs.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Nodes in a minibatch
    #[arg(long, value_name = "N", default_value = OrderingRun::settings().batch.to_string())]
    batch: usize,
    /// Initial learning rate; it falls by an equal share from epoch to epoch, to one share in the last
    #[arg(long, default_value = OrderingRun::settings().rate.to_string())]
    rate: f64,
    /// Weight of the penalty on large weights, as in the paper
    #[arg(long, default_value = OrderingRun::settings().penalty.to_string())]
    penalty: f64,
    /// Seed of the order of the samples
    #[arg(long, default_value = OrderingRun::settings().seed.to_string())]
    seed: u64,
}

impl From<OrderingArguments> for OrderingRun {
    fn from(arguments: OrderingArguments) -> Self {
        Self {
            logs: arguments.logs,
            output: arguments.output,
            settings: DescentSettings {
                epochs: arguments.epochs,
                batch: arguments.batch,
                rate: arguments.rate,
                penalty: arguments.penalty,
                seed: arguments.seed,
            },
        }
    }
}
