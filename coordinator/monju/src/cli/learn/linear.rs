//! From the games of people to the evaluator `linear`.

use crate::commands::learn::{linear::LinearRun, records::RecordsRun};
use clap::Args;
use monju_learn::linear::Settings;
use std::path::PathBuf;

pub const RECORDS_HELP: &str = "\
The ending of a file says its format: .csa, .kif, .ki2, .tsv (fields between tabs, the result second
and the USI moves last), and .usi, .sfen or .txt (one 'startpos moves …' or 'sfen … moves …' a line).
What is thrown away is counted by reason, with the place of the first.";

/// Everything after `monju learn records`.
#[derive(Debug, Args)]
pub struct RecordsArguments {
    /// Files of games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl From<RecordsArguments> for RecordsRun {
    fn from(arguments: RecordsArguments) -> Self {
        Self {
            files: arguments.files,
            output: arguments.output,
        }
    }
}

pub const LINEAR_HELP: &str = "\
Writes FILE, and beside it FILE.checkpoint and FILE.recipe, with which --resume goes on where games and
options are the same, FILE.loss.svg, the loss curve, and FILE.report, the recipe and the results. With
the same games, options and number of threads, the weights are the same. Every 50th game is held out to
measure on.";

/// Everything after `monju learn linear`.
#[derive(Debug, Args)]
pub struct LinearArguments {
    /// Games to learn from, as 'monju learn records' writes them
    #[arg(long, value_name = "FILE")]
    games: PathBuf,
    /// The file of weights to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Goes on where an earlier run with the same options stopped
    #[arg(long)]
    resume: bool,
    /// Which positions come when
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Steps altogether
    #[arg(long, value_name = "N", default_value_t = Settings::default().steps,
          value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Positions in a step
    #[arg(long, value_name = "N", default_value_t = Settings::default().batch as u32,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    batch: u32,
    /// Plies of the training search before its quiescence; paper 003 has 4 or 5
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().depth,
          value_parser = clap::value_parser!(u32).range(1..=6))]
    depth: u32,
    /// How far a value moves in each of the first steps, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Settings::default().rate)]
    rate: f32,
    /// Width of T(x) in centipawns
    #[arg(long, value_name = "CP", default_value_t = Settings::default().width)]
    width: f32,
    /// Tolerance of T(x) at the end of a game, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Settings::default().tolerance)]
    tolerance: f32,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = Settings::default().threads as u32,
          value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// Held-out positions to measure on, before and after
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    measured: usize,
}

impl From<LinearArguments> for LinearRun {
    fn from(arguments: LinearArguments) -> Self {
        Self {
            games: arguments.games,
            output: arguments.output,
            resume: arguments.resume,
            measured: arguments.measured,
            settings: Settings {
                seed: arguments.seed,
                steps: arguments.steps,
                batch: arguments.batch as usize,
                depth: arguments.depth,
                rate: arguments.rate,
                width: arguments.width,
                tolerance: arguments.tolerance,
                threads: arguments.threads as usize,
            },
        }
    }
}
