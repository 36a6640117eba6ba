//! Rosters, ballots and the clock; the USI proxy; the commands of the `monju` binary.
//!
//! A consultation goes through these in order: [`cli`] and [`commands`] resolve what is asked for,
//! [`team`] assembles who is asked, [`service`] takes the request, [`consultation`] asks the
//! players that [`roster`] knows within the time that [`clock`] gives, [`ballot`] keeps their
//! votes, which [`calibration`] makes comparable, [`voting`] decides, and [`record`] remembers.
#![forbid(unsafe_code)]

pub mod ballot;
pub mod calibration;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod config;
pub mod consultation;
pub mod doctor;
pub mod experiment;
mod files;
pub mod games;
pub mod in_process;
pub mod pondering;
pub mod record;
pub mod replay;
pub mod resignation;
pub mod roster;
pub mod seed;
pub mod server;
pub mod service;
pub mod team;
#[cfg(test)]
mod testing;
pub mod usi;
pub mod usi_text;
pub mod voting;
