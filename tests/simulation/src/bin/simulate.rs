//! Plays simulated games, and says what must never be.
//!
//! ```text
//! cargo run --release -p monju-simulation -- --games 10000 --results results.jsonl
//! cargo run --release -p monju-simulation -- --seed 17 --games 1 --trace
//! ```
//!
//! With `--results`, every hundred games are a line of that file; started again with the same file, it plays the
//! games that are missing. The exit status is 0 when nothing was found.
#![forbid(unsafe_code)]

use clap::Parser;
use monju_simulation::{
    game::{Report, play},
    results::{BATCH, Batch},
};
use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tracing_subscriber::{
    filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Plays games of the proxy and the coordinator over a simulated network
#[derive(Debug, Parser)]
struct SimulateArguments {
    /// Seed of the first game; the others have the next seeds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of games
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Plies after which a game ends
    #[arg(long, default_value_t = 300)]
    plies: usize,
    /// File of results, one JSON object for each hundred games; games in it are not played again
    #[arg(long)]
    results: Option<PathBuf>,
    /// Plays every game twice, and compares all that the GUI heard
    #[arg(long)]
    twice: bool,
    /// Shows lines and troubles on standard error
    #[arg(long)]
    trace: bool,
}

impl SimulateArguments {
    fn play(&self, seed: u64) -> Report {
        let mut report = play(seed, self.plies);
        if self.twice && play(seed, self.plies) != report {
            let violation = "the game does not repeat".to_owned();
            report.violations.push(violation);
        }
        for violation in &report.violations {
            println!("seed {seed}: {violation}");
        }
        report
    }

    /// Plays all games that are not in the results yet.
    fn play_all(&self) -> io::Result<Batch> {
        let known = self.known()?;
        let end = self.seed.saturating_add(self.games);
        let mut all = Batch::default();
        let mut first = self.seed;
        while first < end {
            let next = first.saturating_add(BATCH).min(end);
            match known.iter().find(|batch| batch.first_seed == first) {
                Some(batch) => all.add(batch),
                None => {
                    let reports: Vec<Report> = (first..next).map(|seed| self.play(seed)).collect();
                    let batch = Batch::of(self.plies, &reports);
                    if let Some(file) = &self.results {
                        batch
                            .append_to(file)
                            .map_err(|error| in_file(file, &error))?;
                    }
                    all.add(&batch);
                    println!("{all}");
                }
            }
            first = next;
        }
        Ok(all)
    }

    /// Reads the batches of the results, which have to be those that these arguments make.
    fn known(&self) -> io::Result<Vec<Batch>> {
        let Some(file) = &self.results else {
            return Ok(Vec::new());
        };
        let known = Batch::read_all(file).map_err(|error| in_file(file, &error))?;
        let end = self.seed.saturating_add(self.games);
        let fits = |batch: &Batch| {
            let offset = batch.first_seed.wrapping_sub(self.seed);
            let left = end.saturating_sub(batch.first_seed);
            batch.longest == self.plies
                && (offset >= self.games
                    || (offset.is_multiple_of(BATCH) && batch.games == left.min(BATCH)))
        };
        match known.iter().find(|batch| !fits(batch)) {
            None => Ok(known),
            Some(batch) => Err(in_file(
                file,
                &io::Error::other(format!(
                    "the {} games from seed {} on end after {} plies and are not among those that these arguments \
                     ask for; name another file",
                    batch.games, batch.first_seed, batch.longest
                )),
            )),
        }
    }
}

fn in_file(file: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", file.display()))
}

fn main() -> ExitCode {
    let arguments = SimulateArguments::parse();
    if arguments.trace {
        tracing_subscriber::registry()
            .with(tracing_subscriber::fmt::layer().with_writer(io::stderr))
            .with(Targets::new().with_target("monju", tracing::Level::DEBUG))
            .init();
    }
    match arguments.play_all() {
        Ok(all) => {
            println!("all: {all}");
            match all.violations.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("simulate: {error}");
            ExitCode::FAILURE
        }
    }
}
