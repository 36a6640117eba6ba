//! The log on standard error.

use monju_commands::output::logs_json;
use std::{
    env,
    io::{self, IsTerminal},
};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::{Layer as _, filter::Targets, prelude::*};

/// Parts that are quieter than the rest: HTTP/2 logs every frame, and a warning for each connection whose other end
/// breaks its rules, which would drown everything else; errors of databases are in our own errors.
const QUIET: &str = "h2=error,hyper=warn,tower=warn,sqlx=off";

/// Logs at `default` and above, or as `MONJU_LOG` says, as `LEVEL` or `TARGET=LEVEL,…`, for as long as
/// the guard lives; with `MONJU_LOG_FORMAT=json`, each line is a JSON object. A GUI that never reads standard
/// error must not stop the clock, so the log has a thread of its own, and drops lines while the reader is stuck.
pub fn to_stderr(default: &str) -> WorkerGuard {
    let chosen = env::var("MONJU_LOG").unwrap_or_else(|_| default.to_owned());
    let filter = filter(&chosen, default);
    let (writer, guard) = tracing_appender::non_blocking(io::stderr());
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let lines = match logs_json() {
        true => lines.json().flatten_event(true).with_filter(filter).boxed(),
        false => lines
            .with_ansi(io::stderr().is_terminal())
            .with_filter(filter)
            .boxed(),
    };
    tracing_subscriber::registry().with(lines).init();
    guard
}

fn filter(chosen: &str, default: &str) -> Targets {
    format!("{QUIET},{chosen}")
        .parse::<Targets>()
        .or_else(|_| format!("{QUIET},{default}").parse())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn strangers_do_not_fill_the_log() {
        for (chosen, is_told) in [
            ("info", false),
            ("monju_proto=loud", false),
            ("info,h2=warn", true),
        ] {
            let filter = filter(chosen, "info");
            let told = filter.would_enable("h2::proto::streams", &Level::WARN);
            assert_eq!(told, is_told, "{chosen}");
            assert!(filter.would_enable("monju_proto::serve", &Level::INFO));
        }
    }
}
