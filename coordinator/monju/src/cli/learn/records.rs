//! The command line of `monju learn records`.

use clap::Args;
use monju_learn::records::RecordsRun;
use std::path::PathBuf;

pub const RECORDS_HELP: &str = "\
The extension of a file is its format: .csa, .kif, .ki2, .jkf, .tsv (fields between tabs, the result second \
and the USI moves last), and .usi, .sfen or .txt (one 'startpos moves …' or 'sfen … moves …' a line). \
Rejected games are counted by reason, with the place of the first.";

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
