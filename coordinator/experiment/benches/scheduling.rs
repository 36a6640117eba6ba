//! Cost of the scheduler: CPU time of leasing and writing pairs, and speed of a large store.
//!
//! ```text
//! cargo bench -p monju-experiment --bench scheduling
//! cargo bench -p monju-experiment --bench scheduling -- --store postgres://user@host/database --play 4000
//! ```
//!
//! The CPU time is that of this process, without that of a database server.
#![forbid(unsafe_code)]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]

use anyhow::{Context, bail};
use monju_experiment::{
    notes::{Note, Notes},
    record::{Effort, GameEnding, MatchOutcome, MoveVariety, PlayedGame},
    store::{
        self, Accepted, Address, ExperimentPlan, GameUnderWay, OpenMode, PlannedCell, PlayedPair,
        RegisteredPlan,
    },
};
use std::{
    env, fs, thread,
    time::{Duration, Instant},
};

const PAIRS: u32 = 25_000;
const CELLS: u32 = 4;
const TERM: Duration = Duration::from_secs(60);

/// Games a second at which the cost is stated.
const RATE: f64 = 10.0;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let mut address = Address::Sqlite(folder.path().join("scheduling.db"));
    let mut wanted = PAIRS * CELLS;
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--store", Some(text)) => address = text.parse()?,
            ("--play", Some(text)) => {
                wanted = text
                    .parse()
                    .with_context(|| format!("--play takes a number of pairs, not '{text}'"))?;
            }
            _ => bail!("unknown argument '{argument}', expected --store FILE|URL or --play PAIRS"),
        }
    }
    let plan = ExperimentPlan {
        name: "scheduling".to_owned(),
        specification: "benchmark".to_owned(),
        seed: 1,
        build: "benchmark".to_owned(),
        cells: (0..CELLS)
            .map(|cell| PlannedCell {
                label: format!("cell={cell}"),
                specification: "benchmark".to_owned(),
                pairs: PAIRS,
                engines: String::new(),
            })
            .collect(),
        registered: RegisteredPlan::default(),
    };
    let opening = OpenMode::Play(Accepted {
        changes: true,
        build: true,
    });
    let begun = Instant::now();
    let store = store::open(&address, &plan, opening).await?;
    let all = PAIRS * CELLS;
    println!(
        "{all} pairs planned in {:.2} s",
        begun.elapsed().as_secs_f64()
    );

    let pair = PlayedPair {
        games: [game(MatchOutcome::Win), game(MatchOutcome::Loss)],
        incidents: Vec::new(),
    };
    let game_under_way = GameUnderWay {
        game: 1,
        position: pair.games[1].moves.clone(),
    };
    let (begun, cpu) = (Instant::now(), cpu_time()?);
    let mut played = 0_u32;
    while played < wanted
        && let Some(lease) = store.lease("benchmark", TERM).await?
    {
        // A game of a minute is extended three times.
        for _ in 0..3 {
            store.extend(&lease, TERM, &game_under_way).await?;
        }
        store.finish(&lease, "benchmark", &pair).await?;
        played += 1;
    }
    let per_pair = (cpu_time()? - cpu).as_secs_f64() / f64::from(played.max(1));
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let share = per_pair * RATE / 2.0;
    println!(
        "{played} pairs leased, extended and written in {:.1} s: {:.3} ms of CPU time each; \
         at {RATE} games/s {:.2} % of a core, {:.2} % of {cores} cores",
        begun.elapsed().as_secs_f64(),
        1000.0 * per_pair,
        100.0 * share,
        100.0 * share / cores as f64,
    );

    let begun = Instant::now();
    let store = store::open(&address, &plan, OpenMode::Look).await?;
    let standings = store.standings().await?;
    let finished: u64 = standings.iter().map(|cell| cell.finished).sum();
    println!(
        "status of {all} pairs, {finished} of them finished: {:.3} s",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A game of 100 plies between 16 voters and one, without the ballots, whose compression costs little
/// beside the thinking.
fn game(result: MatchOutcome) -> PlayedGame {
    let note = Note {
        time_ms: 1_579,
        score: Some(-123),
    };
    PlayedGame {
        result,
        ending: GameEnding::Resignation,
        opening_plies: 24,
        moves: format!("startpos moves{}", " 7g7f".repeat(100)),
        plies: 100,
        effort: [
            Effort {
                nodes: 100_000_000,
                time_ms: 60_000,
                moves: 38,
                variety: MoveVariety((1..10).map(|moves| (moves, 4)).collect()),
            },
            Effort::default(),
        ],
        ballots: String::new(),
        notes: Notes(vec![note; 76]),
    }
}

/// CPU time of this process so far.
fn cpu_time() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("CPU time is read from /proc")?;
    let fields: Vec<&str> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|field| field.parse::<u64>().ok())
    };
    let ticks = ticks(11)
        .zip(ticks(12))
        .context("/proc/self/stat is unreadable")?;
    // Linux counts in hundredths of a second.
    Ok(Duration::from_millis(10 * (ticks.0 + ticks.1)))
}
