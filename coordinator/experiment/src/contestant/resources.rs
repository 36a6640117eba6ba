//! The resources of a board for its contestants.

use monju_host::{CoreSet, Pulse};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The resources of a board for its contestants.
#[derive(Clone, Debug)]
pub struct BoardResources {
    /// Turns of players whose effort is not measured in time, shared with other boards.
    pub turns: Arc<Semaphore>,
    /// Cores for players whose effort is measured in time; without any, the system chooses.
    pub cores: CoreSet,
    /// Measures stalls of the machine, where time measures effort; shared with other boards.
    pub pulse: Option<Arc<Pulse>>,
}

impl BoardResources {
    /// Turns of so many players at a time, no cores, and no pulse.
    pub fn new(turns: usize) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            cores: CoreSet::default(),
            pulse: None,
        }
    }
}
