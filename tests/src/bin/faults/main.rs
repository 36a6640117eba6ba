//! Plays a cluster of four worker processes on a short byoyomi. In every game a worker is killed, one is frozen, the
//! way to one is cut, and something of the kind happens to the coordinator or the proxy. It counts what must never
//! happen: a loss on time, an illegal move.
//!
//! ```text
//! cargo build --release --bin monju
//! cargo run --release -p monju-tests --bin faults -- --games 500 --log faults.jsonl
//! ```
//!
//! Every finished game is a line of the log. Started again with the same log, it plays the games
//! that are missing. The exit status is 0 when all games are finished and none was forfeited.
#![forbid(unsafe_code)]

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    eprintln!("faults: freezing a process needs Unix signals; run it there");
    std::process::ExitCode::FAILURE
}

#[cfg(unix)]
mod run;
