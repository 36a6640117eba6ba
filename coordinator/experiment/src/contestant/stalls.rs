//! Stalls of the machine during the moves of a side.

use super::BoardResources;
use crate::specification::SideEnsemble;
use monju_host::{CoreSet, Pulse};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Measures for how long the machine stops a side while it thinks.
#[derive(Clone, Debug)]
pub(super) struct StallWatch {
    pulse: Option<Arc<Pulse>>,
    /// Cores of the side; none where they are not known.
    cores: CoreSet,
}

impl StallWatch {
    /// The watch over a side on a board; it sees nothing where the board has no pulse.
    pub fn new(ensemble: &SideEnsemble, board: &BoardResources) -> Self {
        Self {
            pulse: board.pulse.clone(),
            cores: ensemble.cores_on(&board.cores),
        }
    }

    /// The longest stall since a moment, on the cores of the side if they are known, else on any.
    pub fn longest_since(&self, moment: Instant) -> Duration {
        let pulse = self.pulse.as_ref();
        pulse.map_or(Duration::ZERO, |pulse| {
            pulse.longest_stall(moment.into_std(), &self.cores)
        })
    }
}
