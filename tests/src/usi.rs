//! Drives a USI engine as a GUI does.

use crate::{
    binary::monju,
    process::{Ended, Process},
};
use std::time::{Duration, Instant};

/// A USI engine under test.
#[derive(Debug)]
pub struct Usi {
    /// Its process, for what has no method here.
    pub process: Process,
}

/// The answer to one `go`.
#[derive(Debug)]
pub struct Answer {
    /// The move, `resign` or `win`.
    pub bestmove: String,
    /// The move to ponder on.
    pub ponder: Option<String>,
    /// The lines that came before it.
    pub lines: Vec<String>,
    /// From sending `go` (or what else asked for the answer) to its arrival.
    pub elapsed: Duration,
}

impl Usi {
    /// Starts `monju usi` with further arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_command("usi", arguments)
    }

    /// Starts `monju engine` with further arguments.
    pub fn start_engine(arguments: &[&str]) -> Self {
        Self::start_command("engine", arguments)
    }

    fn start_command(command: &str, arguments: &[&str]) -> Self {
        let arguments: Vec<&str> = [command].iter().chain(arguments).copied().collect();
        Self {
            process: Process::start(monju(), &arguments),
        }
    }

    /// As [`Usi::start`], then the handshake and a new game.
    pub fn ready(arguments: &[&str]) -> Self {
        let mut usi = Self::start(arguments);
        usi.handshake();
        usi.new_game();
        usi
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        self.process.send(line);
    }

    /// See [`Process::memory_kib`].
    pub fn memory_kib(&self) -> Option<u64> {
        self.process.memory_kib()
    }

    /// Reads until the line that begins with `word`; returns all lines read, that one last.
    pub fn expect(&self, word: &str) -> Vec<String> {
        self.process
            .expect_line(word, |line| line.split(' ').next() == Some(word))
            .into_iter()
            .map(|(_, line)| line)
            .collect()
    }

    /// `usi` up to `usiok`; returns the lines.
    pub fn handshake(&mut self) -> Vec<String> {
        self.send("usi");
        self.expect("usiok")
    }

    /// `isready` up to `readyok`, then `usinewgame`.
    pub fn new_game(&mut self) {
        self.send("isready");
        self.expect("readyok");
        self.send("usinewgame");
    }

    /// Sends a position (`startpos moves …` or `sfen …`) and a `go`, and waits for the answer.
    pub fn think(&mut self, position: &str, go: &str) -> Answer {
        let asked = self.begin(position, go);
        self.answer(asked)
    }

    /// Sends a position and a `go`; returns when the `go` was sent.
    pub fn begin(&mut self, position: &str, go: &str) -> Instant {
        self.send(&format!("position {position}"));
        let asked = Instant::now();
        self.send(go);
        asked
    }

    /// Waits for the `bestmove`.
    pub fn answer(&self, asked: Instant) -> Answer {
        let read = self
            .process
            .expect_line("bestmove", |line| line.starts_with("bestmove"));
        let mut lines: Vec<String> = Vec::new();
        let mut arrived = asked;
        for (at, line) in read {
            arrived = at;
            lines.push(line);
        }
        let last = lines.pop().expect("the line that was waited for");
        let words: Vec<&str> = last.split(' ').collect();
        let ponder = match words[..] {
            ["bestmove", _] => None,
            ["bestmove", _, "ponder", reply] => Some(reply.to_owned()),
            _ => panic!("'{last}' is no answer"),
        };
        Answer {
            bestmove: words[1].to_owned(),
            ponder,
            lines,
            elapsed: arrived.saturating_duration_since(asked),
        }
    }

    /// Asserts that no `bestmove` comes for a while; other lines may.
    pub fn expect_silence(&self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Some((_, line)) = self.process.next_line(deadline) {
            assert!(!line.starts_with("bestmove"), "unasked '{line}'");
        }
    }

    /// `quit`; panics unless the process ends within 5 seconds, as every GUI expects.
    pub fn quit(mut self) -> Ended {
        self.send("quit");
        self.process.wait(Duration::from_secs(5))
    }
}
