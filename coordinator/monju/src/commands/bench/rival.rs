//! Another USI engine as a child process, asked one thing at a time.

use anyhow::{Context, bail};
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    str::FromStr,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// Longest time to load, and to answer when the time for a move is over.
const PATIENCE: Duration = Duration::from_secs(30);

/// An option of the other engine, as `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RivalOption {
    name: String,
    value: String,
}

impl FromStr for RivalOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err("expected NAME=VALUE, as in Threads=1".to_owned()),
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
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Rival {
    /// Starts a program and sets its options.
    ///
    /// # Errors
    /// It cannot be started, or does not speak USI.
    pub fn start(program: &Path, options: &[RivalOption]) -> anyhow::Result<Self> {
        let name = program.display().to_string();
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| {
                format!("cannot start '{name}'; install it, or name another USI engine")
            })?;
        let input = child.stdin.take().context("no standard input")?;
        let output = child.stdout.take().context("no standard output")?;
        let (sender, lines) = channel();
        let mut rival = Self {
            name,
            child,
            input,
            lines,
        };
        thread::Builder::new()
            .name("rival-output".to_owned())
            .spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            })
            .context("cannot start the thread that reads from the other engine")?;
        rival.say("usi")?;
        rival.wait_for("usiok")?;
        for option in options {
            rival.say(&format!(
                "setoption name {} value {}",
                option.name, option.value
            ))?;
        }
        Ok(rival)
    }

    /// Lets it search a position as the first of a new game. `None` without a report of its nodes.
    ///
    /// # Errors
    /// It has ended, or does not answer.
    pub fn measure(&mut self, sfen: &str, time: Duration) -> anyhow::Result<Option<Speed>> {
        self.say("isready")?;
        self.wait_for("readyok")?;
        self.say("usinewgame")?;
        self.say(&format!("position sfen {sfen}"))?;
        self.say(&format!("go movetime {}", time.as_millis()))?;
        let deadline = Instant::now() + time + PATIENCE;
        let mut speed = None;
        loop {
            let line = self.hear("bestmove", deadline)?;
            if line.starts_with("bestmove") {
                return Ok(speed);
            }
            speed = read_speed(&line).or(speed);
        }
    }

    fn say(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .with_context(|| format!("'{}' has ended: it does not read '{line}'", self.name))
    }

    fn wait_for(&mut self, word: &str) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while self.hear(word, deadline)?.trim() != word {}
        Ok(())
    }

    fn hear(&self, awaited: &str, deadline: Instant) -> anyhow::Result<String> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("'{}' has ended instead of saying {awaited}", self.name)
            }
            Err(RecvTimeoutError::Timeout) => {
                bail!("'{}' does not say {awaited}", self.name)
            }
        }
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // Some engines do not obey quit. Killing one that has ended is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the speed from an `info` line: its nodes by its time, or else its `nps`.
fn read_speed(line: &str) -> Option<Speed> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.first() != Some(&"info") || words.get(1) == Some(&"string") {
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
        let line = "info depth 9 score cp 4 nodes 3000 nps 99 time 500 pv 7g7f";
        assert_eq!(speed(line), Some(6_000));
        assert_eq!(speed("info nps 99 time 500"), Some(99));
        assert_eq!(speed("info nodes 20 nps 99 time 0"), Some(99));
        assert_eq!(speed("info nodes 20"), None);
        assert_eq!(speed("info string nodes 20 time 7"), None);
        assert_eq!(speed("bestmove 7g7f"), None);
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
