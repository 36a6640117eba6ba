//! The experiment scheduler: a grid of conditions from one file, played on any number of machines
//! that share a store, and reported in the form of the published tables.
//!
//! [`specification`] reads the file, [`sampling`] makes the random choices, [`store`] keeps the games,
//! [`runner`] plays those that are left, and [`report`] counts them with [`statistics`], as far as they
//! [`count`](counted). A [`bundle`] keeps what a report needs apart from the store.
//! A game is played by [`game`] between two [`contestant`]s. A contestant is an embedded or remote
//! coordinator with its players, whose votes take the same way as in `monju consult`, or one USI engine
//! that the referee drives as a GUI would, with a real [`clock`].
#![forbid(unsafe_code)]

pub mod bundle;
pub mod clock;
pub mod contestant;
pub mod counted;
pub mod game;
mod hash;
pub mod kifu;
pub mod machine;
pub mod notes;
pub mod openings;
pub mod paired_match;
pub mod pairing;
pub mod record;
pub mod report;
pub mod runner;
pub mod sampling;
pub mod specification;
pub mod spsa;
pub mod statistics;
pub mod store;
pub mod stored_text;
pub mod tuning;
mod unix_time;
