//! The `monju` binary.
#![forbid(unsafe_code)]

fn main() {}
