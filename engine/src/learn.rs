//! Everything that makes weights: positions to learn from, and what learns from them.

mod nnue;
mod random;
mod sample;
mod self_play;

pub use nnue::{ExampleError, NetworkTrainer, NetworkTraining, TrainerError, TrainingSet};
pub use sample::{Sample, SampleError};
pub use self_play::{SelfPlay, SelfPlayError, SelfPlaySettings};
