//! The machine's own pauses, during which the time of an answer cannot be judged.

use crate::skip::skipped;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Pause of the observer after which it cannot judge the time of an answer.
pub const STALL: Duration = Duration::from_millis(50);

/// Time between two heartbeats of the observer.
const HEARTBEAT: Duration = Duration::from_millis(5);

/// Times that a void scenario is tried again.
const ATTEMPTS: usize = 10;

/// Measures for how long the machine does not let this process run.
#[derive(Debug)]
pub struct Pulse {
    longest_gap_us: Arc<AtomicU64>,
}

impl Pulse {
    /// Starts a thread that measures for as long as the pulse lives.
    pub fn start() -> Self {
        let longest_gap_us = Arc::new(AtomicU64::new(0));
        let noted = Arc::downgrade(&longest_gap_us);
        thread::spawn(move || {
            while let Some(noted) = noted.upgrade() {
                let slept = Instant::now();
                thread::sleep(HEARTBEAT);
                let gap = slept.elapsed().saturating_sub(HEARTBEAT);
                noted.fetch_max(gap.as_micros() as u64, Ordering::Relaxed);
            }
        });
        Self { longest_gap_us }
    }

    /// Forgets earlier gaps.
    pub fn reset(&self) {
        self.longest_gap_us.store(0, Ordering::Relaxed);
    }

    /// Returns true where the machine has stopped this process since the last reset for so long that a
    /// late answer proves nothing.
    pub fn has_stalled(&self) -> bool {
        self.longest_gap() >= STALL
    }

    /// Returns the longest time since the last reset for which the machine stopped this process.
    pub fn longest_gap(&self) -> Duration {
        Duration::from_micros(self.longest_gap_us.load(Ordering::Relaxed))
    }
}

/// A scenario that proves nothing, because the machine was too busy to judge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Void;

/// Runs a scenario until it can be judged; says what was skipped where the machine never lets it be.
pub fn judge(what: &str, mut scenario: impl FnMut() -> Result<(), Void>) {
    for _ in 0..ATTEMPTS {
        if scenario().is_ok() {
            return;
        }
    }
    skipped(&format!(
        "{what}: the machine stopped the referee in each of {ATTEMPTS} attempts"
    ));
}
