//! The ballots of an analysis: a log of ballots that `monju replay` reads, from which an analysis goes on.

use super::setup::Setup;
use anyhow::{Context, anyhow, bail};
use monju_coordinator::{
    calibration::Calibration,
    record::{
        read::Log,
        schema::{LogLine, LoggedBallot},
    },
    voting::{RANKED_MOVES, Rule},
};
use monju_engine::Game;
use monju_learn::files::{open_alone, read_open};
use monju_proto::v1::{Ballot, Limits, Position, RosterResponse};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// What is said of a file that another analysis has.
const BEING_WRITTEN: &str = "another analysis writes it; wait for its end, and run this one again";

/// The ballots so far, by the number of moves before their positions.
#[derive(Debug)]
pub struct BallotFile {
    path: PathBuf,
    /// Its length when it was read.
    read: u64,
    /// The file, locked once this run has written to it.
    file: Option<File>,
    ballots: BTreeMap<usize, Ballot>,
}

/// The limits that a coordinator records: under a rule that ranks moves it asks for several lines.
fn under_rule(limits: &Limits, ballot: &Ballot) -> Limits {
    let rule = ballot
        .decision
        .as_ref()
        .map(|decision| decision.rule.parse());
    let mut limits = *limits;
    if let Some(Ok(rule)) = rule
        && Rule::ranks_moves(rule)
    {
        limits.multi_pv.get_or_insert(RANKED_MOVES);
    }
    limits
}

impl BallotFile {
    /// Reads the ballots of earlier runs, if there are some. `positions` are all of the game: a run may have been about
    /// others than this one.
    ///
    /// # Errors
    /// The file cannot be read, or has ballots of another game, with other limits or another seed.
    pub fn open(
        path: &Path,
        positions: &[(usize, Game)],
        limits: &Limits,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let mut ballots = BTreeMap::new();
        let mut read = 0;
        if path.exists() {
            read = length(path)?;
            let log = Log::read([path]).map_err(|error| match open_alone(path) {
                // Where locks are mandatory, nobody else reads it.
                Ok(None) => anyhow!(BEING_WRITTEN),
                _ => anyhow!("{error}; remove it, or write to another folder with --out"),
            })?;
            for ballot in log.ballots {
                let position = ballot.position.as_ref();
                let (plies, _) = positions
                    .iter()
                    .find(|(_, game)| Some(&Position::from(game)) == position)
                    .with_context(|| other(path, "another game"))?;
                if ballot.limits != Some(under_rule(limits, &ballot)) {
                    bail!("{}", other(path, "an analysis with other limits"));
                }
                if ballot.seed != seed {
                    let what = format!("an analysis with --seed {}, not {seed}", ballot.seed);
                    bail!("{}", other(path, &what));
                }
                ballots.insert(*plies, ballot);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            read,
            file: None,
            ballots,
        })
    }

    /// Returns the ballot on the position after `plies` moves.
    pub fn of(&self, plies: usize) -> Option<&Ballot> {
        self.ballots.get(&plies)
    }

    /// Tells whether there are no ballots.
    pub fn is_empty(&self) -> bool {
        self.ballots.is_empty()
    }

    /// Compares the team of the ballots with the one that would be asked now.
    ///
    /// # Errors
    /// It is another one, or has other settings.
    pub fn check_team(&self, now: &Setup) -> anyhow::Result<()> {
        for ballot in self.ballots.values() {
            if let Some(difference) = Setup::of_ballot(ballot).difference(now) {
                let what = format!("an analysis by another team ({difference})");
                bail!("{}", other(&self.path, &what));
            }
        }
        Ok(())
    }

    /// Compares the win rates of the ballots with those that the calibration of now gives.
    ///
    /// # Errors
    /// They were made with another calibration, or without one.
    pub fn check_calibration(&self, now: &Calibration) -> anyhow::Result<()> {
        match self.ballots.values().all(|ballot| now.gave(ballot)) {
            true => Ok(()),
            false => bail!(
                "{}",
                other(&self.path, "an analysis with another calibration")
            ),
        }
    }

    /// Compares the builds of the players that gave the ballots with those that would be asked now.
    ///
    /// # Errors
    /// A player is of another build.
    pub fn check_builds(&self, now: &RosterResponse) -> anyhow::Result<()> {
        let players = now.workers.iter().flat_map(|worker| &worker.players);
        let now: BTreeSet<&str> = players.map(|player| &*player.build).collect();
        let votes = self.ballots.values().flat_map(|ballot| &ballot.votes);
        let mut builds = votes.filter_map(|vote| Some(&*vote.player.as_ref()?.build));
        // Older versions wrote down none.
        match builds.find(|build| !build.is_empty() && !now.contains(build)) {
            None => Ok(()),
            Some(build) => {
                let what = format!("an analysis by another build ({build})");
                bail!("{}", other(&self.path, &what))
            }
        }
    }

    /// Adds a ballot, and appends it to the file.
    ///
    /// # Errors
    /// The team is another one than that of the earlier ballots, or the file cannot be written.
    pub fn add(&mut self, plies: usize, ballot: Ballot) -> anyhow::Result<()> {
        self.check_team(&Setup::of_ballot(&ballot))?;
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let logged = LoggedBallot::of(&ballot, since.as_millis() as u64)?;
        let line = LogLine::Ballot(Box::new(logged)).render()?;
        self.append(&line)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.ballots.insert(plies, ballot);
        Ok(())
    }

    fn append(&mut self, line: &str) -> anyhow::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.locked()?,
        };
        // A line that was cut short is ended, so that the next one can be read.
        let is_torn = read_open(&mut file)?
            .last()
            .is_some_and(|&last| last != b'\n');
        let text = match is_torn {
            true => format!("\n{line}"),
            false => line.to_owned(),
        };
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        self.file = Some(file);
        Ok(())
    }

    /// Opens the file for this run alone.
    fn locked(&self) -> anyhow::Result<File> {
        match open_alone(&self.path)? {
            Some(file) if file.metadata()?.len() == self.read => Ok(file),
            _ => bail!(BEING_WRITTEN),
        }
    }
}

fn length(path: &Path) -> anyhow::Result<u64> {
    let data = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(data.len())
}

fn other(path: &Path, what: &str) -> String {
    let path = path.display();
    format!("{path} is of {what}; remove it, or write to another folder with --out")
}
