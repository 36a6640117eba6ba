//! `monju experiment status`: how far an experiment is.

use crate::experiment::{
    specification::Specification,
    statistics::Pentanomial,
    store::{self, Address, Opening, Standing},
};
use anyhow::Context;
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::PathBuf,
};

/// Which experiment to look at.
#[derive(Clone, Debug)]
pub struct Status {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// One JSON object instead of a table.
    pub json: bool,
}

impl Status {
    /// Prints the standing of every cell.
    ///
    /// # Errors
    /// The file is wrong, or the store has no such experiment.
    pub async fn run(self) -> anyhow::Result<()> {
        let specification = Specification::read(&self.file)?;
        let plan = specification.plan("");
        let store = store::open(&self.address, &plan, Opening::Look).await?;
        let standings = store.standings().await?;
        let text = match self.json {
            true => format!("{}\n", as_json(&specification, &standings)),
            false => as_table(&specification, &standings),
        };
        io::stdout()
            .lock()
            .write_all(text.as_bytes())
            .context("cannot write to standard output")
    }
}

fn as_table(specification: &Specification, standings: &[Standing]) -> String {
    let labels = specification
        .cells
        .iter()
        .map(|cell| cell.label.chars().count());
    let width = labels.max().unwrap_or(4).max(4);
    let mut text = format!(
        "{:width$}  {:>8}  {:>8}  {:>7}  {:>8}  score\n",
        "cell", "finished", "of", "playing", "given up"
    );
    for (cell, standing) in specification.cells.iter().zip(standings) {
        let score = match Pentanomial(standing.pairs).mean_and_variance() {
            Some((mean, variance)) => {
                let error = 1.96 * (variance / standing.finished as f64).sqrt();
                format!("{:.1}% ±{:.1}", 100.0 * mean, 100.0 * error)
            }
            None => "—".to_owned(),
        };
        let closed = if standing.closed { "  decided" } else { "" };
        let _ = writeln!(
            text,
            "{:width$}  {:>8}  {:>8}  {:>7}  {:>8}  {score}{closed}",
            cell.label,
            2 * standing.finished,
            2 * u64::from(specification.pairs),
            2 * standing.leased,
            2 * standing.given_up,
        );
    }
    text.push_str("(games; pairs are counted when both games are over)\n");
    text
}

fn as_json(specification: &Specification, standings: &[Standing]) -> Value {
    let cells: Vec<Value> = specification
        .cells
        .iter()
        .zip(standings)
        .map(|(cell, standing)| {
            json!({
                "cell": cell.label,
                "pairs": specification.pairs,
                "finished": standing.finished,
                "leased": standing.leased,
                "open": standing.open,
                "given_up": standing.given_up,
                "by_half_points": standing.pairs,
                "closed": standing.closed,
            })
        })
        .collect();
    json!({ "name": specification.name, "cells": cells })
}
