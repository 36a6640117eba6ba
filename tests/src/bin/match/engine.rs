//! A USI engine as a child process.

use anyhow::{Context as _, bail};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

/// How long an engine may take to load.
const LOADING: Duration = Duration::from_secs(60);

/// What starts an engine.
#[derive(Clone, Debug)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    options: Vec<(String, String)>,
}

impl Command {
    /// `options` are written NAME=VALUE.
    pub fn new(program: &str, arguments: &[String], options: &[String]) -> anyhow::Result<Self> {
        let options = options
            .iter()
            .map(|option| match option.split_once('=') {
                Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
                None => bail!("engine option '{option}', expected NAME=VALUE"),
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Self {
            program: program.to_owned(),
            arguments: arguments.to_vec(),
            options,
        })
    }

    /// Starts the engine and waits until it is ready.
    pub fn start(&self) -> anyhow::Result<Engine> {
        let mut child = std::process::Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program))?;
        let input = child.stdin.take().context("no standard input")?;
        let output = child.stdout.take().context("no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut engine = Engine {
            child,
            input,
            lines,
            name: self.program.clone(),
        };
        engine.send("usi")?;
        engine.wait_for("usiok", LOADING)?;
        for (name, value) in &self.options {
            engine.send(&format!("setoption name {name} value {value}"))?;
        }
        engine.get_ready()?;
        Ok(engine)
    }
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    name: String,
}

/// What an engine said to one `go`.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The word after `bestmove`.
    pub mv: String,
    /// The last score, in centipawns; mates are beyond ±30000.
    pub score: Option<i32>,
    /// From `go` to `bestmove`.
    pub elapsed: Duration,
}

impl Engine {
    /// Sends one line.
    pub fn send(&mut self, line: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .with_context(|| format!("{} does not listen any more", self.name))
    }

    fn get_ready(&mut self) -> anyhow::Result<()> {
        self.send("isready")?;
        self.wait_for("readyok", LOADING)
    }

    /// Tells the engine of another game. What it has to forget is no time of its clock.
    pub fn new_game(&mut self) -> anyhow::Result<()> {
        self.get_ready()?;
        self.send("usinewgame")
    }

    fn wait_for(&mut self, word: &str, patience: Duration) -> anyhow::Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(left)
                .with_context(|| format!("{} never said {word}", self.name))?;
            if line.trim() == word {
                return Ok(());
            }
        }
    }

    /// Sends a position and a `go` line, and waits for `bestmove`.
    pub fn go(&mut self, position: &str, go: &str, patience: Duration) -> anyhow::Result<Reply> {
        while self.lines.try_recv().is_ok() {}
        self.send(position)?;
        let start = Instant::now();
        self.send(go)?;
        let mut score = None;
        loop {
            let left = (start + patience).saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(left)
                .with_context(|| format!("{} gave no bestmove", self.name))?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["bestmove", mv, ..] => {
                    return Ok(Reply {
                        mv: mv.to_owned(),
                        score,
                        elapsed: start.elapsed(),
                    });
                }
                ["info", ..] => score = read_score(&words).or(score),
                _ => {}
            }
        }
    }
}

fn read_score(words: &[&str]) -> Option<i32> {
    let at = words.iter().position(|&word| word == "score")?;
    let value = words.get(at + 2)?;
    match *words.get(at + 1)? {
        "cp" => value.parse().ok(),
        "mate" if value.starts_with('-') => Some(-31_000),
        "mate" => Some(31_000),
        _ => None,
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Some engines ignore quit, so the child is killed in any case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
