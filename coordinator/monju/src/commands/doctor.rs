//! `monju doctor`: a configuration checked against reality.

mod json;
mod table;

use anyhow::{Context, bail};
use monju_coordinator::{
    doctor::{Finding, Severity, diagnose, visit},
    record::Recorder,
};
use monju_team::{
    config::Config,
    team::{self, Choices},
};
use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

/// What to check, and how to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doctor {
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// How long players get for their test moves.
    pub test_time: Duration,
    /// One JSON object instead of tables.
    pub json: bool,
}

impl Doctor {
    /// Checks everything and prints what it finds to standard output.
    ///
    /// # Errors
    /// The configuration is wrong, or something was found that may lose games.
    pub async fn run(self) -> anyhow::Result<()> {
        let config = Config::load(self.config.as_deref())?;
        let choices = Choices::default();
        let ensemble = team::ensemble(&config, &choices)?;
        if let Some(log) = &config.coordinator.log {
            Recorder::open(log)?;
        }
        let (roster, worker) = team::roster(&config, &choices, None).await?;
        let facts = visit(&roster, &ensemble, self.test_time).await;
        drop(roster);
        if let Some(worker) = worker {
            worker.close().await;
        }
        let findings = diagnose(&facts);
        let text = match self.json {
            true => json::render(&facts, &findings),
            false => table::render(&facts, &findings),
        };
        let mut output = io::stdout().lock();
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
            .context("cannot write to standard output")?;
        match count(&findings, Severity::Error) {
            0 => Ok(()),
            1 => bail!("one thing may lose games; mend it as said"),
            errors => bail!("{errors} things may lose games; mend them as said"),
        }
    }
}

fn count(findings: &[Finding], severity: Severity) -> usize {
    let of_it = findings
        .iter()
        .filter(|finding| finding.severity == severity);
    of_it.count()
}

#[cfg(test)]
mod tests;
