//! The experiment scheduler: a grid of conditions from one file, played on any number of machines
//! that share a store, reported as the papers print it.
//!
//! [`specification`] reads the file, [`sampling`] are its random choices as pure functions, [`store`]
//! keeps what was played, [`runner`] plays what is left, [`report`] counts it with [`statistics`], as
//! far as [`counted`] gives it a say.
//! A game is played by [`game`] between two [`side`]s, each of which is an embedded coordinator with
//! its players: the way of a vote is the same as in `monju consult`.

pub mod counted;
pub mod game;
pub mod kifu;
pub mod machine;
pub mod notes;
pub mod openings;
pub mod record;
pub mod report;
pub mod runner;
pub mod sampling;
pub mod side;
pub mod specification;
pub mod statistics;
pub mod store;
