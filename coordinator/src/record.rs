//! The record: every decided ballot, and every game's result, as a line of JSON in a file.
//!
//! [`schema`] is what a line holds, `coordinator/BALLOTS.md` documents it. [`Recorder`] appends
//! lines from a thread of its own, so that no decision ever waits for a disk; [`read`] reads them
//! back.

pub mod read;
pub mod schema;
mod score;
#[cfg(test)]
mod tests;

use monju_proto::v1::Ballot;
use schema::{GameResult, LogLine, LoggedBallot};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tracing::{error, warn};

/// Lines that may wait for a slow disk before new ones are dropped.
const BACKLOG: usize = 4_096;

/// How long the end of a process may wait for the last lines.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

/// Why there can be no record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be opened.
    #[error("log {}: cannot be written: {source}; choose another file", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses another thread.
    #[error("cannot start the thread of the log: {0}")]
    Thread(io::Error),
}

/// Appends to a log. Dropping it lets the lines that wait be written in the background.
#[derive(Debug)]
pub struct Recorder {
    entries: SyncSender<Entry>,
    lost: AtomicU64,
}

/// What the writing thread is given.
enum Entry {
    /// A decided ballot, and when it was decided, in milliseconds since 1970.
    Ballot(Box<Ballot>, u64),
    Result(GameResult),
    /// Tells that everything before has been written.
    Flush(SyncSender<()>),
}

impl Recorder {
    /// Opens a log to append to, which is made where there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let file = open(path).map_err(|source| RecordError::Open {
            path: path.to_owned(),
            source,
        })?;
        let (entries, received) = mpsc::sync_channel(BACKLOG);
        let path = path.to_owned();
        thread::Builder::new()
            .name("ballot-log".to_owned())
            .spawn(move || write_entries(received, file, &path))
            .map_err(RecordError::Thread)?;
        Ok(Self {
            entries,
            lost: AtomicU64::new(0),
        })
    }

    /// Records a decided ballot. Never waits.
    pub fn ballot(&self, ballot: &Ballot) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_ms = now.map_or(0, |since| since.as_millis() as u64);
        self.hand_over(Entry::Ballot(Box::new(ballot.clone()), now_ms));
    }

    /// Records how a game ended. Never waits.
    pub fn result(&self, result: GameResult) {
        self.hand_over(Entry::Result(result));
    }

    /// Waits until all that was recorded before is in the file, at most a second.
    pub fn flush(&self) {
        let (written, all_written) = mpsc::sync_channel(1);
        if self.entries.try_send(Entry::Flush(written)).is_ok() {
            let _ = all_written.recv_timeout(FLUSH_PATIENCE);
        }
    }

    fn hand_over(&self, entry: Entry) {
        if let Err(TrySendError::Full(_)) = self.entries.try_send(entry) {
            let lost = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
            warn!(lost, "the log is too slow, a line is lost");
        }
    }
}

/// Opens for appending; a line that a crash has cut short is ended first.
fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

fn write_entries(entries: mpsc::Receiver<Entry>, mut file: File, path: &Path) {
    let mut broken = false;
    for entry in entries {
        let line = match entry {
            Entry::Ballot(ballot, decided_unix_ms) => {
                match LoggedBallot::of(&ballot, decided_unix_ms) {
                    Ok(logged) => LogLine::Ballot(Box::new(logged)),
                    Err(error) => {
                        error!(id = ballot.id, %error, "a ballot cannot be recorded");
                        continue;
                    }
                }
            }
            Entry::Result(result) => LogLine::Result(result),
            Entry::Flush(written) => {
                let _ = written.send(());
                continue;
            }
        };
        // One write a line, so that a crash or another process cannot tear two lines apart.
        let outcome = line.render().and_then(|text| {
            // What could not be written may have begun a line.
            let text = if broken { format!("\n{text}") } else { text };
            file.write_all(text.as_bytes())
        });
        match outcome {
            Ok(()) => broken = false,
            Err(error) if !broken => {
                broken = true;
                error!(path = %path.display(), %error, "cannot write to the log");
            }
            Err(_) => {}
        }
    }
}
