//! Checks of a configuration against reality: [`gather`] gathers facts, [`diagnose`] judges them.

mod diagnosis;
mod facts;
mod gather;
#[cfg(test)]
mod tests;

pub use diagnosis::{Finding, Severity, diagnose};
pub use facts::{CallTimes, Facts, PlayerFacts, WorkerFacts};
pub use gather::gather;
