//! The command on systems that have signals.

use anyhow::{Context as _, bail};
use clap::Parser;
use monju_tests::faults::{FaultRig, FaultSettings, FaultyGame};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
    thread,
};

/// Plays a cluster whose processes die and freeze, and whose network fails
#[derive(Debug, Parser)]
struct FaultsArguments {
    /// Number of games to be in the log
    #[arg(long, default_value_t = 500)]
    games: u64,
    /// File of finished games, one JSON object a line; games in it are not played again
    #[arg(long)]
    log: PathBuf,
    /// Milliseconds a move
    #[arg(long, default_value_t = 300)]
    byoyomi: u64,
    /// Milliseconds of them that the coordinator keeps back
    #[arg(long, default_value_t = 100)]
    overhead: u32,
    /// Nodes that the opponent searches for a move
    #[arg(long, default_value_t = 2_000)]
    opponent_nodes: u64,
    /// Plies after which a game is drawn
    #[arg(long, default_value_t = 320)]
    maximum_plies: usize,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time, each with a cluster of its own
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
}

pub fn main() -> ExitCode {
    match play(&FaultsArguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("faults: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn play(options: &FaultsArguments) -> anyhow::Result<ExitCode> {
    let settings = FaultSettings {
        byoyomi_ms: options.byoyomi,
        overhead_ms: options.overhead,
        opponent_nodes: options.opponent_nodes,
        maximum_plies: options.maximum_plies,
        seed: options.seed,
    };
    let finished: BTreeSet<u64> = read(&options.log)?
        .iter()
        .filter(|report| !report.is_void())
        .map(|report| report.game)
        .collect();
    let mut missing: Vec<u64> = (0..options.games)
        .filter(|number| !finished.contains(number))
        .collect();
    missing.reverse();
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&options.log)
        .with_context(|| format!("cannot write {}", options.log.display()))?;
    let (missing, log) = (Mutex::new(missing), Mutex::new(log));
    let next = || missing.lock().expect("no panic with the lock").pop();
    thread::scope(|scope| -> anyhow::Result<()> {
        let mut tables = Vec::new();
        for _ in 0..options.concurrency.max(1) {
            let builder = thread::Builder::new().stack_size(monju_engine::STACK_BYTES);
            tables.push(builder.spawn_scoped(scope, || {
                let mut rig = None;
                while let Some(number) = next() {
                    let played = catch_unwind(AssertUnwindSafe(|| {
                        rig.get_or_insert_with(|| FaultRig::start(settings.clone()))
                            .play(number)
                    }));
                    // A game that fell apart is missing in the log, and reported on standard error.
                    let Ok(report) = played else {
                        eprintln!("faults: game {number} fell apart; the next gets a new cluster");
                        rig = None;
                        continue;
                    };
                    if report.is_void() {
                        eprintln!(
                            "faults: game {number} is void: the longest move took {} ms, and the \
                             machine stopped the referee for {} ms",
                            report.slowest_ms, report.stall_ms
                        );
                        missing.lock().expect("no panic with the lock").push(number);
                    }
                    let line = report.to_json().to_string();
                    println!("{line}");
                    let mut log = log.lock().expect("no panic with the lock");
                    writeln!(log, "{line}").context("cannot write the log")?;
                }
                anyhow::Ok(())
            })?);
        }
        for table in tables {
            table.join().expect("games do not panic")?;
        }
        Ok(())
    })?;
    Ok(summary(&read(&options.log)?, options.games))
}

fn summary(reports: &[FaultyGame], wanted: u64) -> ExitCode {
    let mut endings = BTreeMap::<&str, u32>::new();
    let (stalled, reports): (Vec<_>, Vec<_>) = reports.iter().partition(|game| game.is_void());
    for report in &reports {
        *endings.entry(&report.ending).or_default() += 1;
    }
    let moves: u64 = reports.iter().map(|report| report.moves).sum();
    let faults: u32 = reports.iter().map(|report| report.faults).sum();
    let slowest = reports.iter().map(|report| report.slowest_ms).max();
    let forfeits = reports.iter().filter(|report| report.is_forfeit()).count();
    let endings: Vec<String> = endings
        .iter()
        .map(|(ending, count)| format!("{ending} {count}"))
        .collect();
    println!(
        "{} of {wanted} games, {moves} moves, {faults} faults, slowest move {} ms, \
         forfeits {forfeits}; {}",
        reports.len(),
        slowest.unwrap_or(0),
        endings.join(", ")
    );
    if !stalled.is_empty() {
        let moves: Vec<String> = stalled
            .iter()
            .map(|game| format!("{} ms ({} ms)", game.slowest_ms, game.stall_ms))
            .collect();
        println!(
            "{} more games are void, played again where they are not: late moves, and for how long the \
             machine stopped the referee: {}",
            stalled.len(),
            moves.join(", ")
        );
    }
    if forfeits == 0 && reports.len() as u64 >= wanted {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn read(log: &Path) -> anyhow::Result<Vec<FaultyGame>> {
    let text = match fs::read_to_string(log) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => bail!("cannot read {}: {error}", log.display()),
    };
    let reports = text.lines().enumerate().map(|(index, line)| {
        serde_json::from_str(line)
            .ok()
            .as_ref()
            .and_then(FaultyGame::from_json)
            .with_context(|| format!("{}:{}: no report of a game", log.display(), index + 1))
    });
    reports.collect()
}
