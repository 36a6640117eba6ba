//! The subcommands of `monju`, as objects that run.

pub mod analyse;
pub mod bench;
pub mod book;
pub mod calibrate;
pub mod certificates;
pub mod consult;
pub mod csa;
pub mod danger;
pub mod doctor;
pub mod drain;
pub mod experiment;
pub mod init;
pub mod interrupted;
pub mod learn;
pub mod r#match;
pub mod mate;
pub mod output;
pub mod page;
pub mod perft;
mod progress;
pub mod replay;
pub mod services;
pub mod status;
mod text_table;
pub mod tune;
pub mod usi;
