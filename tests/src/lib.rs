//! Support of the end-to-end tests: the binary under test, its processes, and a USI driver.
//!
//! Every test starts real processes on ports of their own; dropping a handle ends its process.
#![forbid(unsafe_code)]

pub mod binary;
#[cfg(unix)]
pub mod browser;
pub mod cluster;
pub mod command;
pub mod data;
#[cfg(unix)]
pub mod faults;
pub mod foreign;
pub mod json_keys;
pub mod pgbouncer;
pub mod postgres;
pub mod process;
pub mod pulse;
pub mod relay;
pub mod skip;
pub mod usi;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets one test of a binary that depends on time run at a time: they compete for the same few cores. Tests whose
/// outcome no load can change need no turn.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
