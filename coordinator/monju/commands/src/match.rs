//! `monju match`: two engines or native players against each other.

use crate::{
    experiment::drive::{drive, retry_given_up, waiting},
    interrupted::{Interrupted, preparing},
    output::print,
    runtime,
};
use anyhow::{Context, anyhow, bail};
use monju_engine::counted;
use monju_experiment::{
    counted::judged_standings,
    paired_match::{PairedMatch, without_line},
    record::{Cause, MatchSide},
    report::{self, CellFindings, TimeLosses},
    runner::{self, GamesUnderWay, Runner, StopLevel},
    specification::Specification,
    statistics::Interval,
    store::{self, Accepted, Address, IncidentRow, OpenMode, Store},
};
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc, time::Duration};

const SIDES: [MatchSide; 2] = [MatchSide::First, MatchSide::Second];

/// Arguments of `monju match`.
#[derive(Debug)]
pub struct MatchCommand {
    /// The match.
    pub paired: PairedMatch,
    /// Games at the same time; `None` for the default.
    pub jobs: Option<usize>,
    /// The store; `None` keeps the games in a temporary file.
    pub address: Option<Address>,
    /// Differences from earlier runs that are accepted.
    pub accepted: Accepted,
    /// Plays the pairs again that were given up.
    pub retry_given_up: bool,
    /// Prints one JSON object.
    pub json: bool,
}

impl MatchCommand {
    /// Plays, and prints the result.
    ///
    /// # Errors
    /// The settings are wrong, an engine or the store fails, or it was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let specification = self.paired.specification()?;
        let temporary = tempfile::tempdir().context("no temporary folder")?;
        let address = match &self.address {
            Some(address) => address.clone(),
            None => Address::Sqlite(temporary.path().join("match.db")),
        };
        let prepared = self.prepare(&specification, &address);
        let store = match self.resume() {
            Some(resume) => preparing(prepared, Some(resume.to_owned())).await?,
            None => prepared.await?,
        };
        let runner = Runner {
            jobs: runner::jobs(&specification, self.jobs),
            specification: Arc::new(specification),
            store,
            name: runner::unique_name(),
            term: runner::LEASE,
            games: GamesUnderWay::default(),
        };
        store::closing(&*runner.store, self.play(&runner)).await
    }

    /// Tests the engines, and opens the store.
    async fn prepare(
        &self,
        specification: &Specification,
        address: &Address,
    ) -> anyhow::Result<Arc<dyn Store>> {
        let found = runner::preflight(specification, |what| tell!("{what}")).await;
        let found = found.map_err(|error| anyhow!(without_line(&error)))?;
        for warning in found.warnings {
            tell!("warning: {}", without_line(&warning));
        }
        let build = runner::build().context("cannot read the executable of monju")?;
        let mode = OpenMode::Play(self.accepted);
        let plan = specification.plan(&build).with_engines(found.engines);
        Ok(runner::open_patiently(address, &plan, mode, waiting).await?)
    }

    /// How to go on, where the games are kept.
    fn resume(&self) -> Option<&'static str> {
        let address = self.address.as_ref();
        address.map(|_| "the same command, with the same --store")
    }

    async fn play(&self, runner: &Runner) -> anyhow::Result<()> {
        let crowded = runner::crowded(&runner.specification, runner.jobs, runner::cores_here());
        if let Some(warning) = crowded {
            tell!("warning: {warning}");
        }
        if self.retry_given_up {
            let resume = self.resume().map(str::to_owned);
            preparing(retry_given_up(runner), resume).await?;
        }
        let resume = self.resume();
        let driven = drive(runner, resume).await;
        // What was played before an error is told, and without a store it is gone with this process.
        let text = result(&runner.specification, &*runner.store, self.json).await;
        let told = text.and_then(|text| print(&text));
        let stop = driven?;
        told?;
        let standings = judged_standings(&runner.specification, &*runner.store).await?;
        let sum = |pairs: fn(&store::CellStanding) -> u64| standings.iter().map(pairs).sum::<u64>();
        let left = sum(|cell| match cell.closed {
            true => 0,
            false => cell.open + cell.leased,
        });
        if stop != StopLevel::No && left > 0 {
            let interrupted = Interrupted::with(&counted(left, "pair"), resume.map(str::to_owned));
            return match resume {
                Some(_) => Err(interrupted.into()),
                None => Err(anyhow!(
                    "{interrupted}; nothing was kept: with --store FILE, the same command would go on"
                )),
            };
        }
        let given_up = sum(|cell| match cell.closed {
            true => 0,
            false => cell.given_up,
        });
        if given_up > 0 {
            let incidents = runner.store.incidents(0).await?;
            let is_failure = |cause: &str| {
                [Cause::Crash, Cause::Disconnect]
                    .map(Cause::name)
                    .contains(&cause)
            };
            let mut failures = incidents.iter().rev().filter(|it| is_failure(&it.cause));
            let last = failures.next().map_or("", |incident| &incident.detail);
            let pairs = counted(given_up, "pair");
            let again = match self.address {
                Some(_) => "; --retry-given-up plays them again",
                None => "",
            };
            bail!("{pairs} given up after three failures{again}; the last failure: {last}");
        }
        Ok(())
    }
}

