//! Load of many runners on one store: statements a second, and the time that each operation takes.
//!
//! ```text
//! cargo bench -p monju-experiment --bench runners -- --store postgres://user@host/database --runners 1000
//! ```
//!
//! Every simulated runner has a store of its own, as a process would, and does what a runner does: it leases a pair,
//! writes the result, and looks at the standings; its games take no time. The server may be behind
//! a pooler. Statements are the server's own count of transactions (`pg_stat_database`).
#![forbid(unsafe_code)]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]

use anyhow::{Context, bail};
use monju_experiment::{
    notes::Notes,
    record::{Effort, GameEnding, MatchOutcome, PlayedGame},
    store::{
        self, Address, ExperimentPlan, OpenMode, PlannedCell, PlayedPair, RegisteredPlan, Store,
        StoreError,
    },
};
use std::{
    env,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

const CELLS: u32 = 24;
const TERM: Duration = Duration::from_secs(600);

/// Pause of a simulated runner between two pairs, as short games would take.
const GAME: Duration = Duration::from_millis(1000);

/// Times of the operations of one runner.
#[derive(Default)]
struct Times {
    open: Vec<Duration>,
    lease: Vec<Duration>,
    finish: Vec<Duration>,
    standings: Vec<Duration>,
    pairs: u64,
    /// Tries again, because the server had no connection to spare.
    waits: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut address = None;
    let (mut runners, mut seconds, mut running) = (200_u32, 30_u64, 0_u32);
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let value = arguments.next().context("every argument takes a value")?;
        match argument.as_str() {
            "--store" => address = Some(value.parse::<Address>()?),
            "--runners" => runners = value.parse()?,
            "--seconds" => seconds = value.parse()?,
            "--running" => running = value.parse()?,
            _ => bail!(
                "unknown argument '{argument}', expected --store URL, --runners N, --seconds N, \
                 or --running PAIRS"
            ),
        }
    }
    let address = address.context("--store URL is missing")?;
    let plan = ExperimentPlan {
        name: "runners".to_owned(),
        specification: "benchmark".to_owned(),
        seed: 1,
        build: "benchmark".to_owned(),
        cells: (0..CELLS)
            .map(|cell| PlannedCell {
                label: format!("cell={cell}"),
                specification: "benchmark".to_owned(),
                pairs: 5_000,
                engines: String::new(),
            })
            .collect(),
        registered: RegisteredPlan::default(),
    };
    let begun = Instant::now();
    let first = store::open(&address, &plan, OpenMode::PLAY).await?;
    println!("planned in {:.2} s", begun.elapsed().as_secs_f64());
    for _ in 0..running {
        first.lease("beside", TERM).await?.context("no pair")?;
    }
    // One runner alone, beside so many pairs under way.
    let mut alone = Times::default();
    for _ in 0..20 {
        play(&*first, "alone", &mut alone).await?;
    }
    print("one runner", &mut [alone]);
    drop(first);

    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds);
    let mut tasks = JoinSet::new();
    for runner in 0..runners {
        let (address, plan) = (address.clone(), plan.clone());
        tasks.spawn(async move { simulate(&address, &plan, runner, end).await });
    }
    let (mut all, mut failed) = (Vec::new(), 0);
    while let Some(times) = tasks.join_next().await {
        match times? {
            Ok(times) => all.push(times),
            Err(error) => {
                failed += 1;
                if failed == 1 {
                    println!("a runner failed: {error}");
                }
            }
        }
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let pairs: u64 = all.iter().map(|times| times.pairs).sum();
    let waits: u64 = all.iter().map(|times| times.waits).sum();
    println!(
        "{runners} runners, {failed} of them failed; {pairs} pairs in {elapsed:.1} s, {:.0} pairs/s; \
         {waits} waits for a connection",
        pairs as f64 / elapsed
    );
    print("all runners", &mut all);
    Ok(())
}

/// One runner until a moment.
async fn simulate(
    address: &Address,
    plan: &ExperimentPlan,
    runner: u32,
    end: Instant,
) -> anyhow::Result<Times> {
    let mut times = Times::default();
    // Runners do not all begin in the same moment.
    tokio::time::sleep(GAME * (runner % 100) / 100).await;
    let begun = Instant::now();
    let store = loop {
        match store::open(address, plan, OpenMode::PLAY).await {
            Ok(store) => break store,
            Err(error) if is_temporary(&error) && Instant::now() < end => {
                times.waits += 1;
                tokio::time::sleep(GAME * (50 + runner % 100) / 100).await;
            }
            Err(error) => return Err(error.into()),
        }
    };
    times.open.push(begun.elapsed());
    let name = format!("runner-{runner}");
    while Instant::now() < end {
        match play(&*store, &name, &mut times).await {
            Ok(()) => tokio::time::sleep(GAME * (50 + runner % 100) / 100).await,
            Err(error) if is_temporary(&error) => {
                times.waits += 1;
                tokio::time::sleep(GAME * (50 + runner % 100) / 100).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(times)
}

fn is_temporary(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_) | StoreError::Open { .. })
}

async fn play(store: &dyn Store, name: &str, times: &mut Times) -> Result<(), StoreError> {
    let begun = Instant::now();
    let Some(lease) = store.lease(name, TERM).await? else {
        return Ok(());
    };
    times.lease.push(begun.elapsed());
    let pair = PlayedPair {
        games: [game(MatchOutcome::Win), game(MatchOutcome::Loss)],
        incidents: Vec::new(),
    };
    let begun = Instant::now();
    store.finish(&lease, name, &pair).await?;
    times.finish.push(begun.elapsed());
    times.pairs += 1;
    if times.pairs.is_multiple_of(10) {
        let begun = Instant::now();
        store.standings().await?;
        times.standings.push(begun.elapsed());
    }
    Ok(())
}

fn game(result: MatchOutcome) -> PlayedGame {
    PlayedGame {
        result,
        ending: GameEnding::Resignation,
        opening_plies: 24,
        moves: format!("startpos moves{}", " 7g7f".repeat(100)),
        plies: 100,
        effort: [Effort::default(), Effort::default()],
        ballots: String::new(),
        notes: Notes::default(),
    }
}

fn print(who: &str, all: &mut [Times]) {
    type Operation = (&'static str, fn(&mut Times) -> &mut Vec<Duration>);
    let operations: [Operation; 4] = [
        ("open", |times| &mut times.open),
        ("lease", |times| &mut times.lease),
        ("finish", |times| &mut times.finish),
        ("standings", |times| &mut times.standings),
    ];
    for (name, of) in operations {
        let mut sorted: Vec<Duration> = all
            .iter_mut()
            .flat_map(|times| of(times).drain(..))
            .collect();
        sorted.sort_unstable();
        let Some(last) = sorted.len().checked_sub(1) else {
            continue;
        };
        let at = |share: f64| 1e3 * sorted[(share * last as f64) as usize].as_secs_f64();
        println!(
            "{who}, {name}: median {:.1} ms, 99 % {:.1} ms, longest {:.1} ms, of {}",
            at(0.5),
            at(0.99),
            at(1.0),
            sorted.len()
        );
    }
}
