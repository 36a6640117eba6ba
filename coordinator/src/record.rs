//! The record: every decided ballot, and every game's result, as a line of JSON in a file.
//!
//! [`schema`] defines the lines, and `coordinator/BALLOTS.md` documents them. [`Recorder`] appends lines
//! from a thread of its own, so that no decision waits for a disk; [`read`] reads them back.

pub mod read;
mod rotation;
pub mod schema;
mod score;
#[cfg(test)]
mod tests;

pub use rotation::Rotation;

use monju_proto::v1::Ballot;
use rotation::LogFile;
use schema::{GameResult, LogLine, LoggedBallot};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, SyncSender, TrySendError},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tracing::{error, warn};

/// Number of lines that may wait for a slow disk before new ones are dropped.
const BACKLOG: usize = 4_096;

/// Time that the end of a process may wait for the last lines.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

/// Error of opening a log.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be opened.
    #[error("log {}: cannot be written: {source}; choose another file", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The system refuses a thread.
    #[error("cannot start the thread of the log: {0}")]
    Thread(io::Error),
}

/// Appends to a log. After dropping it, waiting lines are still written in the background.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    requests: SyncSender<WriteRequest>,
    lost: Arc<AtomicU64>,
}

/// A request to the writing thread.
enum WriteRequest {
    /// A decided ballot, and the time of its decision in milliseconds since 1970.
    Ballot(Box<Ballot>, u64),
    /// The end of a game.
    Result(GameResult),
    /// Confirms that everything before has been written.
    Flush(SyncSender<()>),
}

impl Recorder {
    /// Opens a log to append to, creating it if necessary.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Self::open_rotating(path, Rotation::default())
    }

    /// As [`Recorder::open`]; a file that has become too large is put aside under another name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open_rotating(path: &Path, rotation: Rotation) -> Result<Self, RecordError> {
        let file = LogFile::open(path, rotation).map_err(|source| RecordError::Open {
            path: path.to_owned(),
            source,
        })?;
        let (requests, received) = mpsc::sync_channel(BACKLOG);
        let path = path.to_owned();
        let lost = Arc::new(AtomicU64::new(0));
        let (written, unwritten) = (path.clone(), Arc::clone(&lost));
        thread::Builder::new()
            .name("ballot-log".to_owned())
            .spawn(move || write_lines(received, file, &written, &unwritten))
            .map_err(RecordError::Thread)?;
        Ok(Self {
            path,
            requests,
            lost,
        })
    }

    /// Returns the path of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records a decided ballot. Never waits.
    pub fn ballot(&self, ballot: &Ballot) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_ms = now.map_or(0, |since| since.as_millis() as u64);
        self.send(WriteRequest::Ballot(Box::new(ballot.clone()), now_ms));
    }

    /// Records the result of a game. Never waits.
    pub fn result(&self, result: GameResult) {
        self.send(WriteRequest::Result(result));
    }

    /// Waits until everything recorded before is in the file, at most a second. Returns whether it is there, and so
    /// is every line before it.
    pub fn flush(&self) -> bool {
        let (written, all_written) = mpsc::sync_channel(1);
        let is_asked = self.requests.try_send(WriteRequest::Flush(written)).is_ok();
        is_asked
            && all_written.recv_timeout(FLUSH_PATIENCE).is_ok()
            && self.lost.load(Ordering::Relaxed) == 0
    }

    fn send(&self, request: WriteRequest) {
        let Err(refused) = self.requests.try_send(request) else {
            return;
        };
        let lost = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
        match refused {
            TrySendError::Full(_) => warn!(lost, "the log is too slow, a line is lost"),
            TrySendError::Disconnected(_) => {
                error!(lost, "the thread of the log has ended, a line is lost")
            }
        }
    }
}

fn write_lines(
    requests: mpsc::Receiver<WriteRequest>,
    mut file: LogFile,
    path: &Path,
    lost: &AtomicU64,
) {
    let mut broken = false;
    for request in requests {
        let line = match request {
            WriteRequest::Ballot(ballot, decided_unix_ms) => {
                match LoggedBallot::of(&ballot, decided_unix_ms) {
                    Ok(logged) => LogLine::Ballot(Box::new(logged)),
                    Err(error) => {
                        error!(id = ballot.id, %error, "a ballot cannot be recorded");
                        lost.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                }
            }
            WriteRequest::Result(result) => LogLine::Result(result),
            WriteRequest::Flush(written) => {
                let _ = written.send(());
                continue;
            }
        };
        // One write per line, so that the lines of two processes do not mix.
        let written = line.render().and_then(|text| {
            // A failed write may have begun a line.
            let text = if broken { format!("\n{text}") } else { text };
            file.append(&text)
        });
        match written {
            Ok(()) => broken = false,
            Err(error) => {
                lost.fetch_add(1, Ordering::Relaxed);
                if !broken {
                    error!(path = %path.display(), %error, "cannot write to the log");
                }
                broken = true;
            }
        }
    }
}