/// The result as text or JSON.
async fn result(
    specification: &Specification,
    store: &dyn Store,
    json: bool,
) -> anyhow::Result<String> {
    let findings = report::gather(specification, store).await?;
    let slowest = report::slowest_moves(specification, store, 0).await?;
    let Some(cell) = findings.cells.first() else {
        bail!("a match has one cell");
    };
    Ok(match json {
        true => format!("{}\n", as_json(cell, slowest)),
        false => as_text(cell, slowest),
    })
}

/// Returns the share of its clock that each side used, of all games together; `None` without a clock whose
/// time is there to be used up.
fn clock_used(cell: &CellFindings<'_>) -> Option<[f64; 2]> {
    let sides = [&cell.cell.first, &cell.cell.second];
    let mut used = [0.0; 2];
    for ((used, ensemble), effort) in used.iter_mut().zip(sides).zip(&cell.effort) {
        let clock = ensemble.clock.filter(|clock| clock.byoyomi.is_zero())?;
        let given = clock.main.as_secs_f64() * cell.score.games() as f64
            + clock.increment.as_secs_f64() * effort.moves as f64;
        *used = effort.time_ms as f64 / 1_000.0 / given.max(1e-3);
    }
    Some(used)
}

/// Incidents of a side that have a cause.
fn incidents<'a>(
    cell: &'a CellFindings<'_>,
    cause: Cause,
    side: MatchSide,
) -> impl Iterator<Item = &'a IncidentRow> {
    let incidents = cell.incidents.iter();
    incidents.filter(move |it| it.cause == cause.name() && it.side == Some(side))
}

/// Illegal moves of the first and of the second side.
fn illegal_moves(cell: &CellFindings<'_>) -> [usize; 2] {
    SIDES.map(|side| incidents(cell, Cause::IllegalMove, side).count())
}

/// Pairs in which the first and the second side had less than their time, because the machine has too few cores.
fn crowded_pairs(cell: &CellFindings<'_>) -> [usize; 2] {
    SIDES.map(|side| incidents(cell, Cause::Crowded, side).count())
}

/// Errors that the engines of the first and of the second side have reported, while they played on.
fn reported_errors(cell: &CellFindings<'_>) -> [usize; 2] {
    SIDES.map(|side| incidents(cell, Cause::Reported, side).count())
}

/// Losses on time of both sides, in words.
fn time_losses_in_words(losses: [TimeLosses; 2]) -> String {
    let [first, second] = losses.map(|losses| losses.games);
    let stalled = match losses.map(|losses| losses.longest_stall).into_iter().max() {
        Some(Some(longest)) => format!(
            ", of these {} and {} while the machine stalled for up to {} ms",
            losses[0].stalled,
            losses[1].stalled,
            longest.as_millis()
        ),
        _ => String::new(),
    };
    format!("first {first}, second {second}{stalled}")
}

