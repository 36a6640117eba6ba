//! Judges of a search's progress: is a further iteration worth its time?
//!
//! [`Stability`] is a judge of one player's search made by hand, and [`Agreement`] one of a team's searches;
//! [`SearchJudge`] and [`TeamProgress`] with [`JudgeWeights`] are learned ones (Shimoyama, section 6): after every
//! iteration f < 0 says to go on, f ≥ 0 to stop. f is linear in features of the iterations so far, each alone or with
//! the part of the longest time that has passed. Departures from the paper: that part is counted in halvings, since
//! the paper's ratio of logarithms depends on the unit of time; what needs memory between moves is left out (the
//! expected reply, earlier searches, positions seen before), and so are the time beside its stage, the number of
//! changes with the move of the first iteration, and third moves with the time; differences of scores are divided by
//! 16 and 24 where the paper has 48. The judge of a team is an addition.

mod agreement;
mod features;
mod score_trend;
mod stability;
mod stage;
mod team;
mod weights;

pub use crate::weights_file::JudgeWeightsError;
pub use agreement::{Agreement, AgreementTracker, Difficulty, Observation};
pub use features::{SearchJudge, SearchProgress};
pub use stability::{Stability, StabilityTracker};
pub use stage::TimeStage;
pub use team::TeamProgress;
pub use weights::{JudgeKind, JudgeWeights};

/// Returns the first feature of each group.
const fn offsets<const N: usize>(sizes: [usize; N]) -> [usize; N] {
    let mut offsets = [0; N];
    let mut group = 1;
    while group < N {
        offsets[group] = offsets[group - 1] + sizes[group - 1];
        group += 1;
    }
    offsets
}

/// Returns the features that are present, from the one of each group.
fn placed<const N: usize>(
    in_groups: [usize; N],
    sizes: &[usize; N],
    offsets: &[usize; N],
) -> [u16; N] {
    std::array::from_fn(|group| {
        debug_assert!(in_groups[group] < sizes[group], "group {group}");
        (offsets[group] + in_groups[group]) as u16
    })
}
