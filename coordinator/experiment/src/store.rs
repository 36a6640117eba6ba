//! Where an experiment's pairs and games are kept, and the only place where runners meet.
//!
//! A runner leases a pair, plays it, and writes the result. A lease that is not extended in time
//! is free again, so a runner may be switched off at any moment; a result is written once, however
//! often it is sent.

mod database;

#[cfg(test)]
mod tests;

pub use database::Database;

use super::{
    notes::Notes,
    record::{GameResult, Incident, PlayedGame, Side},
    statistics::Outcome,
};
use std::{
    fmt::{self, Debug},
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

/// A pair fails this often before it is given up: it is retried up to twice.
pub const ATTEMPTS: u32 = 3;

/// Pairs of one cell that are handed out in a row, so that engines are not loaded for every pair.
const BLOCK: u32 = 10;

/// What is to be played, as the store needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name of the experiment.
    pub name: String,
    /// Hash of everything in the specification that games depend on.
    pub specification: String,
    /// Where everything random comes from.
    pub seed: u64,
    /// What plays.
    pub build: String,
    /// What each cell is called.
    pub cells: Vec<String>,
    /// Pairs in every cell.
    pub pairs: u32,
}

/// The right to play one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Index of the cell in the plan.
    pub cell: usize,
    /// Number of the pair in its cell.
    pub pair: u32,
    /// What shows that the lease is still this one.
    pub token: String,
    /// How often this pair has failed before.
    pub failures: u32,
}

/// Two games of one opening.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPair {
    /// First with the first side as Black, then as White.
    pub games: [PlayedGame; 2],
    /// What went wrong without spoiling the pair.
    pub incidents: Vec<Incident>,
}

/// How far one cell is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Pairs nobody holds.
    pub open: u64,
    /// Pairs that somebody plays.
    pub leased: u64,
    /// Pairs that are finished.
    pub finished: u64,
    /// Pairs that failed too often.
    pub given_up: u64,
    /// Finished pairs by the half points of the first side, 0 to 4.
    pub pairs: [u64; 5],
    /// Whether a stopping rule has closed the cell.
    pub closed: bool,
}

/// One finished game as reports count it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// Number of the pair.
    pub pair: u32,
    /// 0 when the first side has Black, 1 when it has White.
    pub game: u32,
    /// How it ended for the first side.
    pub result: GameResult,
    /// How it ended.
    pub ending: String,
    /// Plies, the opening's included.
    pub plies: u32,
    /// What each side spent: first, second.
    pub effort: [Effort; 2],
    /// By what it was played; `None` for a game of a version that did not write it down.
    pub origin: Option<Origin>,
    /// Where and when it was played; `None` for a game of a version that did not write it down.
    pub occasion: Option<Occasion>,
    /// The build that played it.
    pub build: String,
    /// The runner that played it.
    pub runner: String,
}

/// What a game depends on, beside the build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Hash of everything in the specification that games depend on.
    pub specification: String,
    /// Where everything random comes from.
    pub seed: u64,
}

/// Where and when a game was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// The machine, in words.
    pub machine: String,
    /// When its pair was written down, by the store's clock.
    pub finished: SystemTime,
}

/// What one side spent in one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes of all its players.
    pub nodes: u64,
    /// Time from question to decision, in milliseconds.
    pub time_ms: u64,
    /// Moves that were decided by votes.
    pub moves: u32,
    /// Positions by the number of different moves voted for.
    pub variety: super::record::Variety,
}

/// The moves of one game, what is noted of them, and its ballots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the pair.
    pub pair: u32,
    /// 0 when the first side has Black, 1 when it has White.
    pub game: u32,
    /// Plies that the opening gave.
    pub opening_plies: u32,
    /// The whole game as after `position`.
    pub moves: String,
    /// One JSON object a line; empty where ballots are not kept.
    pub ballots: String,
    /// Of every move that is not the opening's; none in games of a version that did not write them down.
    pub notes: Notes,
}

/// Something that went wrong, as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentRow {
    /// Number of the pair.
    pub pair: u32,
    /// Which game of it.
    pub game: u32,
    /// What went wrong.
    pub cause: String,
    /// Whose fault it was; empty when it was nobody's.
    pub side: Option<Side>,
    /// In words.
    pub detail: String,
}

