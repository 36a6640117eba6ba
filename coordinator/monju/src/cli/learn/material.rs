//! The command line of `monju learn material`.

use clap::Args;
use monju_learn::material::{MaterialRun, MaterialTraining};
use std::path::PathBuf;

pub const MATERIAL_HELP: &str = "\
The values are written as text, in centipawns; engine/src/eval/material/values.rs describes the format. \
One game of 50 is held out for validation; positions in check, or whose best move is a capture, are left \
out. The same data and options give the same values.

Use them with --evaluator material:FILE.";

/// Everything after `monju learn material`.
#[derive(Debug, Args)]
pub struct MaterialArguments {
    /// Positions, as 'monju learn selfplay' writes them
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The values to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Number of epochs
    #[arg(long, value_name = "N", default_value = MaterialTraining::default().epochs.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions in a minibatch
    #[arg(long, value_name = "N", default_value = MaterialTraining::default().batch.to_string())]
    batch: usize,
    /// Initial learning rate; it falls to 0
    #[arg(long, default_value = MaterialTraining::default().rate.to_string())]
    rate: f64,
    /// Share of the score in the target; the rest is the game result
    #[arg(long, default_value = MaterialTraining::default().lambda.to_string())]
    lambda: f64,
    /// Centipawns in one unit of the logit: a side with that score wins 73 % of the games
    #[arg(long, default_value = MaterialTraining::default().scale.to_string())]
    scale: f64,
    /// Standard deviation in centipawns of the prior of the squares' values
    #[arg(long, value_name = "S", default_value = MaterialTraining::default().prior.to_string())]
    prior: f64,
    /// Seed of the order of the positions
    #[arg(long, default_value = MaterialTraining::default().seed.to_string())]
    seed: u64,
}

impl From<MaterialArguments> for MaterialRun {
    fn from(arguments: MaterialArguments) -> Self {
        Self {
            data: arguments.data,
            output: arguments.output,
            settings: MaterialTraining {
                seed: arguments.seed,
                epochs: arguments.epochs,
                batch: arguments.batch,
                rate: arguments.rate,
                lambda: arguments.lambda,
                scale: arguments.scale,
                prior: arguments.prior,
            },
        }
    }
}
