//! Measures the time from `stop` to `bestmove`, as a GUI sees it.
//!
//! ```text
//! cargo build --release --bin monju
//! cargo run --release -p monju-tests --bin stop -- --times 200
//! ```
#![forbid(unsafe_code)]

use clap::Parser;
use monju_tests::{data::opening, usi::Usi};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Openings to think about, in turn.
const OPENINGS: usize = 200;

/// Measures the time from `stop` to `bestmove`, as a GUI sees it.
#[derive(Debug, Parser)]
struct Arguments {
    /// How often the engine is stopped
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    times: u32,
    /// An option to set first; repeat it for several
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Asks `monju usi`, the proxy and coordinator, instead of `monju engine`
    #[arg(long)]
    proxy: bool,
    /// Further arguments of the engine
    #[arg(value_name = "ARGUMENT", last = true)]
    arguments: Vec<String>,
}

fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn main() {
    let Arguments {
        times,
        options,
        proxy,
        arguments,
    } = Arguments::parse();
    let start = if proxy { Usi::start } else { Usi::start_engine };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut engine = start(&arguments);
    engine.handshake();
    for (name, value) in &options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    engine.new_game();
    let mut delays: Vec<Duration> = (0..times)
        .map(|time| {
            engine.begin(&opening(time as usize % OPENINGS), "go infinite");
            // From before the first iteration's end to well into deep ones.
            thread::sleep(Duration::from_millis(u64::from(time * 37 % 400)));
            let stopped = Instant::now();
            engine.send("stop");
            engine.answer(stopped).elapsed
        })
        .collect();
    engine.quit();
    delays.sort_unstable();
    let share = |percent: usize| {
        let number = (delays.len() * percent).div_ceil(100).max(1) - 1;
        delays[number].as_secs_f64() * 1000.0
    };
    println!(
        "{times} stops: median {:.2} ms, 99 % within {:.2} ms, all within {:.2} ms",
        share(50),
        share(99),
        share(100)
    );
}
