//! `monju doctor`: a configuration checked against reality.

mod json;
mod severity;
mod table;

use crate::{output::print, progress::Waiting, runtime};
use anyhow::bail;
use monju_coordinator::{
    doctor::{Severity, diagnose, gather},
    record::Recorder,
};
use monju_team::{
    config::Config,
    team::{self, Choices},
};
use severity::count;
use std::{path::PathBuf, time::Duration};

/// A check of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doctor {
    /// Configuration file.
    pub config: Option<PathBuf>,
    /// Time of the players for their test moves.
    pub test_time: Duration,
    /// One JSON object instead of tables.
    pub json: bool,
}

impl Doctor {
    /// Checks everything and prints the findings to standard output.
    ///
    /// # Errors
    /// The configuration is wrong, or a fault was found that may lose games.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on_unless_interrupted(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let config = Config::load(self.config.as_deref())?;
        let choices = Choices::default();
        let ensemble = team::ensemble(&config, &choices)?;
        if let Some(log) = &config.coordinator.log {
            Recorder::open(log)?;
        }
        let (roster, worker) = team::roster(&config, &choices, None).await?;
        let waiting = Waiting::begin("asking the workers and trying every player".to_owned());
        let facts = gather(&roster, &ensemble, self.test_time).await;
        drop(waiting);
        drop(roster);
        if let Some(worker) = worker {
            worker.close().await;
        }
        let findings = diagnose(&facts);
        let text = match self.json {
            true => json::render(&facts, &findings),
            false => table::render(&facts, &findings),
        };
        print(&text)?;
        match count(&findings, Severity::Error) {
            0 => Ok(()),
            1 => bail!("one thing may lose games; its line above says what mends it"),
            errors => {
                bail!("{errors} things may lose games; their lines above say what mends them")
            }
        }
    }
}

#[cfg(test)]
mod tests;
