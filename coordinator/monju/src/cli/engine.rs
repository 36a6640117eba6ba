//! The command line of `monju engine`.

use super::parsers;
use clap::Args;
use monju_engine::{EvaluatorChoice, eval::Sigma};
use monju_host::DEFAULT_HASH_MIB;
use monju_usi::engine::EngineChoices;
use std::path::PathBuf;

/// Everything after `monju engine`.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// Transposition table in MiB
    #[arg(long, value_name = "MIB", default_value = DEFAULT_HASH_MIB.to_string(),
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Standard deviation of the evaluation noise: centipawns, or '1/4 pawn exchange'
    #[arg(long, value_name = "S", default_value_t, value_parser = parsers::sigma,
          allow_negative_numbers = true)]
    sigma: Sigma,
    /// Evaluator: material, linear or nnue, or NAME:FILE for one with the weights of a file
    #[arg(long, value_name = "NAME", default_value_t)]
    evaluator: EvaluatorChoice,
    /// Seed of the noise, the same in every game; default: every game has its own
    #[arg(long)]
    seed: Option<u64>,
    /// Opening book: one of 'monju book', or a .db of YaneuraOu
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

impl From<EngineArguments> for EngineChoices {
    fn from(arguments: EngineArguments) -> Self {
        Self {
            hash_mib: arguments.hash,
            sigma: arguments.sigma,
            evaluator: arguments.evaluator,
            seed: arguments.seed,
            book: arguments.book,
            ..Self::default()
        }
    }
}
