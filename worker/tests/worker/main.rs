//! The worker through its service, over real connections, with real child processes.
#![forbid(unsafe_code)]

mod native_players;
mod reservation;
mod service;
mod support;
mod usi_players;
