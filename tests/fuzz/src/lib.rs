//! Fuzz targets: every format and message that reaches Monju from outside.
//!
//! A target takes any bytes and panics where a promise is broken: nothing crashes, whatever is accepted is
//! legal and bounded, and what is written is read back as it was. `tests/targets.rs` runs each target on its
//! corpus, on everything that was ever found, and on a fixed number of mutations; the command `mutate` goes on with
//! such mutations, and `tests/fuzz/run.sh` runs the targets under libFuzzer, both for as long as one likes.
#![forbid(unsafe_code)]

mod ballots;
mod book;
mod child;
mod corpus;
mod fuzz_target;
mod gui;
mod messages;
pub mod mutation;
mod records;
mod sfen;
mod toml;
mod votes;
mod weights;

pub use fuzz_target::{FuzzTarget, LONGEST};

use std::path::PathBuf;

/// All targets.
pub const TARGETS: [FuzzTarget; 15] = [
    sfen::TARGET,
    gui::TARGET,
    child::TARGET,
    records::CSA,
    records::KIF,
    records::KI2,
    records::JKF,
    records::LINES,
    toml::CONFIGURATION,
    toml::EXPERIMENT,
    ballots::TARGET,
    book::TARGET,
    weights::TARGET,
    messages::TARGET,
    votes::TARGET,
];

/// Returns the target of a name.
pub fn target(name: &str) -> Option<FuzzTarget> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// Returns the folder of the inputs that once broke a target; each is a regression test.
pub fn found(target: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/found")).join(target)
}
