//! The record of one consultation while it fills: every player's vote, and the votes that count.

mod danger;
mod decision;
mod entry;
mod header;
mod lanes;
mod lead;
mod meaning;
mod method;
pub mod names;
mod open;
pub mod ranking;
#[cfg(test)]
mod tests;
mod vote;

pub use danger::judge_votes;
pub use decision::{BallotDecision, tie_break};
pub use header::BallotHeader;
pub use lanes::players_of;
pub use lead::{Lead, lead};
pub use method::{VotingMethod, decide};
pub use open::OpenBallot;
