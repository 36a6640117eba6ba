//! Plays an experiment: leases pairs from the store, plays them, and writes the results, until no pair is
//! left. Any number of runners may do so at the same time.

mod board;
mod cores;
mod dispatch;
mod error;
mod event;
mod games_under_way;
mod identity;
mod patience;
mod preflight;

#[cfg(test)]
mod tests;

pub use error::RunnerError;
pub use event::{RunnerEvent, StopLevel};
pub use games_under_way::GamesUnderWay;
pub use identity::{build, unique_name};
pub use patience::{open_patiently, patiently};
pub use preflight::{Preflight, crowded, preflight};

use super::{
    contestant::BoardResources,
    counted::judged_standings,
    specification::Specification,
    store::{Store, StoreError},
};
use board::{Assignment, BoardTask};
use cores::ClaimedCores;
use dispatch::Dispatch;
use monju_host::{CoreSet, Pulse};
use std::{sync::Arc, thread, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

/// Default time for which a runner without a sign of life holds its pairs.
pub const LEASE: Duration = Duration::from_secs(60);

/// One machine's part in an experiment.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The experiment.
    pub specification: Arc<Specification>,
    /// The store of its games.
    pub store: Arc<dyn Store>,
    /// Unique name of this runner in the store.
    pub name: String,
    /// Games at the same time, and players that think at the same time.
    pub jobs: usize,
    /// Time for which a lease lasts without a sign of life.
    pub term: Duration,
    /// The games that it is playing, for pages that show them.
    pub games: GamesUnderWay,
}

impl Runner {
    /// Plays until no pair is left, or until it is told to stop.
    ///
    /// # Errors
    /// The store refuses, or was away for too long, or pair after pair has failed here.
    pub async fn run(
        &self,
        stop: watch::Receiver<StopLevel>,
        events: mpsc::UnboundedSender<RunnerEvent>,
    ) -> Result<(), RunnerError> {
        patiently(&events, || self.settle_cells()).await?;
        let resources = BoardResources {
            pulse: is_timed(&self.specification)
                .then(|| Arc::new(Pulse::start(&CoreSet::available()))),
            ..BoardResources::new(self.jobs)
        };
        let mut cores = ClaimedCores::claim(&self.specification, self.jobs, cores_here());
        let assignment = Assignment {
            specification: Arc::clone(&self.specification),
            store: Arc::clone(&self.store),
            dispatch: Arc::new(Dispatch::new(
                Arc::clone(&self.store),
                self.name.clone(),
                self.term,
            )),
            games: self.games.clone(),
            runner: self.name.clone(),
            term: self.term,
            pauses: board::PAUSES,
            standing: (self.specification.cells.iter())
                .map(|cell| preflight::crowding(cell, self.jobs, cores_here()))
                .collect(),
        };
        let mut boards = JoinSet::new();
        for _ in 0..self.jobs {
            let resources = BoardResources {
                cores: cores.next(),
                ..resources.clone()
            };
            let board = BoardTask::new(assignment.clone(), resources, events.clone());
            boards.spawn(board.run(stop.clone()));
        }
        let mut outcome = Ok(());
        while let Some(ended) = boards.join_next().await {
            let ended = match ended {
                Ok(ended) => ended,
                Err(error) => Err(RunnerError::Panicked(error)),
            };
            if let (Err(error), false) = (&ended, boards.is_empty()) {
                let _ = events.send(RunnerEvent::BoardEnded(error.to_string()));
            }
            if outcome.is_ok() {
                outcome = ended;
            }
        }
        outcome
    }

    /// Opens the cells again that were closed by a stopping rule which the file has changed or dropped, and closes
    /// those that its rule has decided. [`Self::run`] begins with it.
    ///
    /// # Errors
    /// The store cannot be reached, or refuses.
    pub async fn settle_cells(&self) -> Result<(), StoreError> {
        let closed = self.store.standings().await?;
        let decided = judged_standings(&self.specification, &*self.store).await?;
        for (cell, (closed, decided)) in closed.iter().zip(&decided).enumerate() {
            match (closed.closed, decided.closed) {
                (true, false) => self.store.reopen_cell(cell).await?,
                (false, true) => self.store.close_cell(cell).await?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Cores of this machine that the runner may use.
pub fn cores_here() -> usize {
    thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Greatest number of games at the same time.
const MOST_JOBS: usize = 4_096;

/// Number of games at the same time: what is wanted, but no more than there are pairs, or else the default.
pub fn jobs(specification: &Specification, wanted: Option<usize>) -> usize {
    let pairs: u64 = (specification.cells.iter())
        .map(|cell| u64::from(cell.pairs))
        .sum();
    let most = usize::try_from(pairs).map_or(MOST_JOBS, |pairs| pairs.clamp(1, MOST_JOBS));
    wanted
        .unwrap_or_else(|| default_jobs(specification))
        .min(most)
}

/// Default number of games at the same time: one a core, or a single one where time is measured or a
/// remote coordinator is asked, because games would disturb each other.
fn default_jobs(specification: &Specification) -> usize {
    match is_timed(specification) {
        true => 1,
        false => cores_here(),
    }
}

/// Returns whether time measures the effort of a side.
fn is_timed(specification: &Specification) -> bool {
    let mut cells = specification.cells.iter();
    cells.any(|cell| cell.first.is_timed() || cell.second.is_timed())
}
