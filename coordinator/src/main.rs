//! The `monju` binary.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    monju_coordinator::cli::main()
}
