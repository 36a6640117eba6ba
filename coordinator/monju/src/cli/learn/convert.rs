//! From one format of networks to the other.

use crate::commands::learn::convert::ConvertRun;
use clap::Args;
use std::path::PathBuf;

pub const CONVERT_HELP: &str = "\
A network is known by the beginning of its file: one of Monju's own format, which has a checksum, or a
nn.bin of the field, HalfKP or K-P 256x2-32-32. The same weights are the same network in both.

A network that was trained on whole games alone has weights of chance for pieces that are missing, as in
handicap games and mate problems. --drop-missing writes it without them; of whole games it says the same.";

/// Everything after `monju learn convert`.
#[derive(Debug, Args)]
#[group(id = "outputs", required = true, multiple = true, args = ["output", "nn_bin"])]
pub struct ConvertArguments {
    /// The network to read
    network: PathBuf,
    /// The same in Monju's own format
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The same for other engines
    #[arg(long, value_name = "FILE")]
    nn_bin: Option<PathBuf>,
    /// Without weights for pieces that are missing
    #[arg(long)]
    drop_missing: bool,
}

impl From<ConvertArguments> for ConvertRun {
    fn from(arguments: ConvertArguments) -> Self {
        Self {
            network: arguments.network,
            output: arguments.output,
            nn_bin: arguments.nn_bin,
            drop_missing: arguments.drop_missing,
        }
    }
}
