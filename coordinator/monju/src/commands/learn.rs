//! `monju learn`: makers of weights.

pub mod convert;
mod data;
mod inputs;
pub mod linear;
pub mod material;
pub mod nnue;
mod outputs;
mod progress;
mod recipe;
pub mod records;
pub mod selfplay;

use outputs::{beside, keep_apart, remove, write_whole};
use progress::Progress;
