//! The command line of `monju status`.

use super::parsers;
use clap::Args;
use monju_commands::status::Status;
use monju_team::{
    config::{COORDINATOR_LISTEN, Config, ConfigError},
    team::Choices,
};
use std::path::PathBuf;

/// Text after the list of arguments.
pub const HELP: &str = "\
'in time' counts the last 50 votes of each player; 'round trip' is a mean with its mean deviation. A game keeps its \
players while it is looked at. With --watch, a coordinator that no longer answers is waited for; an object of JSON then has \
'no_answer' with the reason and the time since the last answer.";

/// Everything after `monju status`.
#[derive(Debug, Args)]
pub struct StatusArguments {
    /// The coordinator; default: http://127.0.0.1:7410, or https://127.0.0.1:7410 with certificates
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
    ///
    /// # Errors
    /// No coordinator is named, and the configuration is wrong.
    pub fn resolve(self) -> Result<Status, ConfigError> {
        let coordinator = match self.coordinator {
            Some(url) => url,
            None => {
                let config = Config::load(self.config.as_deref())?;
                let has_certificates = self.tls.is_some() || config.tls.is_some();
                let scheme = if has_certificates { "https" } else { "http" };
                format!("{scheme}://{COORDINATOR_LISTEN}")
            }
        };
        Ok(Status {
            choices: Choices {
                coordinator: Some(coordinator),
                config: self.config,
                tls: self.tls,
                ..Choices::default()
            },
            watch: self.watch,
            json: self.json,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn certificates_of_the_configuration_make_the_address_https() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("team.toml");
        let coordinator = |text: &str, tls: Option<&str>| {
            fs::write(&config, text).expect("written");
            let arguments = StatusArguments {
                coordinator: None,
                config: Some(config.clone()),
                tls: tls.map(PathBuf::from),
                watch: false,
                json: false,
            };
            let status = arguments.resolve().expect("a configuration");
            status.choices.coordinator.expect("an address")
        };
        let plain = "version = 1\n";
        let with_tls = "version = 1\ntls = \"team/observer\"\n";
        assert_eq!(coordinator(plain, None), "http://127.0.0.1:7410");
        assert_eq!(coordinator(plain, Some("team")), "https://127.0.0.1:7410");
        assert_eq!(coordinator(with_tls, None), "https://127.0.0.1:7410");
    }
}
