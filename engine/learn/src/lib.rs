//! Everything that makes weights: what to learn from, and what learns from it.

pub mod linear;
mod material;
mod nnue;
mod outlook;
mod random;
pub mod records;
mod sample;
mod self_play;
mod setting;
mod trace;

pub use material::{MaterialSet, MaterialTrainer, MaterialTraining};
pub use nnue::{NetworkTrainer, NetworkTraining, TrainerError, TrainingSet};
pub use sample::{Sample, SampleError};
pub use self_play::{SelfPlay, SelfPlayError, SelfPlaySettings};
pub use setting::SettingError;
pub use trace::look_ahead;
