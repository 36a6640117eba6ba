//! Drives a USI engine as a GUI does.

use crate::{
    binary::monju,
    process::{Ended, PATIENCE, Process},
    pulse::Void,
};
use monju_host::{CoreSet, Pulse};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Time that a GUI gives an engine to quit.
const QUITTING: Duration = Duration::from_secs(5);

/// A USI engine under test.
#[derive(Debug)]
pub struct Usi {
    /// Its process.
    pub process: Process,
    pulse: Pulse,
    /// Times without a core until the last question, by thread.
    without_core: BTreeMap<u64, u64>,
}

/// The answer to one `go`.
#[derive(Debug)]
pub struct UsiAnswer {
    /// The move, `resign` or `win`.
    pub bestmove: String,
    /// The move to ponder on.
    pub ponder: Option<String>,
    /// The lines that came before it.
    pub lines: Vec<String>,
    /// Time from sending `go` (or `stop`, or `ponderhit`) to the answer's arrival.
    pub elapsed: Duration,
    /// Longest time for which the machine stopped the observer meanwhile.
    pub stall: Duration,
    /// Longest time for which one of the threads that an answer passes through waited for a core meanwhile.
    pub without_core: Duration,
}

impl UsiAnswer {
    /// Returns the number of votes that decided the move.
    pub fn counted_votes(&self) -> u32 {
        let votes = (self.lines.iter()).rfind(|line| line.starts_with("info string votes "));
        let votes = votes.map_or("", String::as_str);
        let (votes, _) = votes.split_once(" decision ").unwrap_or_default();
        let counts = votes.split(' ').filter_map(|word| word.split_once('='));
        counts
            .filter_map(|(_, count)| count.parse::<u32>().ok())
            .sum()
    }

    /// Asserts that the answer came within `limit`.
    ///
    /// # Errors
    /// It came later, but by no more than the time for which the machine had stopped the observer or kept the engine
    /// waiting for a core: nothing is proved.
    pub fn in_time(&self, limit: Duration) -> Result<(), Void> {
        if self.elapsed < limit {
            return Ok(());
        }
        // Two threads wait one after the other on the way to an answer: the one that decides, and the one that writes.
        let excused = self.stall + 2 * self.without_core;
        assert!(
            self.elapsed < limit + excused,
            "later than {limit:?}: {self:?}"
        );
        Err(Void)
    }
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
        Self::of(Process::start(monju(), &arguments))
    }

    /// Drives a process that speaks USI.
    pub fn of(process: Process) -> Self {
        Self {
            process,
            pulse: Pulse::start(&CoreSet::default()),
            without_core: BTreeMap::new(),
        }
    }

    /// Starts `monju usi`, shakes hands and begins a game.
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

    /// Returns the memory of the process; see [`Process::memory_kib`].
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

    /// Sends `usi` and reads up to `usiok`; returns the lines.
    pub fn handshake(&mut self) -> Vec<String> {
        self.send("usi");
        self.expect("usiok")
    }

    /// Says that its client is local, sends `isready`, reads up to `readyok`, and sends `usinewgame`.
    pub fn new_game(&mut self) {
        self.send("setoption name MoveOverhead value 50");
        self.send("isready");
        self.expect("readyok");
        self.send("usinewgame");
    }

    /// Sends a position (`startpos moves …` or `sfen …`) and a `go`, and waits for the answer.
    pub fn think(&mut self, position: &str, go: &str) -> UsiAnswer {
        let asked = self.begin(position, go);
        self.answer(asked)
    }

    /// Sends a position and a `go`; returns the moment of the `go`.
    pub fn begin(&mut self, position: &str, go: &str) -> Instant {
        self.send(&format!("position {position}"));
        self.ask(go)
    }

    /// Sends a line that will be answered by a `bestmove`; returns the moment.
    pub fn ask(&mut self, line: &str) -> Instant {
        self.without_core = self.process.times_without_core();
        let asked = Instant::now();
        self.send(line);
        asked
    }

    /// Reads until the first line of a running search that has a principal variation.
    ///
    /// # Errors
    /// The answer came first: the machine was too slow for anything to happen in mid-search.
    pub fn wait_for_thinking(&self) -> Result<(), Void> {
        let read = self.process.expect_line("info with a pv", |line| {
            line.starts_with("bestmove") || line.starts_with("info") && line.contains(" pv ")
        });
        let is_answered = |(_, line): &(Instant, String)| line.starts_with("bestmove");
        match read.iter().any(is_answered) {
            true => Err(Void),
            false => Ok(()),
        }
    }

    /// Waits for the `bestmove`.
    pub fn answer(&self, asked: Instant) -> UsiAnswer {
        self.answer_after(asked, Vec::new())
    }

    /// Waits for the `bestmove` to a `go` after which some lines have been read already.
    pub fn answer_after(&self, asked: Instant, mut read: Vec<(Instant, String)>) -> UsiAnswer {
        let is_answer = |line: &str| line.starts_with("bestmove");
        if !read.last().is_some_and(|(_, line)| is_answer(line)) {
            read.extend(self.process.expect_line("bestmove", is_answer));
        }
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
        UsiAnswer {
            bestmove: words[1].to_owned(),
            ponder,
            lines,
            elapsed: arrived.saturating_duration_since(asked),
            stall: stall_since(&self.pulse, asked),
            without_core: self.longest_without_core(),
        }
    }

    /// Returns the longest time for which one thread waited for a core since the last question.
    fn longest_without_core(&self) -> Duration {
        let now = self.process.times_without_core();
        let since = |(task, waited_ns): (u64, u64)| {
            let before = self.without_core.get(&task);
            waited_ns.saturating_sub(before.copied().unwrap_or_default())
        };
        Duration::from_nanos(now.into_iter().map(since).max().unwrap_or_default())
    }

    /// Asserts that no `bestmove` comes for a while; other lines may.
    pub fn expect_silence(&self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Some((_, line)) = self.process.next_line(deadline) {
            assert!(!line.starts_with("bestmove"), "unasked '{line}'");
        }
    }

    /// Sends `quit`; panics unless the process ends as soon as every GUI expects.
    pub fn quit(mut self) -> Ended {
        self.send("quit");
        self.end()
    }

    /// Waits for the end of the process, which has been told to end; panics unless it comes as soon as every
    /// GUI expects.
    pub fn end(self) -> Ended {
        let told = Instant::now();
        let Self { process, pulse, .. } = self;
        let ended = process.wait(PATIENCE);
        let elapsed = told.elapsed();
        let limit = QUITTING + stall_since(&pulse, told);
        assert!(elapsed < limit, "the end took {elapsed:?}");
        ended
    }
}

/// Returns the longest time for which the machine stopped the observer since a moment.
fn stall_since(pulse: &Pulse, moment: Instant) -> Duration {
    pulse.longest_stall(moment, &CoreSet::default())
}
