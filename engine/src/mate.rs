//! Mates: a test that is cheap enough for every node of a search, and a search of their own.

mod one_ply;
mod proof_number;
mod solve;

pub use one_ply::mate_in_one;
pub(crate) use proof_number::MAX_PLIES;
pub use proof_number::{Mate, MateSearch};
pub use solve::{Solution, solve_mate};
