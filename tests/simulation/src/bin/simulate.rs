//! Plays simulated games, and says what must never be.
//!
//! ```text
//! cargo run --release -p monju-simulation -- --games 10000
//! cargo run --release -p monju-simulation -- --seed 17 --games 1 --trace
//! ```
//!
//! The exit status is 0 when nothing was found.
#![forbid(unsafe_code)]

use clap::Parser;
use monju_simulation::game::{Report, play};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};
use tracing_subscriber::{
    filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Plays games of the proxy and the coordinator over a simulated network
#[derive(Debug, Parser)]
struct SimulateArguments {
    /// Seed of the first game; the others have the next seeds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of games
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// Plies after which a game ends
    #[arg(long, default_value_t = 200)]
    plies: usize,
    /// Plays every game twice, and compares all that the GUI heard
    #[arg(long)]
    twice: bool,
    /// Shows lines and troubles on standard error
    #[arg(long)]
    trace: bool,
}

/// Sums over all games.
#[derive(Default)]
struct Sums {
    games: u64,
    plies: usize,
    answers: u64,
    ballots: u64,
    counted: u64,
    troubles: u64,
    simulated: Duration,
    slowest_percent: u64,
    faulty: u64,
}

impl Sums {
    fn add(&mut self, report: &Report) {
        self.games += 1;
        self.plies += report.plies;
        self.answers += report.answers;
        self.ballots += report.ballots;
        self.counted += report.counted;
        self.troubles += report.troubles;
        self.simulated += report.simulated;
        self.slowest_percent = self.slowest_percent.max(report.slowest_percent);
        self.faulty += u64::from(!report.violations.is_empty());
    }

    fn say(&self, took: Duration) {
        println!(
            "{} games, {} plies, {} answers, {} ballots, {} votes counted, {} troubles, {:.1} h simulated in {:.0} s; \
             slowest answer {} % of its time; games with a violation: {}",
            self.games,
            self.plies,
            self.answers,
            self.ballots,
            self.counted,
            self.troubles,
            self.simulated.as_secs_f64() / 3_600.0,
            took.as_secs_f64(),
            self.slowest_percent,
            self.faulty
        );
    }
}

fn main() -> ExitCode {
    let SimulateArguments {
        seed,
        games,
        plies,
        twice,
        trace,
    } = SimulateArguments::parse();
    if trace {
        tracing_subscriber::registry()
            .with(tracing_subscriber::fmt::layer().with_writer(std::io::stderr))
            .with(Targets::new().with_target("monju", tracing::Level::DEBUG))
            .init();
    }
    let begun = Instant::now();
    let mut sums = Sums::default();
    for seed in seed..seed.saturating_add(games) {
        let mut report = play(seed, plies);
        if twice && play(seed, plies) != report {
            report
                .violations
                .push("the game does not repeat".to_owned());
        }
        for violation in &report.violations {
            println!("seed {seed}: {violation}");
        }
        sums.add(&report);
        if sums.games.is_multiple_of(100) {
            sums.say(begun.elapsed());
        }
    }
    sums.say(begun.elapsed());
    match sums.faulty {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