fn as_text(cell: &CellFindings<'_>, slowest: [Option<Duration>; 2]) -> String {
    let elo = match cell.elo {
        None => "Elo —".to_owned(),
        Some(elo) => match elo.interval {
            None => format!("Elo {:+.0} [—]", elo.elo),
            Some(Interval { low, high }) => {
                format!("Elo {:+.0} [{low:+.0}, {high:+.0}]", elo.elo)
            }
        },
    };
    let mut text = format!(
        "{}  {}  {elo}  pairs {:?}\n",
        cell.score.signed(),
        cell.pairs.score_in_words(),
        cell.pairs.0
    );
    if let Some(ratio) = cell.counted.ratio {
        let _ = writeln!(
            text,
            "sequential test: {} after {}, LLR {:+.2} in [{:.2}, {:.2}]",
            cell.verdict_word(),
            counted(cell.counted.seen, "pair"),
            ratio.value,
            ratio.lower,
            ratio.upper
        );
    }
    let endings: Vec<String> = cell
        .endings
        .iter()
        .map(|(ending, games)| format!("{ending} {games}"))
        .collect();
    let _ = writeln!(text, "endings: {}", endings.join(", "));
    let losses = SIDES.map(|side| TimeLosses::of(cell, side));
    let _ = writeln!(text, "time losses: {}", time_losses_in_words(losses));
    let [first, second] = illegal_moves(cell);
    let _ = writeln!(text, "illegal moves: first {first}, second {second}");
    let [first, second] = crowded_pairs(cell);
    if first + second > 0 {
        let _ = writeln!(
            text,
            "pairs on too few cores, for less than the time that was asked for: first {first}, second {second}"
        );
    }
    let [first, second] = reported_errors(cell);
    if first + second > 0 {
        let mut reported = SIDES
            .map(|side| incidents(cell, Cause::Reported, side))
            .into_iter()
            .flatten();
        let example = reported.next().map_or("", |incident| &incident.detail);
        let _ = writeln!(
            text,
            "reported errors: first {first}, second {second}, such as: {example}"
        );
    }
    let slowest = slowest.map(|time| match time {
        Some(time) => format!("{} ms", time.as_millis()),
        None => "—".to_owned(),
    });
    let _ = writeln!(
        text,
        "slowest move: first {}, second {}",
        slowest[0], slowest[1]
    );
    if let Some(used) = clock_used(cell) {
        let [first, second] = used.map(|used| 100.0 * used);
        let _ = writeln!(text, "clock used: first {first:.1} %, second {second:.1} %");
    }
    text
}

fn as_json(cell: &CellFindings<'_>, slowest: [Option<Duration>; 2]) -> Value {
    let slowest = slowest.map(|time| time.map(|time| time.as_millis() as u64));
    let losses = SIDES.map(|side| TimeLosses::of(cell, side));
    json!({
        "games": cell.score.games(),
        "wins": cell.score.wins,
        "draws": cell.score.draws,
        "losses": cell.score.losses,
        "by_half_points": cell.pairs.0,
        "elo": cell.elo.map(|elo| json!({
            "elo": elo.elo,
            "interval95": elo.interval.map(|interval| [interval.low, interval.high]),
            "superiority": elo.superiority,
        })),
        "sprt": cell.counted.ratio.map(|ratio| json!({
            "verdict": cell.verdict_word(),
            "llr": ratio.value,
            "bounds": [ratio.lower, ratio.upper],
            "pairs": cell.counted.seen,
        })),
        "endings": cell.endings,
        "time_losses": losses.map(|losses| losses.games),
        "time_losses_while_stalled": losses.map(|losses| losses.stalled),
        "longest_stall_ms": losses.map(|losses| losses.longest_stall.map(|stall| stall.as_millis() as u64)),
        "illegal_moves": illegal_moves(cell),
        "crowded_pairs": crowded_pairs(cell),
        "reported_errors": reported_errors(cell),
        "slowest_move_ms": slowest,
        "clock_used": clock_used(cell),
    })
}
