//! The command line of `monju doctor`.

use clap::Args;
use monju_commands::doctor::Doctor;
use std::{path::PathBuf, time::Duration};

/// Everything after `monju doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Configuration; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Milliseconds that every player gets for its test move
    #[arg(long, value_name = "MS", default_value = "2000",
          value_parser = clap::value_parser!(u64).range(100..=600_000))]
    time: u64,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl From<DoctorArguments> for Doctor {
    fn from(arguments: DoctorArguments) -> Self {
        Self {
            config: arguments.config,
            test_time: Duration::from_millis(arguments.time),
            json: arguments.json,
        }
    }
}
