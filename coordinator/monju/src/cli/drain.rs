//! The command line of `monju drain`.

use super::parsers;
use clap::Args;
use monju_commands::drain::DrainCommand;
use std::path::PathBuf;

/// Text after the list of arguments.
pub const HELP: &str = "\
A worker that drains finishes the questions under way and is asked no others, while its process goes on. The command ends \
when nothing is under way, and fails if a worker takes questions again meanwhile, as after a restart; when Ctrl-C ends the command \
before, the worker drains all the same. With certificates by role, it takes a \
coordinator's folder.";

/// Everything after `monju drain`.
#[derive(Debug, Args)]
pub struct DrainArguments {
    /// The worker; may be given several times
    #[arg(long = "worker", value_name = "URL", value_parser = parsers::url, required = true)]
    workers: Vec<String>,
    /// Lets the worker take questions again
    #[arg(long)]
    resume: bool,
    /// Configuration that names the certificates; default: monju.toml beside the executable, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the team's certificates, for URLs with https; see 'monju certificates'
    #[arg(long, value_name = "FOLDER")]
    tls: Option<PathBuf>,
}

impl DrainArguments {
    /// Makes the command of these arguments.
    pub fn resolve(self) -> DrainCommand {
        let Self {
            workers,
            resume,
            config,
            tls,
        } = self;
        DrainCommand {
            workers,
            resume,
            config,
            tls,
        }
    }
}
