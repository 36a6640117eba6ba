//! Rosters, ballots and the clock; the USI proxy; the commands of the `monju` binary.
#![forbid(unsafe_code)]

pub mod ballot;
pub mod clock;
pub mod config;
pub mod consultation;
pub mod in_process;
pub mod roster;
pub mod seed;
pub mod server;
pub mod service;
pub mod team;
#[cfg(test)]
mod testing;
pub mod usi;
pub mod voting;
