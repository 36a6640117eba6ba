//! Plays an experiment: leases pairs from the store, plays them, writes the results, until there
//! are none left. Any number of runners may do so at the same time.

mod board;
mod patience;
mod preflight;

#[cfg(test)]
mod tests;

pub use patience::patiently;
pub use preflight::preflight;

use super::{
    specification::{Ensemble, Members, Specification, short_hash},
    statistics::{Verdict, Walk},
    store::{Store, StoreError},
};
use board::Board;
use std::{
    env, fs, process,
    sync::Arc,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
};

/// A runner that dies holds its pairs back for no longer than this.
pub const LEASE: Duration = Duration::from_secs(60);

/// One machine's part in an experiment.
#[derive(Clone, Debug)]
pub struct Runner {
    /// What is played.
    pub specification: Arc<Specification>,
    /// Where it is kept.
    pub store: Arc<dyn Store>,
    /// What the store calls this runner; unique.
    pub name: String,
    /// Games at the same time; also the number of players that think at the same time.
    pub jobs: usize,
    /// How long a lease lasts without a sign of life.
    pub term: Duration,
}

/// What a runner is told while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Go on.
    #[default]
    No,
    /// Finish the pairs under way, begin no more.
    Drain,
    /// Give back the pairs under way.
    Abort,
}

/// What a runner tells while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A pair was finished.
    Finished {
        /// Index of its cell.
        cell: usize,
        /// Its number.
        pair: u32,
        /// Half points of the first side.
        half_points: u32,
    },
    /// A pair failed.
    Failed {
        /// Index of its cell.
        cell: usize,
        /// Its number.
        pair: u32,
        /// What went wrong.
        reason: String,
    },
    /// The stopping rule closed a cell.
    Closed {
        /// Index of the cell.
        cell: usize,
    },
    /// The store is not there; the runner waits for it.
    Waiting(String),
}

impl Runner {
    /// Plays until nothing is left to play, or it is told to stop.
    ///
    /// # Errors
    /// The store refuses, or was gone for too long.
    pub async fn run(
        &self,
        stop: watch::Receiver<Stop>,
        events: mpsc::UnboundedSender<Event>,
    ) -> Result<(), StoreError> {
        self.reopen_undecided(&events).await?;
        let turns = Arc::new(Semaphore::new(self.jobs));
        let mut boards = JoinSet::new();
        for _ in 0..self.jobs {
            let board = Board::new(self.clone(), Arc::clone(&turns), events.clone());
            boards.spawn(board.run(stop.clone()));
        }
        drop(events);
        let mut outcome = Ok(());
        while let Some(ended) = boards.join_next().await {
            let ended = ended.unwrap_or_else(|error| {
                Err(StoreError::Database(format!(
                    "a game ended the runner: {error}"
                )))
            });
            if outcome.is_ok() {
                outcome = ended;
            }
        }
        outcome
    }
}

impl Runner {
    /// Opens the cells again that a stopping rule has closed which the file has no more, or has
    /// changed.
    async fn reopen_undecided(
        &self,
        events: &mpsc::UnboundedSender<Event>,
    ) -> Result<(), StoreError> {
        let standings = patiently(events, || self.store.standings()).await?;
        let closed = standings.iter().enumerate().filter(|(_, cell)| cell.closed);
        for (cell, _) in closed {
            let mut walk = Walk::default();
            if let Some(sprt) = &self.specification.stop {
                let outcomes = patiently(events, || self.store.outcomes(cell, 0)).await?;
                walk.go_on(sprt, &outcomes);
            }
            if walk.verdict() == Verdict::Undecided {
                patiently(events, || self.store.reopen_cell(cell)).await?;
            }
        }
        Ok(())
    }
}

/// What plays: the version of monju and a hash of its executable. Another build may play other
/// games, so a store keeps the two apart.
///
/// # Errors
/// The executable cannot be read.
pub fn build() -> std::io::Result<String> {
    let executable = fs::read(env::current_exe()?)?;
    Ok(format!(
        "{} {}",
        env!("CARGO_PKG_VERSION"),
        short_hash([&executable[..]])
    ))
}

/// A name that no other runner has, on this or another machine.
pub fn unique_name() -> String {
    let host = env::var("HOSTNAME").ok().or_else(|| {
        let name = fs::read_to_string("/etc/hostname").ok()?;
        Some(name.trim().to_owned())
    });
    let host = host.filter(|host| !host.is_empty());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let moment = since.map_or(0, |since| since.as_micros());
    format!(
        "{}-{}-{moment:x}",
        host.as_deref().unwrap_or("runner"),
        process::id()
    )
}

/// Games at the same time unless told otherwise: one a core, or one where time is measured or a
/// coordinator elsewhere is asked, because games would disturb each other.
pub fn default_jobs(specification: &Specification) -> usize {
    let timed = |ensemble: &Ensemble| {
        ensemble.limits.time_ms.is_some()
            || match &ensemble.members {
                Members::Here { players, .. } => {
                    players.iter().any(|player| player.limits.time.is_some())
                }
                Members::Elsewhere { .. } => true,
            }
    };
    let cells = &specification.cells;
    if cells
        .iter()
        .any(|cell| timed(&cell.first) || timed(&cell.second))
    {
        return 1;
    }
    thread::available_parallelism().map_or(1, |cores| cores.get())
}
