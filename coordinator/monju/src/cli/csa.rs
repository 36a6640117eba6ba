//! The command line of `monju csa`.

use super::parsers::no_sense;
use anyhow::{Context, bail};
use clap::Args;
use monju_commands::csa::{Csa, Login};
use monju_host::{OptionValue, UsiOptions, UsiSpec};
use std::{env, fs, net::Ipv6Addr, path::PathBuf};

/// Port of servers of the CSA protocol.
const PORT: u16 = 4081;

/// Usage of the command, which is wider than a terminal on one line.
pub const USAGE: &str = "\
monju csa --server <HOST> --user <NAME> --password-file <FILE> [OPTIONS]
                 [-- <COMMAND>...]";

/// Text after the list of arguments.
pub const HELP: &str = "\
The password is the first line of its file; on floodgate it is the name of the kind of games, a comma, and a word of your \
own: floodgate-300-10F,word. The first interrupt ends after the game under way, the second at once.

Examples: monju csa --server wdoor.c.u-tokyo.ac.jp --user Monju --password-file password --games 10
          monju csa --server 192.168.0.1 --user Monju --password-file password -- monju usi --config team.toml";

/// Everything after `monju csa`.
#[derive(Debug, Args)]
pub struct CsaArguments {
    /// Server, as HOST or HOST:PORT; the default port is 4081
    #[arg(long, value_name = "HOST")]
    server: String,
    /// Name of the account: at most 32 letters, digits, '_' and '-'
    #[arg(long, value_name = "NAME")]
    user: String,
    /// File whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: PathBuf,
    /// Number of games, one after the other
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Folder for the games as CSA files
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    records: PathBuf,
    /// USI option of the engine as NAME=VALUE; repeat it for several
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Does not think on the opponent's time
    #[arg(long)]
    no_ponder: bool,
    /// Sends scores and lines of play with the moves, as floodgate shows them
    #[arg(long)]
    comments: bool,
    /// Engine to play with, after '--'; default: this program as 'monju usi'
    #[arg(last = true)]
    command: Vec<String>,
}

impl CsaArguments {
    /// Makes the command of these arguments.
    ///
    /// # Errors
    /// The name or an option makes no sense, or the password's file cannot be read or has none.
    pub fn resolve(self) -> anyhow::Result<Csa> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.user.is_empty() || self.user.len() > 32 || !self.user.chars().all(is_letter) {
            let user = &self.user;
            let what = format!("--user '{user}': expected at most 32 letters, digits, '_' and '-'");
            return Err(no_sense(what).into());
        }
        let file = self.password_file.display();
        let text = fs::read_to_string(&self.password_file)
            .with_context(|| format!("cannot read the password in {file}"))?;
        let password = text.lines().next().unwrap_or_default();
        // Editors may begin a file with a mark of its encoding.
        let password = password.trim_start_matches('\u{feff}').trim().to_owned();
        if password.is_empty() || password.contains(char::is_whitespace) {
            bail!("the first line of {file} is no password: one word is expected");
        }
        let mut options = Vec::new();
        for option in &self.options {
            let Some((name, value)) = option.split_once('=') else {
                let what = format!("--option '{option}': expected NAME=VALUE");
                return Err(no_sense(what).into());
            };
            options.push((name.to_owned(), OptionValue::Text(value.to_owned())));
        }
        let is_own = self.command.is_empty();
        let mut words = self.command.into_iter();
        let program = match words.next() {
            Some(program) => PathBuf::from(program),
            None => env::current_exe().context("cannot find this program")?,
        };
        let mut engine = UsiSpec::of_program(program);
        engine.arguments = match is_own {
            true => vec!["usi".to_owned()],
            false => words.collect(),
        };
        engine.options = UsiOptions(options);
        Ok(Csa {
            login: Login {
                server: with_port(self.server),
                user: self.user,
                password,
            },
            games: self.games,
            records: self.records,
            engine,
            ponders: !self.no_ponder,
            comments: self.comments,
        })
    }
}

/// Returns a server with its port.
fn with_port(server: String) -> String {
    if server.parse::<Ipv6Addr>().is_ok() {
        return format!("[{server}]:{PORT}");
    }
    match server.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => server,
        _ => format!("{server}:{PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_a_port_has_that_of_the_protocol() {
        for (given, expected) in [
            ("wdoor.example", "wdoor.example:4081"),
            ("wdoor.example:4082", "wdoor.example:4082"),
            ("::1", "[::1]:4081"),
            ("[::1]", "[::1]:4081"),
            ("[::1]:4082", "[::1]:4082"),
        ] {
            assert_eq!(with_port(given.to_owned()), expected);
        }
    }
}
