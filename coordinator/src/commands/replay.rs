//! `monju replay`: recorded ballots, decided again under any rule.

mod table;

use crate::{
    calibration::Calibration,
    record::read::Log,
    replay::{Primary, Replay},
    voting::Rule,
};
use anyhow::{Context, bail};
use std::{
    io::{self, Write},
    path::PathBuf,
};

/// What to replay, and how to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayCommand {
    /// The logs.
    pub logs: Vec<PathBuf>,
    /// The rule; the recorded ones when there is none.
    pub rule: Option<Rule>,
    /// The primary player.
    pub primary: Primary,
    /// A calibration to read the scores by, instead of the recorded win rates.
    pub calibration: Option<PathBuf>,
    /// One JSON object instead of tables.
    pub json: bool,
}

impl ReplayCommand {
    /// Decides the ballots again and prints what comes of it to standard output.
    ///
    /// # Errors
    /// A log or the calibration cannot be read, or there is no ballot in the logs.
    pub fn run(self) -> anyhow::Result<()> {
        let mut log = Log::read(self.logs.iter().map(PathBuf::as_path))?;
        if log.ballots.is_empty() {
            bail!("the logs hold no ballot; record some with --log FILE");
        }
        if log.cut_short > 0 {
            tracing::warn!(lines = log.cut_short, "lines cut short by a crash left out");
        }
        if let Some(path) = &self.calibration {
            Calibration::read(path)?.apply(&mut log.ballots);
        }
        let replay = Replay {
            rule: self.rule,
            primary: self.primary,
        };
        let report = replay.run(&log.ballots);
        let text = if self.json {
            serde_json::to_string_pretty(&report).context("the report cannot be JSON")? + "\n"
        } else {
            table::render(&report)
        };
        let mut output = io::stdout().lock();
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
            .context("cannot write to standard output")
    }
}