/// Why the store did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not reachable now, but may be later.
    #[error("the store is not reachable: {0}")]
    Unavailable(String),
    /// It holds another experiment than the one to be played.
    #[error(
        "the store holds results of another {what} of '{name}' ({theirs}, this is {ours}); \
         use another store, or say --accept-changes to mix them"
    )]
    Mixed {
        /// `specification` or `build`.
        what: &'static str,
        /// The experiment.
        name: String,
        /// What the store has.
        theirs: String,
        /// What was asked for.
        ours: String,
    },
    /// There is no such file.
    #[error(
        "there is no store {}; correct --store, or start the experiment with 'monju experiment run'",
        .0.display()
    )]
    Absent(PathBuf),
    /// It cannot be opened.
    #[error("cannot use the store {address}: {reason}")]
    Open {
        /// Where it is, without a password.
        address: String,
        /// What the database says.
        reason: String,
    },
    /// There is no such experiment in it.
    #[error("the store has no experiment '{0}'; start it with 'monju experiment run'")]
    Unknown(String),
    /// The address is none.
    #[error("'{0}' is no store; expected a file, sqlite:FILE, or postgres://user@host/database")]
    Address(String),
    /// The database refuses.
    #[error("the store: {0}")]
    Database(String),
}

/// What every database must do. A store is bound to one experiment when it is opened.
#[tonic::async_trait]
pub trait Store: Send + Sync + Debug {
    /// The hash of the specification that it was played by last.
    fn specification(&self) -> &str;

    /// Hands out the next pair in dispatch order; `None` when there is none now.
    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError>;

    /// Makes a lease last `term` from now; false when it is somebody else's by now.
    async fn extend(&self, lease: &Lease, term: Duration) -> Result<bool, StoreError>;

    /// Writes the result of a pair; false when the pair is not this lease's to finish any more,
    /// because it was given to somebody else or is finished already.
    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError>;

    /// Notes that the machinery failed. The pair is free again, or is given up after
    /// [`ATTEMPTS`].
    async fn fail(
        &self,
        lease: &Lease,
        runner: &str,
        incident: &Incident,
    ) -> Result<(), StoreError>;

    /// Gives a lease back without a result.
    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError>;

    /// Frees the pairs that were given up, as if they had never failed; says how many there are.
    async fn retry_given_up(&self) -> Result<u64, StoreError>;

    /// Hands out no more pairs of a cell.
    async fn close_cell(&self, cell: usize) -> Result<(), StoreError>;

    /// Hands out the pairs of a closed cell again.
    async fn reopen_cell(&self, cell: usize) -> Result<(), StoreError>;

    /// How far every cell is, in the order of the plan.
    async fn standings(&self) -> Result<Vec<Standing>, StoreError>;

    /// The pairs of a cell that are planned and over, by number, from `from` on.
    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<Outcome>, StoreError>;

    /// The finished games of a cell, by pair and game.
    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError>;

    /// The moves and ballots of a cell's games, by pair and game, of pairs from `from` on, at most
    /// `count` games.
    async fn records(&self, cell: usize, from: u32, count: u32) -> Result<Vec<Record>, StoreError>;

    /// What went wrong in a cell.
    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError>;
}

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL URL.
    Postgres(String),
}

impl std::str::FromStr for Address {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        match text.split_once(':') {
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            Some(("sqlite", file)) if !file.trim_start_matches('/').is_empty() => {
                Ok(Self::Sqlite(file.trim_start_matches("//").into()))
            }
            Some(("sqlite" | "", _)) => Err(StoreError::Address(text.to_owned())),
            Some(_) if text.contains("://") => Err(StoreError::Address(text.to_owned())),
            _ if text.is_empty() => Err(StoreError::Address(text.to_owned())),
            _ => Ok(Self::Sqlite(text.into())),
        }
    }
}

/// The file, or the URL without a password: reports and terminals are shown around.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

/// PGPASSWORD or a password file is the place for it.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (server, query) = match rest.split_once('?') {
        Some((server, query)) => (server, Some(query)),
        None => (rest, None),
    };
    // Whatever stands before the last @ is the user's.
    let server = match server.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{user}@{host}")
        }
        None => server.to_owned(),
    };
    let kept: Vec<&str> = query
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter(|parameter| !parameter.starts_with("password="))
        .collect();
    match kept.is_empty() {
        true => format!("{scheme}://{server}"),
        false => format!("{scheme}://{server}?{}", kept.join("&")),
    }
}

/// How to open a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// To play: makes what is missing, and refuses to mix specifications or builds unless
    /// `accept_changes`.
    Play {
        /// Mix them all the same.
        accept_changes: bool,
    },
    /// To look: changes nothing.
    Look,
}

/// Opens a store for one experiment.
///
/// # Errors
/// It cannot be reached, or it holds something else.
pub async fn open(
    address: &Address,
    plan: &Plan,
    opening: Opening,
) -> Result<Arc<dyn Store>, StoreError> {
    let opened = match address {
        Address::Sqlite(file) => Database::sqlite(file, plan, opening).await,
        Address::Postgres(url) => Database::postgres(url, plan, opening).await,
    };
    match opened {
        Ok(database) => Ok(Arc::new(database)),
        Err(StoreError::Unavailable(reason) | StoreError::Database(reason)) => {
            Err(StoreError::Open {
                address: address.to_string(),
                reason,
            })
        }
        Err(other) => Err(other),
    }
}
