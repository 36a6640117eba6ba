//! Runs the targets on mutations of their corpora, by the million.
//!
//! ```text
//! cargo run --release -p monju-fuzz -- --executions 100000000 --results fuzz.jsonl
//! ```
//!
//! Each round runs every target for about the same time, on mutations that its number draws, and is a line of the
//! results. Started again with the same file, the command goes on with the next round. An input that breaks a target is
//! written beside the results and ends the command.
#![forbid(unsafe_code)]

use clap::Parser;
use monju_fuzz::{
    FuzzTarget, TARGETS,
    mutation::{Random, mutate},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// Runs the fuzz targets on mutations of their corpora
#[derive(Debug, Parser)]
struct MutateArguments {
    /// Executions of all targets in sum, those in the results included
    #[arg(long, default_value_t = 10_000_000)]
    executions: u64,
    /// File of results, one JSON object for each round
    #[arg(long, default_value = "fuzz.jsonl")]
    results: PathBuf,
    /// Executions of all targets in a round
    #[arg(long, default_value_t = 1_000_000)]
    round: u64,
}

/// One run of every target.
#[derive(Debug, Serialize, Deserialize)]
struct Round {
    /// Its number, from 1, which seeds its mutations.
    round: u64,
    /// Seconds that it took.
    seconds: u64,
    /// Executions of each target.
    executions: BTreeMap<String, u64>,
}

impl Round {
    fn sum(&self) -> u64 {
        self.executions.values().sum()
    }
}

fn read(file: &Path) -> io::Result<Vec<Round>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(io::Error::other))
        .collect()
}

/// Runs a target on so many mutations. Returns an input that breaks it.
fn run(target: &FuzzTarget, round: u64, count: u64) -> Option<Vec<u8>> {
    let corpus = (target.corpus)();
    // The tests have the mutations of seed 1.
    let mut random = Random::new(round << 32);
    (0..count).find_map(|_| {
        let input = mutate(target, &corpus, &mut random);
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        outcome.is_err().then_some(input)
    })
}

fn go_on(arguments: &MutateArguments) -> io::Result<bool> {
    let file = &arguments.results;
    let rounds = read(file)?;
    let mut sum: u64 = rounds.iter().map(Round::sum).sum();
    let mut next = rounds.iter().map(|round| round.round).max().unwrap_or(0) + 1;
    let all: u64 = TARGETS
        .iter()
        .map(|target| u64::from(target.mutations))
        .sum();
    while sum < arguments.executions {
        let begun = Instant::now();
        let mut executions = BTreeMap::new();
        for target in &TARGETS {
            let count = (arguments.round * u64::from(target.mutations) / all).max(1);
            if let Some(input) = run(target, next, count) {
                let name = format!("{}-{next}", target.name);
                let broken = file.with_file_name(name);
                fs::write(&broken, input)?;
                println!(
                    "the input in {} breaks the target '{}'; mend that, and keep it in tests/fuzz/found/{}/",
                    broken.display(),
                    target.name,
                    target.name
                );
                return Ok(false);
            }
            executions.insert(target.name.to_owned(), count);
        }
        let round = Round {
            round: next,
            seconds: begun.elapsed().as_secs(),
            executions,
        };
        let line = serde_json::to_string(&round)? + "\n";
        let mut results = OpenOptions::new().create(true).append(true).open(file)?;
        results.write_all(line.as_bytes())?;
        sum += round.sum();
        println!("round {next}: {} s, {sum} executions", round.seconds);
        next += 1;
    }
    Ok(true)
}

fn main() -> ExitCode {
    match go_on(&MutateArguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutate: {error}");
            ExitCode::FAILURE
        }
    }
}
