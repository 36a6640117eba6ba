//! The command line of `monju status`.

use super::parsers;
use crate::commands::status::Status;
use clap::Args;
use monju_team::{config::COORDINATOR_LISTEN, team::Choices};
use std::path::PathBuf;

/// Text after the list of arguments.
pub const HELP: &str = "\
'in time' counts the last 50 votes of each player; 'round trip' is a mean with its mean deviation. A game keeps its \
players while it is looked at.";

/// Everything after `monju status`.
#[derive(Debug, Args)]
pub struct StatusArguments {
    /// The coordinator; default: http://127.0.0.1:7410, or https://127.0.0.1:7410 with --tls
    #[arg(long, value_name = "URL", value_parser = parsers::url)]
    coordinator: Option<String>,
    /// Configuration that names the certificates; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
    /// Shows the state again every second
    #[arg(long)]
    watch: bool,
    /// Prints one JSON object, with --watch one a line
    #[arg(long)]
    json: bool,
}

impl StatusArguments {
    /// Makes the command of these arguments.
    pub fn resolve(self) -> Status {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let default = || format!("{scheme}://{COORDINATOR_LISTEN}");
        Status {
            choices: Choices {
                coordinator: Some(self.coordinator.unwrap_or_else(default)),
                config: self.config,
                tls: self.tls,
                ..Choices::default()
            },
            watch: self.watch,
            json: self.json,
        }
    }
}
