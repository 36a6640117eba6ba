//! What the subcommands of `monju` do.

pub mod bench;
pub mod consult;
pub mod learn;
pub mod perft;
pub mod services;
