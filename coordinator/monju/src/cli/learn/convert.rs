//! The command line of `monju learn convert`.

use clap::{ArgGroup, Args};
use monju_learn::nnue::NetworkConversionRun;
use std::path::PathBuf;

pub const CONVERT_HELP: &str = "\
The beginning of a file tells its format: Monju's own, which has a checksum, or the nn.bin that other \
engines read, HalfKP or K-P 256x2-32-32. Both formats hold the same weights.

A network that was trained on even games alone keeps random weights for missing pieces, which occur in \
handicap games and mate problems. --drop-missing removes them; evaluations with all pieces stay the same.";

/// Everything after `monju learn convert`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").required(true).multiple(true).args(["output", "nn_bin"]))]
pub struct LearnConvertArguments {
    /// The network to read
    network: PathBuf,
    /// The file to write in Monju's own format
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The nn.bin to write for other engines
    #[arg(long, value_name = "FILE")]
    nn_bin: Option<PathBuf>,
    /// Removes the weights of missing pieces
    #[arg(long)]
    drop_missing: bool,
}

impl From<LearnConvertArguments> for NetworkConversionRun {
    fn from(arguments: LearnConvertArguments) -> Self {
        Self {
            network: arguments.network,
            output: arguments.output,
            nn_bin: arguments.nn_bin,
            drop_missing: arguments.drop_missing,
        }
    }
}
