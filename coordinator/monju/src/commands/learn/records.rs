//! `monju learn records`: game records of several formats become one file that learners read.

mod kif;
mod source;

use super::{Progress, inputs::read_file};
use anyhow::{Context, bail};
use monju_learn::records::{self, GameResult, Record};
use source::{Found, games};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    io::{self, Write},
    path::PathBuf,
};

/// What to read, and what to write.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordsRun {
    /// Files of games; the ending says the format.
    pub files: Vec<PathBuf>,
    /// The file to write.
    pub output: PathBuf,
}

impl RecordsRun {
    /// Reads all files, keeps every game that is fit to learn from, and says what became of the
    /// others.
    ///
    /// # Errors
    /// A file cannot be read or written, the output is one of the files, or no game is left.
    pub fn run(&self) -> anyhow::Result<()> {
        let inputs = self.files.iter().map(PathBuf::as_path);
        super::keep_apart(inputs, std::slice::from_ref(&self.output))?;
        let mut collection = Collection::default();
        let mut progress = Progress::new(self.files.len() as u64, 0, "files");
        for (path, done) in self.files.iter().zip(1..) {
            let bytes = read_file(path)?;
            for found in games(path, &bytes)? {
                collection.take(&path.display().to_string(), found);
            }
            progress.advance(done, &format!("{} games", collection.kept.len()));
        }
        progress.finish(
            self.files.len() as u64,
            &format!("{} games", collection.kept.len()),
        );
        if collection.kept.is_empty() {
            bail!("no game is left to write{collection}");
        }
        super::write_whole(&self.output, &records::to_bytes(&collection.kept))?;
        let moves: usize = collection
            .kept
            .iter()
            .map(|record| record.moves().len())
            .sum();
        writeln!(
            io::stdout().lock(),
            "{} games with {moves} moves in {}{collection}",
            collection.kept.len(),
            self.output.display()
        )
        .context("cannot write to standard output")
    }
}

/// Games kept, and why others are not.
#[derive(Default)]
struct Collection {
    kept: Vec<Record>,
    known: HashSet<Vec<u8>>,
    thrown: BTreeMap<String, Thrown>,
}

/// Games thrown away for one reason.
struct Thrown {
    count: u64,
    /// Where the first of them stands, and what is wrong with it.
    first: String,
}

impl Collection {
    fn take(&mut self, file: &str, found: Found) {
        let (reason, detail) = match found.game {
            Ok(record) => {
                let fingerprint = records::to_bytes(std::slice::from_ref(
                    &record.with_result(GameResult::Unknown),
                ));
                if self.known.insert(fingerprint) {
                    self.kept.push(record);
                    return;
                }
                ("a game that is there already".to_owned(), None)
            }
            Err(flaw) => (flaw.reason, flaw.detail),
        };
        let place = format!("{file}:{}", found.line);
        let thrown = self.thrown.entry(reason).or_insert_with(|| Thrown {
            count: 0,
            first: match detail {
                Some(detail) => format!("{place} ({detail})"),
                None => place,
            },
        });
        thrown.count += 1;
    }
}

/// The reasons, one a line.
impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (reason, Thrown { count, first }) in &self.thrown {
            write!(f, "\nthrown away: {count} for {reason}, first {first}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
