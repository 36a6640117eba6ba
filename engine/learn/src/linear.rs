//! The Bonanza method: the evaluator `linear` learns to prefer the moves of recorded games.
//!
//! Each recorded move is compared with every other legal move and with a pass (Shimoyama, section 3).
//! All of them are searched, and the evaluations at the leaves of their principal variations are
//! adjusted so that the recorded move comes out best. [`LinearTraining`] names the differences from the
//! paper.

mod checkpoint;
mod move_match;
mod optimizer;
mod parameters;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod trainer;
mod training;

pub use checkpoint::CheckpointError;
pub use move_match::{MoveMatch, measure};
pub use run::{LinearRun, LinearRunError};
pub use trainer::LinearTrainer;
pub use training::{LinearTraining, TrainingStep};
