//! Another USI engine as a child process, asked one thing at a time.

use anyhow::{Context, anyhow, bail};
use monju_host::{
    OptionValue, UsiOptions, UsiSpec,
    usi_child::{ChildError, UsiChild, UsiMessage},
};
use std::{path::Path, str::FromStr, time::Duration};
use tokio::{runtime::Runtime, time::timeout};

/// Longest wait for an answer after the time of its search.
const PATIENCE: Duration = Duration::from_secs(30);

/// An option of the other engine, as `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RivalOption {
    name: String,
    value: String,
}

/// Error of a text that is no option of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected NAME=VALUE, as in Threads=1")]
pub struct NotAnOption;

impl FromStr for RivalOption {
    type Err = NotAnOption;

    fn from_str(text: &str) -> Result<Self, NotAnOption> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err(NotAnOption),
        }
    }
}

/// Speed of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Nodes per second.
    pub nodes_per_second: f64,
    /// Time of the measurement.
    pub time: Duration,
}

/// A running engine. Dropping it ends it.
#[derive(Debug)]
pub struct Rival {
    name: String,
    engine: UsiChild,
    runtime: Runtime,
}

impl Rival {
    /// Starts a program and sets its options.
    ///
    /// # Errors
    /// It cannot be started, or does not speak USI.
    pub fn start(program: &Path, options: &[RivalOption]) -> anyhow::Result<Self> {
        let name = program.display().to_string();
        let option = |option: &RivalOption| {
            let value = OptionValue::Text(option.value.clone());
            (option.name.clone(), value)
        };
        let spec = UsiSpec {
            options: UsiOptions(options.iter().map(option).collect()),
            ..UsiSpec::of_program(program)
        };
        let runtime = Runtime::new().context("cannot start the runtime for the other engine")?;
        let engine = runtime.block_on(UsiChild::start(name.clone(), spec));
        let engine = engine.map_err(|error| described(&name, error))?;
        for report in engine.reports().all() {
            tell!("'{name}' says: {}", report.words);
        }
        Ok(Self {
            engine,
            name,
            runtime,
        })
    }

    /// Lets it search a position as the first of a new game. `None` without a report of its nodes.
    ///
    /// # Errors
    /// It has ended, or does not answer.
    pub fn measure(&mut self, sfen: &str, time: Duration) -> anyhow::Result<Option<Speed>> {
        let Self {
            name,
            engine,
            runtime,
        } = self;
        // A timer needs the runtime when it is made.
        let measured =
            runtime.block_on(async { timeout(time + PATIENCE, search(engine, sfen, time)).await });
        match measured {
            Ok(speed) => speed.map_err(|error| described(name, error)),
            Err(_) => bail!("'{name}' does not say bestmove"),
        }
    }
}

async fn search(
    engine: &mut UsiChild,
    sfen: &str,
    time: Duration,
) -> Result<Option<Speed>, ChildError> {
    engine.ready().await?;
    engine.new_game().await?;
    let go = format!("go movetime {}", time.as_millis());
    engine.go(&format!("position sfen {sfen}"), &go).await?;
    let mut speed = None;
    loop {
        match engine.next().await? {
            UsiMessage::Info(info) => speed = read_speed(&info).or(speed),
            UsiMessage::BestMove(_) => return Ok(speed),
            UsiMessage::ReadyOk | UsiMessage::Other => {}
        }
    }
}

fn described(name: &str, error: ChildError) -> anyhow::Error {
    match error {
        ChildError::Spawn { source, .. } => anyhow!(source).context(format!(
            "cannot start '{name}'; install it, or name another USI engine"
        )),
        ChildError::Ended(how) => anyhow!("'{name}' has ended ({how})"),
        error => anyhow!(error).context(format!("'{name}'")),
    }
}

/// Reads the speed from the text behind `info`: its nodes over its time, or else its own figure.
fn read_speed(info: &str) -> Option<Speed> {
    let words: Vec<&str> = info.split_whitespace().collect();
    if words.first() == Some(&"string") {
        return None;
    }
    let number = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1)?.parse::<u64>().ok()
    };
    let time_ms = number("time")?;
    let nodes_per_second = match (number("nodes"), number("nps")) {
        (Some(nodes), _) if time_ms > 0 => nodes as f64 * 1000.0 / time_ms as f64,
        (_, Some(nps)) => nps as f64,
        _ => return None,
    };
    Some(Speed {
        nodes_per_second,
        time: Duration::from_millis(time_ms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_read_from_nodes_and_time_or_from_nps() {
        let speed = |line| read_speed(line).map(|speed| speed.nodes_per_second as u64);
        let line = "depth 9 score cp 4 nodes 3000 nps 99 time 500 pv 7g7f";
        assert_eq!(speed(line), Some(6_000));
        assert_eq!(speed("nps 99 time 500"), Some(99));
        assert_eq!(speed("nodes 20 nps 99 time 0"), Some(99));
        assert_eq!(speed("nodes 20"), None);
        assert_eq!(speed("string nodes 20 time 7"), None);
    }

    #[test]
    fn options_are_names_and_values() {
        let option: RivalOption = "USI_Hash=16".parse().expect("good");
        assert_eq!(
            (option.name.as_str(), option.value.as_str()),
            ("USI_Hash", "16")
        );
        assert!("Threads".parse::<RivalOption>().is_err());
        assert!("=1".parse::<RivalOption>().is_err());
    }
}
