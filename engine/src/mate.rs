//! Mates: a cheap test for a mate in one, and a proof-number search for longer mates.

mod children;
mod key;
mod leaves;
mod one_ply;
mod parts;
mod pieces;
mod proof_number;
mod proof_numbers;
mod proof_subtree;
mod proof_table;
mod proof_tree;
mod requirements;
mod solve;
mod solver;

pub use one_ply::mate_in_one;
pub use parts::MateParts;
pub(crate) use proof_number::MAX_PLIES;
pub use proof_number::{Mate, MateSearch};
pub(crate) use proof_subtree::ProofSubtree;
pub use solve::{MateQuestion, Solution, Verdict, solve_mate};
pub use solver::{Gap, MateProgress};
