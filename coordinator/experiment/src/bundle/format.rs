//! The JSON of a bundle.

use crate::{
    record::{Effort, MatchOutcome, MatchSide},
    store::{
        CellStanding, GameMoves, GameRow, IncidentRow, Occasion, Origin, OtherCell, PlanRow,
        PlannedGames, StoredGame,
    },
    stored_text::StoredTextError,
    unix_time::{milliseconds, moment},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// Version of the format.
pub(super) const VERSION: u32 = 1;

/// Everything in a bundle except its games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub version: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Version and commit of the program that sealed it.
    pub sealed_by: String,
    /// Milliseconds since 1970.
    pub sealed: u64,
    /// Hash of the specification.
    pub specification: String,
    /// True when the games have their ballots.
    pub ballots: bool,
    pub games: u64,
    pub plans: Vec<SealedPlan>,
    pub cells: Vec<SealedCell>,
    /// Labels, hashes and numbers of games of the cells that are not in the specification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_cells: Vec<(String, Option<String>, u64)>,
}

/// A plan by which the experiment was played.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SealedPlan {
    /// Milliseconds since 1970.
    pub since: u64,
    pub finished: u64,
    /// Games in every other cell, or in the largest one in bundles of older versions.
    pub planned: u64,
    /// Games in single cells, by their labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub games_in: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
    /// Hash of the labels of its cells, in any order; left out by older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// Label of the base cell, empty for none; left out by older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    pub stop: String,
    pub specification: String,
}

/// A cell of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SealedCell {
    pub label: String,
    /// Hash of everything that its games depend on, except the build.
    pub specification: String,
    pub open: u64,
    pub given_up: Vec<u32>,
    pub closed: bool,
    pub incidents: Vec<SealedIncident>,
    /// Hashes and numbers of the games with the same label and other settings, which are not here.
    pub other_games: Vec<(Option<String>, u64)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SealedIncident {
    pub pair: u32,
    pub game: u32,
    pub cause: String,
    /// Index of the side at fault.
    pub side: Option<u8>,
    pub detail: String,
    /// Stall of the machine that a loss on time is told apart by, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_ms: Option<u64>,
}

/// One game. Pairs of values are those of the first and of the second side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SealedGame {
    /// Index of the cell.
    pub cell: usize,
    pub pair: u32,
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub game: u32,
    /// Of the first side: win, draw or loss.
    pub result: String,
    pub ending: String,
    pub plies: u32,
    pub opening_plies: u32,
    pub nodes: [u64; 2],
    pub time_ms: [u64; 2],
    /// Moves that were decided by votes.
    pub moves: [u32; 2],
    /// Positions by the number of different moves voted for, as moves:positions.
    pub variety: [String; 2],
    pub specification: Option<String>,
    pub seed: Option<u64>,
    pub machine: Option<String>,
    /// Milliseconds since 1970.
    pub finished: Option<u64>,
    pub build: String,
    pub source: Option<String>,
    pub runner: String,
    /// The whole game as after the USI command `position`.
    pub position: String,
    /// Time and score of each move after the opening, as milliseconds:centipawns.
    pub notes: String,
    /// One JSON object a line; empty where ballots are not kept.
    pub ballots: String,
}

impl Manifest {
    /// Returns the cells whose games are not in the bundle.
    pub fn other_cells(&self) -> Vec<OtherCell> {
        let other = |label: &str, cell, specification: &Option<String>, games| OtherCell {
            label: label.to_owned(),
            cell,
            specification: specification.clone(),
            games,
        };
        let mut others = Vec::new();
        for (index, cell) in self.cells.iter().enumerate() {
            for (specification, games) in &cell.other_games {
                others.push(other(&cell.label, Some(index), specification, *games));
            }
        }
        for (label, specification, games) in &self.other_cells {
            others.push(other(label, None, specification, *games));
        }
        others
    }
}

impl From<&PlanRow> for SealedPlan {
    fn from(plan: &PlanRow) -> Self {
        Self {
            since: milliseconds(plan.since),
            finished: plan.finished,
            planned: plan.planned.usual,
            games_in: plan.planned.in_cells.clone(),
            cells: plan.cells,
            labels: plan.labels.clone(),
            base: plan.base.clone(),
            stop: plan.stop.clone(),
            specification: plan.specification.clone(),
        }
    }
}

