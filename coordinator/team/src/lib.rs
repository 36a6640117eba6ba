//! The configuration file, and the team that it describes: a coordinator with its workers, embedded
//! in this process or reached over a network.
#![forbid(unsafe_code)]

pub mod config;
pub mod enrolment;
mod reload;
pub mod signals;
pub mod team;
