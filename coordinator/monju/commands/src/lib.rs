//! The commands of `monju`, as objects that run.
#![forbid(unsafe_code)]
#![deny(clippy::print_stderr)]
#![expect(
    clippy::disallowed_methods,
    reason = "commands measure real time and report progress by it; no game's clock is kept here"
)]

/// Says a line on standard error, as [`say`](output::say) does.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => {
        $crate::output::say(::std::format_args!($($text)*))
    };
}

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
pub mod engine;
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
mod runtime;
pub mod services;
pub mod status;
mod text_table;
pub mod tune;
pub mod usi;
