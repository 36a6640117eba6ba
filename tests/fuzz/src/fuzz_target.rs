//! A thing that is fuzzed.

/// Longest input of a target, in bytes.
pub const LONGEST: usize = 8_192;

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
