//! A checked configuration, and its defaults.

use monju_coordinator::{
    clock::TimePolicy, pondering::Pondering, record::Rotation, resignation::ResignationPolicy,
    voting::Rule,
};
use monju_host::{DEFAULT_HASH_MIB, PlayerSpec};
use std::{path::PathBuf, time::Duration};

/// Default address of a worker.
pub const WORKER_LISTEN: &str = "127.0.0.1:7411";
/// Default address of a coordinator.
pub const COORDINATOR_LISTEN: &str = "127.0.0.1:7410";
/// Default name of a worker.
pub const WORKER_NAME: &str = "worker";
/// Default time in which a service that is told to end finishes the questions under way.
pub const DRAIN: Duration = Duration::from_secs(60);
/// Default time lost between a decision and the GUI's clock.
pub const OVERHEAD: Duration = Duration::from_millis(100);

/// A checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `[worker]`.
    pub worker: WorkerConfig,
    /// `[[player]]`, expanded; empty when there is none.
    pub players: Vec<PlayerSpec>,
    /// `[coordinator]`.
    pub coordinator: CoordinatorConfig,
    /// `[ensemble]`.
    pub ensemble: EnsembleConfig,
    /// `[book]`.
    pub book: BookConfig,
    /// Folder of the team's certificates.
    pub tls: Option<PathBuf>,
    /// Services may listen beyond loopback without certificates.
    pub without_tls: bool,
}

/// The name, the address and the memory of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerConfig {
    /// Its name on ballots.
    pub name: String,
    /// `host:port`.
    pub listen: String,
    /// Transposition tables of all its native players together, in MiB.
    pub hash_mib: u32,
    /// URLs of coordinators with which it enrols itself.
    pub coordinators: Vec<String>,
    /// Time in which it finishes the questions under way when it is told to end.
    pub drain: Duration,
}

/// The address of a coordinator, and its workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorConfig {
    /// `host:port`.
    pub listen: String,
    /// URLs of remote workers.
    pub workers: Vec<String>,
    /// The list of workers is there, and empty: workers enrol themselves.
    pub awaits_workers: bool,
    /// Workers may enrol themselves.
    pub enrolment: bool,
    /// Time lost between a decision and the GUI's clock.
    pub overhead: Duration,
    /// The way in which the time on a clock is spent.
    pub time_policy: TimePolicy,
    /// The positions that are pondered on.
    pub pondering: Pondering,
    /// Log of the ballots.
    pub log: Option<PathBuf>,
    /// The limits of its files.
    pub rotation: Rotation,
    /// Time in which it finishes the consultations under way when it is told to end.
    pub drain: Duration,
}

/// The way from votes to a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnsembleConfig {
    /// The voting rule.
    pub rule: Rule,
    /// The player that some rules follow, and that decides ties.
    pub primary: Option<String>,
    /// The file of win rates that makes the scores of different engines comparable.
    pub calibration: Option<PathBuf>,
    /// The condition of a resignation; without one the team never resigns.
    pub resignation: Option<ResignationPolicy>,
}

/// The opening book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookConfig {
    /// The file; without one there is no book, unless a command or a GUI names one.
    pub file: Option<PathBuf>,
    /// Number of moves from the start of a game that may come from the book; `None` for as long as it goes.
    pub plies: Option<u32>,
    /// Every player draws a move of its own, and the majority is taken.
    pub voting: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            worker: WorkerConfig {
                name: WORKER_NAME.to_owned(),
                listen: WORKER_LISTEN.to_owned(),
                hash_mib: DEFAULT_HASH_MIB,
                coordinators: Vec::new(),
                drain: DRAIN,
            },
            players: Vec::new(),
            coordinator: CoordinatorConfig {
                listen: COORDINATOR_LISTEN.to_owned(),
                workers: Vec::new(),
                awaits_workers: false,
                enrolment: true,
                overhead: OVERHEAD,
                time_policy: TimePolicy::default(),
                pondering: Pondering::default(),
                log: None,
                rotation: Rotation::default(),
                drain: DRAIN,
            },
            ensemble: EnsembleConfig::default(),
            book: BookConfig::default(),
            tls: None,
            without_tls: false,
        }
    }
}
