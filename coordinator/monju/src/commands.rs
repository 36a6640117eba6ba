//! What the subcommands of `monju` do.

pub mod bench;
pub mod calibrate;
pub mod certificates;
pub mod consult;
pub mod doctor;
pub mod experiment;
pub mod learn;
pub mod r#match;
pub mod perft;
pub mod replay;
pub mod services;
mod text_table;
pub mod tune;
