//! `monju learn`: makers of weights.

mod data;
mod fingerprint;
pub mod linear;
pub mod material;
pub mod nnue;
mod outputs;
mod progress;
pub mod records;
pub mod selfplay;

use outputs::{beside, keep_apart, remove, write_whole};
use progress::Progress;
