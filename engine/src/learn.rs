//! Everything that makes weights: positions to learn from, and what learns from them.

mod random;
mod sample;
mod self_play;

pub use sample::{Sample, SampleError};
pub use self_play::{SelfPlay, SelfPlayError, SelfPlaySettings};
