//! What the subcommands of `monju` do.

pub mod bench;
pub mod consult;
pub mod experiment;
pub mod perft;
pub mod services;
