//! The coordinator: the process that owns a game's clock and ballots.
//!
//! A consultation goes through these in order: [`service`] takes the request, [`consultation`] asks
//! the players that [`roster`] knows within the time that [`clock`] gives, [`ballot`] keeps their
//! votes, which [`calibration`] makes comparable, [`voting`] decides, and [`record`] remembers.
#![forbid(unsafe_code)]

pub mod ballot;
pub mod calibration;
pub mod clock;
pub mod consultation;
pub mod doctor;
pub mod fallback;
pub mod files;
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
