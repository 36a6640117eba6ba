//! The `monju` binary.
#![forbid(unsafe_code)]
#![expect(
    clippy::disallowed_methods,
    reason = "commands measure real time and report progress by it; no game's clock is kept here"
)]

mod cli;
mod commands;

fn main() -> std::process::ExitCode {
    monju_host::guard::run_if_asked().unwrap_or_else(cli::main)
}
