//! Results of many games, kept in a file: one line of JSON for each hundred seeds, or fewer at the end.

use crate::{game::Report, plan::Faults};
use serde::{Deserialize, Serialize};
use std::{
    fmt, fs,
    io::{self, Write as _},
    path::Path,
};

/// Number of games of a batch.
pub const BATCH: u64 = 100;

/// The games of consecutive seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Seed of its first game.
    pub first_seed: u64,
    /// Number of games.
    pub games: u64,
    /// Plies after which a game ended.
    pub longest: usize,
    /// Moves of both sides.
    pub plies: u64,
    /// Answers to a `go`.
    pub answers: u64,
    /// Decided ballots of the coordinator.
    pub ballots: u64,
    /// Votes that were counted on them.
    pub counted: u64,
    /// Faults, by their names.
    pub faults: Faults,
    /// Simulated time, in seconds.
    pub simulated_s: u64,
    /// Longest share of its time that an answer took, in percent.
    pub slowest_percent: u64,
    /// Hash of all that the GUIs heard, with the times.
    pub digest: String,
    /// The things that must never happen and did, with the seed.
    pub violations: Vec<String>,
}

impl Batch {
    /// Sums up the games of consecutive seeds.
    pub fn of(longest: usize, reports: &[Report]) -> Self {
        let mut batch = Self {
            first_seed: reports.first().map_or(0, |report| report.seed),
            longest,
            ..Self::default()
        };
        let mut digest = 0_u64;
        for report in reports {
            batch.games += 1;
            batch.plies += report.plies as u64;
            batch.answers += report.answers;
            batch.ballots += report.ballots;
            batch.counted += report.counted;
            add(&mut batch.faults, &report.faults);
            batch.simulated_s += report.simulated.as_secs();
            batch.slowest_percent = batch.slowest_percent.max(report.slowest_percent);
            digest = digest.rotate_left(7) ^ report.digest;
            let seed = report.seed;
            let violations = report.violations.iter();
            let violations = violations.map(|violation| format!("seed {seed}: {violation}"));
            batch.violations.extend(violations);
        }
        batch.digest = format!("{digest:016x}");
        batch
    }

    /// Adds the games of another batch, whose digest is not kept.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.plies += other.plies;
        self.answers += other.answers;
        self.ballots += other.ballots;
        self.counted += other.counted;
        add(&mut self.faults, &other.faults);
        self.simulated_s += other.simulated_s;
        self.slowest_percent = self.slowest_percent.max(other.slowest_percent);
        self.violations.extend(other.violations.iter().cloned());
    }

    /// Reads the batches of a file; none if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, or a line is no batch.
    pub fn read_all(file: &Path) -> io::Result<Vec<Self>> {
        let text = match fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text?,
        };
        (1..)
            .zip(text.lines())
            .map(|(number, line)| {
                serde_json::from_str(line)
                    .map_err(|error| io::Error::other(format!("line {number}: {error}")))
            })
            .collect()
    }

    /// Appends this batch to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append_to(&self, file: &Path) -> io::Result<()> {
        let line = serde_json::to_string(self)? + "\n";
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)?;
        file.write_all(line.as_bytes())
    }
}

fn add(faults: &mut Faults, others: &Faults) {
    for (name, count) in others {
        *faults.entry(name.clone()).or_default() += count;
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games, {} plies, {} answers, {} ballots, {} votes counted, {:.1} h simulated; slowest answer {} % \
             of its time; violations: {}; faults:",
            self.games,
            self.plies,
            self.answers,
            self.ballots,
            self.counted,
            self.simulated_s as f64 / 3_600.0,
            self.slowest_percent,
            self.violations.len()
        )?;
        self.faults
            .iter()
            .try_for_each(|(name, count)| write!(f, " {name} {count}"))
    }
}
