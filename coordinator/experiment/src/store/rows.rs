//! Rows that a store returns.

use super::plan::{GameUnderWay, PlannedGames};
use crate::{
    notes::Notes,
    record::{Effort, MatchOutcome, MatchSide},
};
use std::time::{Duration, SystemTime};

/// Progress of one cell, in pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellStanding {
    /// Pairs of the plan that nobody has played, plays, or has given up. The store may not have made them yet.
    pub open: u64,
    /// Pairs that a runner is playing.
    pub leased: u64,
    /// Pairs that are finished.
    pub finished: u64,
    /// Pairs that failed too often.
    pub given_up: u64,
    /// Finished pairs by the half points of the first side, 0 to 4.
    pub pairs: [u64; 5],
    /// True once a stopping rule has closed the cell; where standings are judged, once it has decided.
    pub closed: bool,
}

/// A pair that a runner is playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairUnderWay {
    /// Index of its cell in the plan.
    pub cell: usize,
    /// Its number.
    pub pair: u32,
    /// Name of the runner.
    pub runner: String,
    /// The game, as far as the runner has told it.
    pub game: GameUnderWay,
    /// Milliseconds until the lease is over; negative for a runner without a sign of life.
    pub left_ms: i64,
}

/// One finished game as reports count it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// Number of the pair.
    pub pair: u32,
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub game: u32,
    /// Result for the first side.
    pub result: MatchOutcome,
    /// Reason for which the game ended.
    pub ending: String,
    /// Plies, the opening's included.
    pub plies: u32,
    /// Effort of the first and of the second side.
    pub effort: [Effort; 2],
    /// Specification and seed; `None` for games of a version that did not write them down.
    pub origin: Option<Origin>,
    /// Machine and time; `None` for games of a version that did not write them down.
    pub occasion: Option<Occasion>,
    /// Build that played it.
    pub build: String,
    /// Version and commit of that build, and whether its code was changed; `None` for games of a version
    /// that did not write them down.
    pub source: Option<String>,
    /// Runner that played it.
    pub runner: String,
}

/// Everything that a game depends on, except the build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Hash of everything in the specification that games depend on.
    pub specification: String,
    /// Seed of everything random.
    pub seed: u64,
}

/// A plan by which an experiment was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRow {
    /// Moment of the first run by it, by the store's clock.
    pub since: SystemTime,
    /// Games of the experiment that were finished by then, also those of cells that the plan does not have.
    pub finished: u64,
    /// Games that it plans. Bundles of older versions name the largest number alone, as that of every cell.
    pub planned: PlannedGames,
    /// Number of its cells; `None` in bundles of older versions.
    pub cells: Option<u64>,
    /// Hash of the labels of its cells, in any order; `None` in bundles of older versions.
    pub labels: Option<String>,
    /// Label of the cell with which it compares the others, and empty for none; `None` in bundles of older versions.
    pub base: Option<String>,
    /// Its stopping rule in words; empty for none.
    pub stop: String,
    /// Hash of its specification.
    pub specification: String,
}

/// Everything that was played of an experiment, for another store.
#[derive(Clone, Debug)]
pub struct KeptResults {
    /// Its plans, by date.
    pub plans: Vec<PlanRow>,
    /// Its cells, in the order of the plan.
    pub cells: Vec<KeptCell>,
    /// Cells of which only the number of games is known.
    pub others: Vec<OtherCell>,
}

/// Everything that was played of a cell.
#[derive(Clone, Debug)]
pub struct KeptCell {
    /// Its games, by pair and game.
    pub games: Vec<(GameRow, StoredGame)>,
    /// Numbers of the pairs that failed too often.
    pub given_up: Vec<u32>,
    /// Its incidents, in the order in which they were recorded.
    pub incidents: Vec<IncidentRow>,
    /// True once a stopping rule has closed it.
    pub closed: bool,
}

/// A cell of the store that is not planned: one with the label of a planned one and other settings, or one with
/// another label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherCell {
    /// Its parameters as text.
    pub label: String,
    /// Index of the planned cell with this label; `None` if the plan has none.
    pub cell: Option<usize>,
    /// Hash of its settings; `None` for a cell of a version that did not write it down.
    pub specification: Option<String>,
    /// Finished games, also those that an imported bundle only counts.
    pub games: u64,
}

/// Place and time of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// The machine, in words.
    pub machine: String,
    /// Time at which the pair was written, by the store's clock.
    pub finished: SystemTime,
}

/// The moves of one game with their notes and ballots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// Number of the pair.
    pub pair: u32,
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub game: u32,
    /// Plies that the opening gave.
    pub opening_plies: u32,
    /// The whole game in the form of the USI command `position`.
    pub moves: String,
    /// One JSON object a line; empty where ballots are not kept.
    pub ballots: String,
    /// One note for every move after the opening; empty for games of a version that wrote none.
    pub notes: Notes,
}

/// The moves of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameMoves {
    /// Number of the pair.
    pub pair: u32,
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub game: u32,
    /// The whole game in the form of the USI command `position`.
    pub moves: String,
}

/// A recorded incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentRow {
    /// Number of the pair.
    pub pair: u32,
    /// Game of the pair, 0 or 1.
    pub game: u32,
    /// Cause in a word.
    pub cause: String,
    /// Side at fault; `None` where neither is.
    pub side: Option<MatchSide>,
    /// Description in words.
    pub detail: String,
    /// Longest stall of the machine during a move that lost on time, where it was longer than the move was late.
    pub stall: Option<Duration>,
}
