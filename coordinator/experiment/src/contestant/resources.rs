//! The resources of a board for its contestants.

use monju_host::CoreSet;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The resources of a board for its contestants.
#[derive(Clone, Debug)]
pub struct BoardResources {
    /// Turns of players whose effort is not measured in time, shared with other boards.
    pub turns: Arc<Semaphore>,
    /// Cores for players whose effort is measured in time; without any, the system chooses.
    pub cores: CoreSet,
}

impl BoardResources {
    /// Turns of so many players at a time, and no cores.
    pub fn new(turns: usize) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            cores: CoreSet::default(),
        }
    }
}
