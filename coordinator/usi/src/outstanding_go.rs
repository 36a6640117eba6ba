//! A `go` that has not been answered yet.

use super::{backend::SearchControl, best_move::BestMove};
use monju_engine::mate::Verdict;
use tokio::{
    sync::mpsc,
    task::{JoinError, JoinHandle},
    time::Instant,
};

/// The task that works on a `go`.
enum GoTask {
    Move(JoinHandle<BestMove>),
    Mate(JoinHandle<Verdict>),
}

/// The result of that task.
pub enum GoResult {
    /// The answer to `go`.
    Move(Result<BestMove, JoinError>),
    /// The answer to `go mate`.
    Mate(Result<Verdict, JoinError>),
}

/// A running task and the channel that controls it. Dropping it aborts the task.
pub struct OutstandingGo {
    task: GoTask,
    controls: mpsc::UnboundedSender<SearchControl>,
    /// The moment from which the GUI's clock runs; `None` while it ponders.
    pub clock_from: Option<Instant>,
    /// True if `go` carried a clock.
    pub has_clock: bool,
    /// True once the task was told to stop: later commands wait for its answer.
    pub is_stopping: bool,
}

impl OutstandingGo {
    /// Keeps a search for a move.
    pub fn search(
        task: JoinHandle<BestMove>,
        controls: mpsc::UnboundedSender<SearchControl>,
        clock_from: Option<Instant>,
        has_clock: bool,
    ) -> Self {
        Self {
            task: GoTask::Move(task),
            controls,
            clock_from,
            has_clock,
            is_stopping: false,
        }
    }

    /// Keeps a search for a mate.
    pub fn mate(task: JoinHandle<Verdict>, controls: mpsc::UnboundedSender<SearchControl>) -> Self {
        Self {
            task: GoTask::Mate(task),
            controls,
            clock_from: None,
            has_clock: false,
            is_stopping: false,
        }
    }

    /// Passes a control on to the task.
    pub fn control(&self, control: SearchControl) {
        // A task that has just ended needs no control: its answer is on the way.
        let _ = self.controls.send(control);
    }

    /// Tells the task to answer now.
    pub fn stop(&mut self) {
        self.control(SearchControl::Stop);
        self.is_stopping = true;
    }

    /// Waits for the result.
    pub async fn result(&mut self) -> GoResult {
        match &mut self.task {
            GoTask::Move(task) => GoResult::Move(task.await),
            GoTask::Mate(task) => GoResult::Mate(task.await),
        }
    }
}

impl Drop for OutstandingGo {
    fn drop(&mut self) {
        match &self.task {
            GoTask::Move(task) => task.abort(),
            GoTask::Mate(task) => task.abort(),
        }
    }
}
