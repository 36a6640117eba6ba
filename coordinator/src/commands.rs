//! What the subcommands of `monju` do.

pub mod consult;
pub mod perft;
pub mod services;
