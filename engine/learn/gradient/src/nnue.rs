//! Networks in floating point: the loss on a batch of positions, its gradient, and Adam's steps.

mod descent;
mod example;
mod gradient;
mod weights;

pub use descent::{Adam, Descent, WeightLimits};
pub use example::NetworkExample;
pub use gradient::{NetworkGradient, TrainingTarget, add_gradient, output, total_loss};
pub use weights::FloatWeights;
