//! The resources of a board for its contestants.

use crate::specification::SideEnsemble;
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

    /// The resources of each side. Sides that take turns share all cores; where one thinks on the other's time,
    /// each has cores of its own.
    pub fn of_sides(&self, sides: [&SideEnsemble; 2]) -> [Self; 2] {
        let mut boards = [self.clone(), self.clone()];
        if sides.iter().any(|side| side.ponders()) {
            let mut left = self.cores.clone();
            boards[0].cores = left.take(sides[0].timed_threads());
            boards[1].cores = left;
        }
        boards
    }
}
