//! `monju experiment status`: progress of an experiment.

use super::{drive::waiting, mismatch::mismatches};
use crate::{output::print, runtime};
use anyhow::Context;
use monju_experiment::{
    counted::{CountedPairs, judged_cells},
    runner::open_patiently,
    specification::Specification,
    statistics::{Pentanomial, SprtVerdict},
    store::{self, Address, CellStanding, ExperimentPlan, OpenMode, Store, StoreError},
};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::PathBuf, sync::Arc};

/// Arguments of `monju experiment status`.
#[derive(Clone, Debug)]
pub struct StatusCommand {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// Prints one JSON object instead of a table.
    pub json: bool,
}

impl StatusCommand {
    /// Prints the progress of every cell.
    ///
    /// # Errors
    /// The file is wrong, or there is no such store.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let specification = Specification::read(&self.file)?;
        let rows = match open_if_begun(&self.address, &specification.plan("")).await? {
            None => {
                tell_that_it_is_new(&specification, &self.address);
                unplayed(&specification)
            }
            Some(store) => {
                let rows = store::closing(&*store, async {
                    for warning in mismatches(&specification, &*store).await? {
                        tell!("{warning}");
                    }
                    rows(&specification, &*store).await
                });
                let rows = rows.await;
                rows.with_context(|| format!("in {}", self.address))?
            }
        };
        let text = match self.json {
            true => format!("{}\n", as_json(&specification, &rows)),
            false => as_table(&specification, &rows),
        };
        print(&text)
    }
}

/// Progress of one cell, and its pairs that count, as in reports.
pub(super) struct CellRow {
    standing: CellStanding,
    /// Finished pairs that count, by half points.
    pairs: Pentanomial,
    /// Log-likelihood ratio of the stopping rule; `None` without one.
    ratio: Option<f64>,
    /// The stopping rule has decided. A cell may be closed without that: a shorter plan ends before the pairs that have
    /// decided.
    is_decided: bool,
}

impl CellRow {
    /// Finished pairs that do not count.
    fn without_say(&self) -> u64 {
        (self.standing.finished).saturating_sub(self.pairs.pairs())
    }
}

/// Opens a store to look at it, and waits for a connection; `None` where it has nothing of the experiment.
pub(super) async fn open_if_begun(
    address: &Address,
    plan: &ExperimentPlan,
) -> Result<Option<Arc<dyn Store>>, StoreError> {
    match open_patiently(address, plan, OpenMode::Look, waiting).await {
        Err(StoreError::Unknown(_)) => Ok(None),
        opened => opened.map(Some),
    }
}

/// Tells that a store has nothing of an experiment, whose name may be misspelt.
pub(super) fn tell_that_it_is_new(specification: &Specification, address: &Address) {
    let name = &specification.name;
    tell!("{address} has nothing of '{name}' yet; 'monju experiment run' starts it");
}

/// Returns the progress of an experiment that nobody has begun.
pub(super) fn unplayed(specification: &Specification) -> Vec<CellRow> {
    let cells = specification.cells.iter();
    cells
        .map(|cell| CellRow {
            standing: CellStanding {
                open: cell.pairs.into(),
                ..CellStanding::default()
            },
            pairs: Pentanomial::default(),
            ratio: None,
            is_decided: false,
        })
        .collect()
}

/// Returns the progress of every cell.
pub(super) async fn rows(
    specification: &Specification,
    store: &dyn Store,
) -> Result<Vec<CellRow>, StoreError> {
    let judged = judged_cells(specification, store).await?;
    let row = |(standing, counted): (CellStanding, Option<CountedPairs>)| {
        // Without a stopping rule all planned pairs count, which the store has counted.
        let counted = counted.filter(|_| specification.stop.is_some());
        let is_decided =
            (counted.as_ref()).is_some_and(|counted| counted.verdict != SprtVerdict::Undecided);
        let (pairs, ratio) = match counted {
            None => (Pentanomial(standing.pairs), None),
            Some(counted) => (counted.pairs, counted.ratio.map(|ratio| ratio.value)),
        };
        CellRow {
            standing,
            pairs,
            ratio,
            is_decided,
        }
    };
    Ok(judged.into_iter().map(row).collect())
}

