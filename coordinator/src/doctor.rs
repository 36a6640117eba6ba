//! Checks of a configuration against reality: [`visit`] gathers facts, [`diagnose`] judges them.

mod diagnosis;
mod facts;
#[cfg(test)]
mod tests;
mod visit;

pub use diagnosis::{Finding, Severity, diagnose};
pub use facts::{CallTimes, Facts, PlayerFacts, WorkerFacts};
pub use visit::visit;
