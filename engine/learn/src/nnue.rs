//! Training of networks on the CPU, from positions with a score and a result.
//!
//! A network's output is read as the logit of the probability to win; it learns the mixture
//! λ · sigmoid(score / scale) + (1 − λ) · result by cross-entropy, with Adam. The score may be that
//! of one search, or a mean of those that follow in its game ([`look_ahead`](super::look_ahead)). A
//! batch touches few rows of the first layer in each position, and only rows that it touches are
//! updated. Weights are kept where quantisation can follow.

mod adam;
mod examples;
mod gradient;
mod quantise;
mod trainer;
mod weights;

pub use examples::TrainingSet;
pub use trainer::{NetworkTrainer, NetworkTraining, TrainerError};
