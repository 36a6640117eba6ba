//! The plan of an experiment, and leases of its pairs.

use crate::{
    record::{Incident, PlayedGame},
    specification::describe_cells,
};
use monju_engine::counted;
use std::collections::BTreeMap;

/// Number of failures after which a pair is given up: it is tried again twice.
pub const ATTEMPTS: u32 = 3;

/// Pairs of one cell that are handed out in a row, so that engines are not loaded for every pair.
pub(super) const BLOCK: u32 = 10;

/// The games to be played, as far as a store needs to know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentPlan {
    /// Name of the experiment.
    pub name: String,
    /// Hash of everything in the specification that games depend on.
    pub specification: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Version and hash of the program that plays, without the foreign engines of cells.
    pub build: String,
    /// The cells.
    pub cells: Vec<PlannedCell>,
    /// The plan of the file, which the store keeps with its date.
    pub registered: RegisteredPlan,
}

impl ExperimentPlan {
    /// Pairs of each cell.
    pub fn pairs(&self) -> Vec<u32> {
        self.cells.iter().map(|cell| cell.pairs).collect()
    }

    /// Names the foreign engines of every cell, in the order of the cells.
    pub fn with_engines(mut self, engines: Vec<String>) -> Self {
        for (cell, engines) in self.cells.iter_mut().zip(engines) {
            cell.engines = engines;
        }
        self
    }

    /// The build of a cell, of which its foreign engines are a part.
    pub(super) fn build_of(&self, cell: &PlannedCell) -> String {
        format!("{}{}", self.build, cell.engines)
    }
}

/// The part of a plan by which an experiment may be judged later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisteredPlan {
    /// Games in the largest cell.
    pub games: u64,
    /// The stopping rule in words; empty for none.
    pub stop: String,
    /// Text of the file.
    pub file: String,
}

/// The numbers of games that a plan asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedGames {
    /// Games in every other cell.
    pub usual: u64,
    /// Games in single cells, by their labels.
    pub in_cells: BTreeMap<String, u64>,
}

impl PlannedGames {
    /// The numbers of a file of an experiment; `most` in every cell where the text names none.
    pub fn of_file(text: &str, most: u64) -> Self {
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let games = |value: &toml::Value| value.as_integer().map(i64::unsigned_abs);
        let Some(usual) = table.get("games").and_then(games) else {
            return Self {
                usual: most,
                in_cells: BTreeMap::new(),
            };
        };
        let single = table.get("games_in").and_then(toml::Value::as_table);
        let in_cells = single.into_iter().flatten();
        Self {
            usual,
            in_cells: in_cells
                .filter_map(|(label, value)| Some((label.clone(), games(value)?)))
                .filter(|(_, games)| *games != usual)
                .collect(),
        }
    }

    /// A file with these numbers, so many cells with labels of this hash, and this base, and nothing else: what is left
    /// of a file that a sealed bundle does not hold.
    pub(super) fn file(
        &self,
        cells: Option<u64>,
        labels: Option<&str>,
        base: Option<&str>,
    ) -> String {
        let integer = |number: u64| toml::Value::Integer(number.try_into().unwrap_or(i64::MAX));
        let in_cells = self.in_cells.iter();
        let in_cells: toml::Table = in_cells
            .map(|(label, games)| (label.clone(), integer(*games)))
            .collect();
        let mut file = toml::Table::new();
        file.insert("games".to_owned(), integer(self.usual));
        if !in_cells.is_empty() {
            file.insert("games_in".to_owned(), in_cells.into());
        }
        describe_cells(&mut file, cells, labels);
        if let Some(base) = base {
            let report: toml::Table = [(BASE.to_owned(), base.into())].into_iter().collect();
            file.insert(REPORT.to_owned(), report.into());
        }
        file.to_string()
    }

    /// The numbers in words, such as `8 games in a cell, 12 in players=1 sigma=0`.
    pub fn in_words(&self) -> String {
        let single = self.in_cells.iter();
        let single = single.map(|(label, games)| format!(", {games} in {label}"));
        format!(
            "{} in a cell{}",
            counted(self.usual, "game"),
            single.collect::<String>()
        )
    }
}

/// Table and key of the base cell in a file of an experiment.
const REPORT: &str = "report";
const BASE: &str = "base";

/// Label of the cell with which a file of an experiment compares the others, and empty for none; `None` where the text
/// is not a whole file and does not tell.
pub fn base_of_file(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let report = table.get(REPORT).and_then(toml::Value::as_table);
    match report.and_then(|report| report.get(BASE)?.as_str()) {
        Some(label) => Some(label.to_owned()),
        None => table.contains_key("version").then(String::new),
    }
}

/// A cell as a store knows it. Games of another label or another hash are in another cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCell {
    /// Its parameters as text.
    pub label: String,
    /// Hash of everything that its games depend on, except the build.
    pub specification: String,
    /// Its pairs, at most as many as the file plans.
    pub pairs: u32,
    /// Its foreign engines, as ` + NAME (HASH)` each: other programs under the same names play other games.
    pub engines: String,
}

/// The purpose for which a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// To play: makes missing tables and rows, and refuses what was not accepted.
    Play(Accepted),
    /// To look: changes nothing.
    Look,
}

impl OpenMode {
    /// To play, without any word of acceptance.
    pub const PLAY: Self = Self::Play(Accepted {
        changes: false,
        build: false,
    });
}

/// Differences from earlier runs that the user has accepted in so many words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Cells with games of other settings begin anew. The old games stay in cells of their own.
    pub changes: bool,
    /// Games of another build count with those of this one.
    pub build: bool,
}

/// The right to play one pair for a limited time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Index of the cell in the plan.
    pub cell: usize,
    /// Number of the pair in its cell.
    pub pair: u32,
    /// Random text that identifies this lease among all of its pair.
    pub token: String,
    /// Earlier failures of this pair.
    pub failures: u32,
}

/// The game of a pair that a runner is playing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameUnderWay {
    /// 0 for the game in which the first side has Black, 1 for the other.
    pub game: u32,
    /// The game so far in the form of the USI command `position`; empty where none is known.
    pub position: String,
}

/// Two games of one opening.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPair {
    /// The game with the first side as Black, then the game with it as White.
    pub games: [PlayedGame; 2],
    /// Incidents that did not spoil the pair.
    pub incidents: Vec<Incident>,
}
