//! Piece-square values, learned from positions with a score and a game result.
//!
//! The sum of the values of all pieces is the logit of the win probability. It is trained by
//! cross-entropy, with Adam, towards λ · sigmoid(score / scale) + (1 − λ) · result, as networks are. A
//! piece's value on a square is that of its kind plus that of the square; a prior keeps the second
//! small where a piece is rare. In the end all values are rescaled so that a set of pieces keeps its
//! exchange value (the scaling rule of Shimoyama, section 3): values that only know the pieces promise
//! less than the scores they learned from, and searches compare both.

mod examples;
mod parameters;
mod run;
mod trainer;
mod training;

pub use examples::MaterialSet;
pub use run::{MaterialRun, MaterialRunError, MaterialSummary};
pub use trainer::MaterialTrainer;
pub use training::MaterialTraining;
