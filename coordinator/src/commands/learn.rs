//! `monju learn`: makers of weights.

mod progress;
pub mod selfplay;

use progress::Progress;
