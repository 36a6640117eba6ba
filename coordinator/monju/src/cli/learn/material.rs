//! From games against itself to the evaluator `material`.

use crate::commands::learn::material::MaterialRun;
use clap::Args;
use monju_learn::MaterialTraining;
use std::path::PathBuf;

pub const MATERIAL_HELP: &str = "\
The values are a text, in centipawns, as engine/src/eval/material/values.rs describes it. One game
of 50 is held out to validate on; positions in check, or whose best move captures, are not learned
from. With the same data and options the values are the same.

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
    /// How often every position is seen
    #[arg(long, value_name = "N", default_value_t = MaterialTraining::default().epochs,
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions of a step
    #[arg(long, value_name = "N", default_value_t = MaterialTraining::default().batch)]
    batch: usize,
    /// Length of the first steps; it falls to nothing
    #[arg(long, default_value_t = MaterialTraining::default().rate)]
    rate: f64,
    /// Share of the score in what is learned; the rest is the result of the game
    #[arg(long, default_value_t = MaterialTraining::default().lambda)]
    lambda: f64,
    /// Centipawns of one unit of the logit: with a score of as many, 73 % of the games are won
    #[arg(long, default_value_t = MaterialTraining::default().scale)]
    scale: f64,
    /// By how many centipawns squares are expected to differ before anything is learned
    #[arg(long, value_name = "S", default_value_t = MaterialTraining::default().prior)]
    prior: f64,
    /// Of the order of the positions
    #[arg(long, default_value_t = MaterialTraining::default().seed)]
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
