//! Measures the time from `stop` to `bestmove`, as a GUI sees it.
//!
//! ```text
//! cargo build --release --bin monju
//! cargo run --release -p monju-tests --bin stop -- --times 200 --within 5
//! ```
//!
//! Every second position is a problem of mate, whose search for a mate has to be stopped as well.
#![forbid(unsafe_code)]

use clap::Parser;
use monju_tests::{
    data::{data, opening},
    usi::Usi,
};
use std::{process::ExitCode, thread, time::Duration};

/// Openings to think about, in turn.
const OPENINGS: usize = 200;

/// Measures the time from `stop` to `bestmove`, as a GUI sees it.
#[derive(Debug, Parser)]
struct StopArguments {
    /// Number of times that the engine is stopped
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    times: u32,
    /// Fails if one answer took longer, in milliseconds
    #[arg(long, value_name = "MS")]
    within: Option<f64>,
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

/// Returns the longest problems of mate.
fn problems() -> Vec<String> {
    let table = data("mate/mates.tsv");
    let mut problems: Vec<(u32, &str)> = table
        .lines()
        .filter_map(|line| {
            let (sfen, plies) = line.split_once('\t')?;
            Some((plies.parse().ok()?, sfen))
        })
        .collect();
    problems.sort_by_key(|&(plies, _)| std::cmp::Reverse(plies));
    let longest = problems.iter().take(OPENINGS);
    longest.map(|(_, sfen)| format!("sfen {sfen}")).collect()
}

fn main() -> ExitCode {
    let StopArguments {
        times,
        within,
        options,
        proxy,
        arguments,
    } = StopArguments::parse();
    let start = if proxy { Usi::start } else { Usi::start_engine };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut engine = start(&arguments);
    engine.handshake();
    for (name, value) in &options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    engine.new_game();
    let problems = problems();
    let mut delays: Vec<Duration> = (0..times)
        .map(|time| {
            let number = time as usize / 2;
            let position = match time % 2 {
                0 => opening(number % OPENINGS),
                _ => problems[number % problems.len()].clone(),
            };
            engine.begin(&position, "go infinite");
            // Stops fall between the first iteration and deep ones.
            thread::sleep(Duration::from_millis(u64::from(time * 37 % 400)));
            let stopped = engine.ask("stop");
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
    match within {
        Some(within) if share(100) > within => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
