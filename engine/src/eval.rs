//! Static evaluation, and the evaluation noise that makes players differ (Ito et al. (2011), section 2).
//!
//! A [`Model`] is an evaluator with its weights, shared by all players; each thread of a search
//! follows the moves with an [`Evaluator`] of its own.

mod erased;
mod evaluator;
pub mod linear;
mod material;
mod model;
pub mod nnue;
mod noise;
mod piece_values;
mod pieces;
pub(crate) mod see;
mod sigma;
mod weights_error;

pub(crate) use erased::Erased;
pub use evaluator::Evaluator;
pub use linear::{Linear, LinearWeights};
pub use material::{Material, MaterialValues, MaterialWeights};
pub use model::{EvaluatorChoice, EvaluatorKind, Model, UnknownEvaluator};
pub use nnue::{Architecture, FV_SCALE, Network, NetworkError, Nnue};
pub use noise::{Noise, NoiseError};
pub(crate) use piece_values::PieceValues;
pub use pieces::{board_value, exchange_value, hand_value};
pub use see::gains_at_least;
pub use sigma::{NoiseModel, Sigma, SigmaError};
pub use weights_error::WeightsError;
