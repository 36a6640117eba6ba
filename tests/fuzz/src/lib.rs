//! Fuzz targets: every format and message that reaches Monju from outside.
//!
//! A target takes any bytes and panics where a promise is broken: nothing crashes, whatever is accepted is
//! legal and bounded, and what is written is read back as it was. `tests/targets.rs` runs each target on its
//! corpus, on everything that was ever found, and on a fixed number of mutations; `tests/fuzz/run.sh` runs
//! them under libFuzzer for as long as one likes.
#![forbid(unsafe_code)]

mod ballots;
mod child;
mod corpus;
mod gui;
mod messages;
pub mod mutation;
mod records;
mod sfen;
mod toml;
mod votes;
mod weights;

use std::path::PathBuf;

/// One thing that is fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Its name on the command line.
    pub name: &'static str,
    /// Takes any bytes; panics where a promise is broken.
    pub run: fn(&[u8]),
    /// The corpus that mutations start from.
    pub corpus: fn() -> Vec<Vec<u8>>,
    /// Words of the format, which mutations insert.
    pub words: &'static [&'static str],
    /// Number of mutations in every run of the tests: about three seconds of an unoptimised build.
    pub mutations: u32,
}

/// All targets.
pub const TARGETS: [FuzzTarget; 14] = [
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
    weights::TARGET,
    messages::TARGET,
    votes::TARGET,
];

/// Longest input of a target, in bytes.
pub const LONGEST: usize = 8_192;

/// Returns the target of a name.
pub fn target(name: &str) -> Option<FuzzTarget> {
    TARGETS.into_iter().find(|target| target.name == name)
}

/// Returns the folder of the inputs that once broke a target; each is a regression test.
pub fn found(target: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/found")).join(target)
}
