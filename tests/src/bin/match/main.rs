//! Plays two USI engines against each other from fixed openings, each opening with both colours,
//! and prints the score with its error bar.
//!
//! ```text
//! cargo run --release -p monju-tests --bin match -- \
//!     --first target/release/monju --first-arguments engine \
//!     --second fairy-stockfish --second-option UCI_Variant=shogi \
//!     --openings tests/data/openings/taya_36ply.sfen --games 400 --byoyomi 200
//! ```
//!
//! With `--main-time` and `--increment` both sides get a clock: how a team spends its time is judged
//! at equal total time by, for example,
//!
//! ```text
//! cargo run --release -p monju-tests --bin match -- --byoyomi 0 --main-time 4000 --increment 40 \
//!     --first target/release/monju --first-arguments usi \
//!     --first-arguments --config --first-arguments short.toml --first-option TimePolicy=agreement \
//!     --second target/release/monju --second-arguments usi \
//!     --second-arguments --config --second-arguments short.toml --second-option TimePolicy=fixed \
//!     --openings tests/data/openings/taya_36ply.sfen --games 200
//! ```
//!
//! with `version = 1`, `[coordinator]` and `overhead_ms = 10` in `short.toml`: of so little time a tenth of
//! a second a move is too much to keep back.
#![forbid(unsafe_code)]

mod clock;
mod engine;
mod game;
mod statistics;

use anyhow::bail;
use clap::Parser;
use clock::Clock;
use engine::Command;
use game::{Referee, Result as GameResult};
use monju_tests::openings;
use statistics::Tally;
use std::{
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Plays two USI engines against each other.
#[derive(Debug, Parser)]
struct Options {
    /// Program of the first engine, whose score is reported.
    #[arg(long)]
    first: String,
    /// An argument of it; repeat it for several.
    #[arg(long, allow_hyphen_values = true)]
    first_arguments: Vec<String>,
    /// An option it is sent, as NAME=VALUE.
    #[arg(long)]
    first_option: Vec<String>,
    /// Its `go` line, instead of the one that --byoyomi gives.
    #[arg(long)]
    first_go: Option<String>,
    /// Program of the second engine.
    #[arg(long)]
    second: String,
    /// An argument of it; repeat it for several.
    #[arg(long, allow_hyphen_values = true)]
    second_arguments: Vec<String>,
    /// An option it is sent, as NAME=VALUE.
    #[arg(long)]
    second_option: Vec<String>,
    /// Its `go` line, instead of the one that --byoyomi gives.
    #[arg(long)]
    second_go: Option<String>,
    /// Openings, one `startpos moves …` a line.
    #[arg(long)]
    openings: PathBuf,
    /// Number of games; an even number, since every opening is played with both colours.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Milliseconds a move, besides the main time.
    #[arg(long, default_value_t = 200)]
    byoyomi: u64,
    /// Milliseconds of main time for each side and game.
    #[arg(long, default_value_t = 0)]
    main_time: u64,
    /// Milliseconds that are added to the main time after each move.
    #[arg(long, default_value_t = 0)]
    increment: u64,
    /// Milliseconds beyond the clock after which a move loses on time.
    #[arg(long, default_value_t = 300)]
    margin: u64,
    /// Games at the same time.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Plies after which a game is a draw.
    #[arg(long, default_value_t = 320)]
    maximum_plies: usize,
    /// A game is over when both engines agree on a score beyond this for six plies; 0 for never.
    #[arg(long, default_value_t = 3000)]
    adjudication: i32,
    /// First opening to use, counted from 0.
    #[arg(long, default_value_t = 0)]
    skip: usize,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let openings = openings::read(&options.openings)?;
    let openings = openings.get(options.skip..).unwrap_or_default();
    let pairs = options.games.div_ceil(2);
    if openings.len() < pairs {
        bail!(
            "{} holds {} openings, {pairs} pairs need as many",
            options.openings.display(),
            openings.len()
        );
    }
    let first = Command::new(
        &options.first,
        &options.first_arguments,
        &options.first_option,
    )?;
    let second = Command::new(
        &options.second,
        &options.second_arguments,
        &options.second_option,
    )?;
    let referee = Referee {
        go: [options.first_go.clone(), options.second_go.clone()],
        clock: Clock {
            main: Duration::from_millis(options.main_time),
            increment: Duration::from_millis(options.increment),
            byoyomi: Duration::from_millis(options.byoyomi),
            margin: Duration::from_millis(options.margin),
        },
        maximum_plies: options.maximum_plies,
        adjudication: options.adjudication,
    };

    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.concurrency.max(1))
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    let mut engines = [first.start()?, second.start()?];
                    loop {
                        let pair = next.fetch_add(1, Ordering::Relaxed);
                        if pair >= pairs {
                            return Ok(());
                        }
                        let mut results = [GameResult::Draw; 2];
                        for (black, result) in results.iter_mut().enumerate() {
                            let report = referee.play(&mut engines, black, &openings[pair])?;
                            println!(
                                "game {} black {} result {:?} plies {} {}",
                                2 * pair + black + 1,
                                ["first", "second"][black],
                                report.result,
                                report.plies,
                                report.reason
                            );
                            *result = report.result;
                        }
                        let mut tally = tally.lock().unwrap_or_else(|error| error.into_inner());
                        tally.add(results);
                        println!("{tally}");
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a game panicked")))
    })
}