fn as_table(specification: &Specification, rows: &[CellRow]) -> String {
    let labels = specification
        .cells
        .iter()
        .map(|cell| cell.label.chars().count());
    let width = labels.max().unwrap_or(4).max(4);
    let mut text = format!(
        "{:width$}  {:>8}  {:>8}  {:>7}  {:>8}  score\n",
        "cell", "finished", "of", "playing", "given up"
    );
    for (cell, row) in specification.cells.iter().zip(rows) {
        let CellRow {
            standing, pairs, ..
        } = row;
        let mut remarks = String::new();
        if row.is_decided {
            remarks.push_str("  decided");
        }
        if row.without_say() > 0 {
            let games = 2 * row.without_say();
            let _ = write!(remarks, "  ({games} more games do not count)");
        }
        let _ = writeln!(
            text,
            "{:width$}  {:>8}  {:>8}  {:>7}  {:>8}  {}{remarks}",
            cell.label,
            2 * pairs.pairs(),
            2 * u64::from(cell.pairs),
            standing.leased,
            2 * standing.given_up,
            pairs.score_in_words(),
        );
    }
    text.push_str("(games; pairs are counted when both games are over)\n");
    text
}

/// Returns the progress as JSON.
pub(super) fn as_json(specification: &Specification, rows: &[CellRow]) -> Value {
    let cells: Vec<Value> = specification
        .cells
        .iter()
        .zip(rows)
        .map(|(cell, row)| {
            let CellRow {
                standing,
                pairs,
                ratio,
                is_decided,
            } = row;
            let score = pairs.mean();
            json!({
                "cell": cell.label,
                "pairs": cell.pairs,
                "finished": pairs.pairs(),
                "without_say": row.without_say(),
                "leased": standing.leased,
                "open": standing.open,
                "given_up": standing.given_up,
                "by_half_points": pairs.0,
                "score": score,
                "interval95": pairs.interval().map(|interval| [interval.low, interval.high]),
                "closed": is_decided,
                "llr": ratio,
            })
        })
        .collect();
    let sum = |pairs: fn(&CellStanding) -> u64| -> u64 {
        rows.iter().map(|row| pairs(&row.standing)).sum()
    };
    json!({
        "name": specification.name,
        // Pairs that a further runner could play.
        "open": sum(|cell| if cell.closed { 0 } else { cell.open }),
        "leased": sum(|cell| cell.leased),
        "given_up": sum(|cell| cell.given_up),
        "cells": cells,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_experiment::{
        notes::Notes,
        record::{Effort, GameEnding, MatchOutcome, PlayedGame},
        store::PlayedPair,
    };
    use std::time::Duration;

    const FILE: &str = r#"
version = 1
name = "t"
games = 400
openings = "openings.sfen"
first = "a"
second = "b"
[ensemble.a]
nodes = 10
player = [{ name = "n" }]
[ensemble.b]
nodes = 10
player = [{ name = "s" }]
[stop]
elo0 = 0
elo1 = 200
model = "logistic"
"#;

    fn won() -> PlayedGame {
        PlayedGame {
            result: MatchOutcome::Win,
            ending: GameEnding::Mate,
            opening_plies: 1,
            moves: "startpos moves 7g7f".to_owned(),
            plies: 1,
            effort: [Effort::default(), Effort::default()],
            ballots: String::new(),
            notes: Notes::default(),
        }
    }

    #[tokio::test]
    async fn pairs_beyond_the_stopping_rule_do_not_count_here_and_in_reports() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let lines: String = (0..200).map(|_| "startpos\n").collect();
        let openings = folder.path().join("openings.sfen");
        std::fs::write(openings, lines).expect("writable");
        let parsed = Specification::parse(FILE, &folder.path().join("t.toml"));
        let specification = parsed.expect("a good file");
        let address = Address::Sqlite(folder.path().join("t.db"));
        let opening = OpenMode::PLAY;
        let store = store::open(&address, &specification.plan("build"), opening).await;
        let store = store.expect("a store");
        let mut finished = 0;
        loop {
            let lease = store.lease("r", Duration::from_secs(60)).await;
            let lease = lease.expect("asked").expect("a pair");
            let pair = PlayedPair {
                games: [won(), won()],
                incidents: Vec::new(),
            };
            assert!(store.finish(&lease, "r", &pair).await.expect("asked"));
            finished += 1;
            let counted = CountedPairs::of(&specification, &*store, 0).await;
            let counted = counted.expect("counted");
            if counted.pairs.pairs() < finished {
                assert_eq!(counted.verdict, SprtVerdict::Accepted);
                break;
            }
        }
        store.close_cell(0).await.expect("closed");
        let rows = rows(&specification, &*store).await.expect("rows");
        assert_eq!(rows[0].without_say(), 1);
        let games = 2 * (finished - 1);
        let table = as_table(&specification, &rows);
        let expected = format!(
            "{games:>8}       400        0         0  100.0% [—]  decided  (2 more games do not count)\n"
        );
        assert!(table.contains(&expected), "{table}\nexpected {expected}");
        let value = as_json(&specification, &rows);
        assert_eq!(value["cells"][0]["finished"], finished - 1);
        let report = monju_experiment::report::gather(&specification, &*store).await;
        let report = report.expect("a report");
        assert_eq!(report.cells[0].score.games(), games);
        assert_eq!(report.cells[0].without_say, 2);

        // A cell that another file's rule has closed is open.
        let (unruled, _) = FILE.split_once("[stop]").expect("a rule");
        let unruled = Specification::parse(unruled, &folder.path().join("t.toml"));
        let unruled = unruled.expect("a good file");
        let open = super::rows(&unruled, &*store).await.expect("rows");
        let value = as_json(&unruled, &open);
        assert_eq!(value["open"], 200 - finished);
        assert_eq!(value["cells"][0]["closed"], false);
        assert_eq!(as_json(&specification, &rows)["open"], 0);
        // A plan that ends before the pairs that have decided has nothing to play and no decision.
        let shorter = FILE.replace("games = 400", "games = 2");
        let shorter = Specification::parse(&shorter, &folder.path().join("t.toml"));
        let shorter = shorter.expect("a good file");
        let looked = store::open(&address, &shorter.plan("build"), OpenMode::Look).await;
        let looked = looked.expect("a store");
        let few = super::rows(&shorter, &*looked).await.expect("rows");
        let value = as_json(&shorter, &few);
        assert_eq!(value["cells"][0]["closed"], false);
        assert_eq!(value["open"], 0);
        assert!(!as_table(&shorter, &few).contains("decided"));

        // Games of other settings than those of the file are reported, and not counted.
        let warnings = mismatches(&specification, &*store).await.expect("asked");
        assert_eq!(warnings, Vec::<String>::new());
        let text = FILE.replace("games = 400", "games = 400\nseed = 5");
        let other = Specification::parse(&text, &folder.path().join("t.toml"));
        let other = other.expect("a good file");
        let store = store::open(&address, &other.plan(""), OpenMode::Look).await;
        let store = store.expect("a store");
        let warnings = mismatches(&other, &*store).await.expect("asked");
        let [warning] = &warnings[..] else {
            panic!("{warnings:?}")
        };
        assert!(warning.contains(&specification.cells[0].hash), "{warning}");
        assert!(
            warning.contains(&format!("{} games of 'all'", 2 * finished)),
            "{warning}"
        );
        assert!(!warning.contains('\n'), "{warning}");
        let report = monju_experiment::report::gather(&other, &*store).await;
        assert_eq!(report.expect("a report").cells[0].score.games(), 0);

        // One that nobody has begun is all open.
        let text = FILE.replace("name = \"t\"", "name = \"new\"");
        let new = Specification::parse(&text, &folder.path().join("t.toml"));
        let new = new.expect("a good file");
        let store = open_if_begun(&address, &new.plan("")).await;
        assert!(store.expect("a store").is_none());
        assert_eq!(as_json(&new, &unplayed(&new))["open"], 200);
    }
}
