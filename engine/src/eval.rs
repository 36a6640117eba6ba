//! Static evaluation: the seam that every evaluator implements, and the noise that makes players
//! differ (paper 002, section 2).
//!
//! A [`Model`] is an evaluator with its weights, shared by all who use it; each thread of a search
//! follows the moves with an [`Evaluator`] of its own.

mod erased;
pub mod linear;
mod material;
mod model;
pub mod nnue;
mod noise;
mod pieces;
mod sigma;
#[cfg(test)]
pub(crate) mod watched;

pub(crate) use erased::Erased;
pub use linear::{Linear, LinearWeights};
pub use material::{Material, MaterialValues, MaterialWeights};
pub use model::{EvaluatorChoice, EvaluatorKind, Model, UnknownEvaluator, WeightsError};
pub use nnue::{Architecture, Network, NetworkError, Nnue, UnknownArchitecture};
pub use noise::{Noise, NoiseError};
pub use pieces::{board_value, exchange_value, hand_value};
pub use sigma::{NoiseModel, Sigma, SigmaError, UnknownNoiseModel};

use crate::rules::{Move, Position};

/// A static evaluation that follows a search move by move.
pub trait Evaluator: Send {
    /// Starts afresh at the root of a search.
    fn reset(&mut self, position: &Position);

    /// Follows a move; `position` is the one before the move is made.
    fn push(&mut self, position: &Position, mv: Move);

    /// Takes the last move back.
    fn pop(&mut self);

    /// The value in centipawns from the side to move. `position` is the one that the calls above
    /// have led to.
    fn evaluate(&mut self, position: &Position) -> i32;
}

/// The FNV-1a hash of bytes, by which weights are known and damaged files are noticed.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
