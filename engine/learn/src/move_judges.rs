//! Judges of late moves (Shimoyama, sections 7 and 8), learned from samples of searches.
//!
//! *Reductions.* A sampled move was searched to one ply less than usual, value v₁, and in full, v₂. As in the paper, a
//! move with v₁ ≤ α and v₂ ≤ α should be reduced; with v₁ ≤ α < v₂ it should not, since the reduction hides it; with
//! α < v₁ a reduction only wastes time. The judge is a logistic regression, so that its value is the logarithm of the
//! odds against the reduction. Where the paper decides on one ply, the search here changes its reduction by a number of
//! plies in proportion to that value: where hidden moves are n times as frequent as on average, log n.
//!
//! *Margins.* A sampled move lay near the margin of futility pruning and was searched, whether it would have been
//! pruned or not: pruned and beating alpha it is B of the paper, not pruned and failing low it is A. B weighs more
//! towards the end of the game. The regression has the surplus over the margin as a number; divided by its weight, the
//! others are centipawns by which the margin should be wider.

mod examples;
mod measure;
mod run;
mod training;

pub use measure::{HiddenMoveShares, SHARES};
pub use run::{MoveJudgeRun, MoveJudgeRunError, MoveJudgeSummary};
pub use training::MoveJudgeTraining;
