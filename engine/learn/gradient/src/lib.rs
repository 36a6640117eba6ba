//! Losses of the learners' evaluators and their gradients, and the steps down them.
//!
//! Nearly all of a learner's time is spent here, so this crate is compiled for speed; the rest of the learners
//! (`monju-learn`) reads and writes files, and is compiled for size.
#![forbid(unsafe_code)]

pub mod adam;
pub mod linear;
pub mod nnue;
