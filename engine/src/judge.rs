//! Judges of a search's progress: is a further iteration worth its time?
//!
//! [`Stability`] is a judge made by hand, [`SearchJudge`] with [`JudgeWeights`] a learned one (Shimoyama,
//! section 6): after every iteration f < 0 says to go on, f ≥ 0 to stop. f is linear in features of the iterations so
//! far, each alone or with the part of the longest time that has passed. Departures from the paper: that
//! part is counted in halvings, since the paper's ratio of logarithms depends on the unit of time; and what
//! needs memory between moves is left out (the expected reply, earlier searches, positions seen before).

mod features;
mod score_trend;
mod stability;
mod weights;

pub use crate::weights_file::JudgeWeightsError;
pub use features::{Progress, SearchJudge, Stage};
pub use score_trend::ScoreTrend;
pub use stability::{Stability, StabilityTracker};
pub use weights::JudgeWeights;
