//! Rosters, ballots and the clock; the USI proxy; the commands of the `monju` binary.
#![forbid(unsafe_code)]

pub mod team;
pub mod usi;
