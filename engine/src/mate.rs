//! Mates: a cheap test for a mate in one, and a proof-number search for longer mates.

mod one_ply;
mod proof_number;
mod solve;

pub use one_ply::mate_in_one;
pub(crate) use proof_number::MAX_PLIES;
pub use proof_number::{Mate, MateSearch};
pub use solve::{Solution, solve_mate};
