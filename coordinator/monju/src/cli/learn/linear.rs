//! The command line of `monju learn linear`.

use clap::Args;
use monju_learn::linear::{LinearRun, LinearTraining};
use std::path::PathBuf;

pub const LINEAR_HELP: &str = "\
Writes FILE, and beside it FILE.checkpoint and FILE.recipe, from which --resume continues with the same \
games and options, FILE.loss.svg, the loss curve, and FILE.report, the options and the results. The same \
games, options and number of threads give the same weights. Every 50th game is held out for validation.";

/// Everything after `monju learn linear`.
#[derive(Debug, Args)]
pub struct LinearArguments {
    /// Games to learn from, as 'monju learn records' writes them
    #[arg(long, value_name = "FILE")]
    games: PathBuf,
    /// The file of weights to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Resumes an earlier run with the same options
    #[arg(long)]
    resume: bool,
    /// Seed of the order of positions
    #[arg(long, default_value = LinearTraining::default().seed.to_string())]
    seed: u64,
    /// Games whose positions are learned from together, before those of the next; Shimoyama has 12,000; 0: all
    #[arg(long, value_name = "GAMES", default_value = LinearTraining::default().window.to_string())]
    window: usize,
    /// Number of steps
    #[arg(long, value_name = "N", default_value = LinearTraining::default().steps.to_string(),
          value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Positions in a minibatch
    #[arg(long, value_name = "N", default_value = LinearTraining::default().batch.to_string(),
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    /// Depth of the training search before its quiescence search; Shimoyama has 4 or 5
    #[arg(long, value_name = "PLIES", default_value = LinearTraining::default().depth.to_string(),
          value_parser = clap::value_parser!(u32).range(1..=6))]
    depth: u32,
    /// Initial learning rate: change of a value in a step, in centipawns; it falls to 0
    #[arg(long, value_name = "CP", default_value = LinearTraining::default().rate.to_string())]
    rate: f32,
    /// Width of T(x) in centipawns
    #[arg(long, value_name = "CP", default_value = LinearTraining::default().width.to_string())]
    width: f32,
    /// Tolerance of T(x) at the end of a game, in centipawns
    #[arg(long, value_name = "CP", default_value = LinearTraining::default().tolerance.to_string())]
    tolerance: f32,
    /// Strength of the penalty on the size of the values: by twice this part of the rate, each value in
    /// centipawns falls in a step
    #[arg(long, value_name = "W", default_value = LinearTraining::default().penalty.to_string())]
    penalty: f32,
    /// Number of threads
    #[arg(long, value_name = "N", default_value = LinearTraining::default().threads.to_string(),
          value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Held-out positions on which to measure the move match, before and after
    #[arg(long, value_name = "N", default_value = "20000")]
    measured: usize,
}

impl From<LinearArguments> for LinearRun {
    fn from(arguments: LinearArguments) -> Self {
        Self {
            games: arguments.games,
            output: arguments.output,
            resume: arguments.resume,
            measured: arguments.measured,
            settings: LinearTraining {
                seed: arguments.seed,
                window: arguments.window,
                steps: arguments.steps,
                batch: arguments.batch as usize,
                depth: arguments.depth,
                rate: arguments.rate,
                width: arguments.width,
                tolerance: arguments.tolerance,
                penalty: arguments.penalty,
                threads: arguments.threads as usize,
            },
        }
    }
}
