//! `monju replay`: recorded ballots, decided again under any rule.

mod table;

use crate::output::print;
use anyhow::{Context, bail};
use monju_coordinator::{
    calibration::Calibration,
    record::read::Log,
    replay::{Primary, Replay},
    voting::Rule,
};
use monju_proto::v1::Ballot;
use std::path::PathBuf;

/// Ballots to decide again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayCommand {
    /// The logs.
    pub logs: Vec<PathBuf>,
    /// The rule; `None` for the recorded ones.
    pub rule: Option<Rule>,
    /// The primary player.
    pub primary: Primary,
    /// A calibration to read the scores by, instead of the recorded win rates.
    pub calibration: Option<PathBuf>,
    /// One JSON object instead of tables.
    pub json: bool,
}

/// Warns of lines of the logs that are left out.
pub(crate) fn warn_of_lines(log: &Log) {
    if log.cut_short > 0 {
        tracing::warn!(
            lines = log.cut_short,
            "lines cut short, by a crash or a full disk, are left out"
        );
    }
    if log.repeated > 0 {
        tracing::warn!(
            lines = log.repeated,
            "lines that stand in several of the logs, such as a copy, count once"
        );
    }
}

impl ReplayCommand {
    /// Decides the ballots again and prints a report to standard output.
    ///
    /// # Errors
    /// A log or the calibration cannot be read, or there is no ballot in the logs.
    pub fn run(self) -> anyhow::Result<()> {
        let mut log = Log::read(self.logs.iter().map(PathBuf::as_path))?;
        if log.ballots.is_empty() {
            bail!("the logs hold no ballot; record some with --log FILE");
        }
        self.check_primary(&log.ballots)?;
        warn_of_lines(&log);
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
        print(&text)
    }

    /// Refuses a primary player that is no member, and a rule that needs one if there is none.
    fn check_primary(&self, ballots: &[Ballot]) -> anyhow::Result<()> {
        let is_there = |name: &str| {
            let players = ballots.iter().flat_map(|ballot| &ballot.votes);
            let mut names = players.filter_map(|vote| Some(&vote.player.as_ref()?.name));
            names.any(|other| other == name)
        };
        if let Primary::Named(name) = &self.primary
            && !is_there(name)
        {
            bail!("no ballot has a vote of a player '{name}'; --primary names one of the members");
        }
        let is_recorded = ballots.iter().any(|ballot| !ballot.primary.is_empty());
        let has_primary = match &self.primary {
            Primary::AsRecorded => is_recorded,
            Primary::None => false,
            Primary::Named(_) => true,
        };
        if let Some(rule) = self.rule
            && rule.needs_primary()
            && !has_primary
        {
            bail!(
                "rule '{rule}' needs a primary player, and the ballots name none; name one by --primary"
            );
        }
        Ok(())
    }
}
