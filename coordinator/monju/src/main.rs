//! The `monju` binary.
#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    monju_host::guard::run_if_asked().unwrap_or_else(cli::main)
}
