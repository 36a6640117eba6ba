//! Mates: tests that are cheap enough for every node of a search.

mod one_ply;

pub use one_ply::mate_in_one;
