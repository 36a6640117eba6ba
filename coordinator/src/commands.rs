//! What the subcommands of `monju` do.

pub mod bench;
pub mod calibrate;
pub mod consult;
pub mod doctor;
pub mod learn;
pub mod perft;
pub mod replay;
pub mod services;
mod text_table;
