//! The evaluator `linear`: the loss of the Bonanza method, and its gradient.

mod gradient;
mod objective;
mod search;

pub use gradient::LinearGradient;
pub use objective::{MoveComparison, Objective};
pub use search::TrainingSearch;
