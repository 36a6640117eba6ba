//! Training of networks on the CPU, from positions with a score and a game result.
//!
//! A network's output is the logit of the win probability. It is trained by cross-entropy, with Adam,
//! towards λ · sigmoid(score / scale) + (1 − λ) · result, where the score is that of one search or a
//! λ-return. A minibatch touches few rows of the feature transformer, and only those are updated.
//! Weights are clipped to what quantisation can represent.

mod convert;
mod examples;
mod losses;
mod network_file;
mod quantise;
mod run;
mod trainer;
mod training;

pub use convert::{ConvertError, NetworkConversionRun};
pub use examples::{NetworkSet, TeacherError};
pub use losses::EpochLosses;
pub use network_file::NetworkFileError;
pub use run::{NetworkRun, NetworkRunError};
pub use trainer::{NetworkTrainer, TrainerError};
pub use training::NetworkTraining;
