//! The command lines of `monju replay` and `monju calibrate`, which read recorded ballots.

use super::parsers;
use clap::Args;
use monju_commands::{calibrate::Calibrate, replay::ReplayCommand};
use monju_coordinator::{replay::Primary, voting::Rule};
use std::path::PathBuf;

/// Everything after `monju replay`.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// Logs that were written by --log
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Rule to decide by; default: as recorded
    #[arg(long, value_parser = parsers::named::<Rule>())]
    rule: Option<Rule>,
    /// Primary player, or none; default: as recorded
    #[arg(long, value_name = "NAME")]
    primary: Option<String>,
    /// Calibration to read the scores by; default: the recorded win rates
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl From<ReplayArguments> for ReplayCommand {
    fn from(arguments: ReplayArguments) -> Self {
        Self {
            logs: arguments.logs,
            rule: arguments.rule,
            primary: match arguments.primary {
                None => Primary::AsRecorded,
                Some(name) if name == "none" => Primary::None,
                Some(name) => Primary::Named(name),
            },
            calibration: arguments.calibration,
            json: arguments.json,
        }
    }
}

/// Everything after `monju calibrate`.
#[derive(Debug, Args)]
pub struct CalibrateArguments {
    /// Logs that were written by --log
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// File to write the win rates to
    #[arg(long, value_name = "FILE", default_value = "calibration.toml")]
    output: PathBuf,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl From<CalibrateArguments> for Calibrate {
    fn from(arguments: CalibrateArguments) -> Self {
        Self {
            logs: arguments.logs,
            output: arguments.output,
            json: arguments.json,
        }
    }
}