impl From<&SealedPlan> for PlanRow {
    fn from(plan: &SealedPlan) -> Self {
        Self {
            since: moment(plan.since),
            finished: plan.finished,
            planned: PlannedGames {
                usual: plan.planned,
                in_cells: plan.games_in.clone(),
            },
            cells: plan.cells,
            labels: plan.labels.clone(),
            base: plan.base.clone(),
            stop: plan.stop.clone(),
            specification: plan.specification.clone(),
        }
    }
}

impl From<&IncidentRow> for SealedIncident {
    fn from(incident: &IncidentRow) -> Self {
        Self {
            pair: incident.pair,
            game: incident.game,
            cause: incident.cause.clone(),
            side: incident.side.map(|side| side.index() as u8),
            detail: incident.detail.clone(),
            stall_ms: incident.stall.map(|stall| stall.as_millis() as u64),
        }
    }
}

impl From<&SealedIncident> for IncidentRow {
    fn from(incident: &SealedIncident) -> Self {
        Self {
            pair: incident.pair,
            game: incident.game,
            cause: incident.cause.clone(),
            side: incident.side.map(|side| match side {
                0 => MatchSide::First,
                _ => MatchSide::Second,
            }),
            detail: incident.detail.clone(),
            stall: incident.stall_ms.map(Duration::from_millis),
        }
    }
}

impl SealedCell {
    /// Returns its progress, with pairs counted by the half points of their first side. Pairs that were
    /// under way count as free.
    pub fn standing(&self, pairs: [u64; 5]) -> CellStanding {
        CellStanding {
            open: self.open,
            leased: 0,
            finished: pairs.iter().sum(),
            given_up: self.given_up.len() as u64,
            pairs,
            closed: self.closed,
        }
    }
}

impl SealedGame {
    pub fn new(cell: usize, row: &GameRow, record: &StoredGame, ballots: bool) -> Self {
        let [first, second] = &row.effort;
        Self {
            cell,
            pair: row.pair,
            game: row.game,
            result: row.result.name().to_owned(),
            ending: row.ending.clone(),
            plies: row.plies,
            opening_plies: record.opening_plies,
            nodes: [first.nodes, second.nodes],
            time_ms: [first.time_ms, second.time_ms],
            moves: [first.moves, second.moves],
            variety: [first.variety.to_string(), second.variety.to_string()],
            specification: row
                .origin
                .as_ref()
                .map(|origin| origin.specification.clone()),
            seed: row.origin.as_ref().map(|origin| origin.seed),
            machine: row
                .occasion
                .as_ref()
                .map(|occasion| occasion.machine.clone()),
            finished: (row.occasion.as_ref()).map(|occasion| milliseconds(occasion.finished)),
            build: row.build.clone(),
            source: row.source.clone(),
            runner: row.runner.clone(),
            position: record.moves.clone(),
            notes: record.notes.to_string(),
            ballots: if ballots {
                record.ballots.clone()
            } else {
                String::new()
            },
        }
    }

    pub fn outcome(&self) -> Result<MatchOutcome, StoredTextError> {
        self.result.parse()
    }

    pub fn row(&self) -> Result<GameRow, StoredTextError> {
        let effort = |side: usize| {
            Ok(Effort {
                nodes: self.nodes[side],
                time_ms: self.time_ms[side],
                moves: self.moves[side],
                variety: self.variety[side].parse()?,
            })
        };
        Ok(GameRow {
            pair: self.pair,
            game: self.game,
            result: self.outcome()?,
            ending: self.ending.clone(),
            plies: self.plies,
            effort: [effort(0)?, effort(1)?],
            origin: match (&self.specification, self.seed) {
                (Some(specification), Some(seed)) => Some(Origin {
                    specification: specification.clone(),
                    seed,
                }),
                _ => None,
            },
            occasion: match (&self.machine, self.finished) {
                (Some(machine), Some(finished)) => Some(Occasion {
                    machine: machine.clone(),
                    finished: moment(finished),
                }),
                _ => None,
            },
            build: self.build.clone(),
            source: self.source.clone(),
            runner: self.runner.clone(),
        })
    }

    pub fn moves(&self) -> GameMoves {
        GameMoves {
            pair: self.pair,
            game: self.game,
            moves: self.position.clone(),
        }
    }

    pub fn record(&self) -> Result<StoredGame, StoredTextError> {
        Ok(StoredGame {
            pair: self.pair,
            game: self.game,
            opening_plies: self.opening_plies,
            moves: self.position.clone(),
            ballots: self.ballots.clone(),
            notes: self.notes.parse()?,
        })
    }
}
