//! Everything that makes weights: games to learn from, and what learns from them.

pub mod linear;
mod random;
pub mod records;
