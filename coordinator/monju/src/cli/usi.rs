//! The command line of `monju usi`.

use super::{parsers, team::TeamArguments};
use clap::Args;
use monju_commands::usi::UsiCommand;

/// Everything after `monju usi`.
#[derive(Debug, Default, Args)]
pub struct UsiArguments {
    #[command(flatten)]
    team: TeamArguments,
    /// Serves a page that shows the council; default: 127.0.0.1:7480
    #[arg(long, value_name = "HOST:PORT", value_parser = parsers::listen, num_args = 0..=1,
          default_missing_value = monju_commands::page::DEFAULT)]
    page: Option<String>,
}

impl UsiArguments {
    /// Makes the command of these arguments.
    pub fn resolve(self) -> UsiCommand {
        UsiCommand {
            choices: self.team.into(),
            page: self.page,
        }
    }
}
