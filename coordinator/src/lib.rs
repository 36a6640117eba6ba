//! The coordinator: the process that owns a game's clock and ballots.
//!
//! A consultation passes through these modules in order: [`service`] takes the request,
//! [`consultation`] asks the players of the [`roster`] within the time of the [`clock`], [`ballot`]
//! keeps their votes, [`calibration`] makes these comparable, [`voting`] decides, and [`record`] logs
//! the ballot.
#![forbid(unsafe_code)]

pub mod ballot;
pub mod book;
pub mod calibration;
pub mod choices;
pub mod clock;
pub mod consultation;
pub mod doctor;
pub mod door;
pub mod fallback;
pub mod games;
pub mod pondering;
pub mod record;
pub mod replay;
pub mod resignation;
pub mod roster;
pub mod seed;
pub mod server;
pub mod service;
#[cfg(test)]
mod testing;
pub mod usi_text;
pub mod voting;
