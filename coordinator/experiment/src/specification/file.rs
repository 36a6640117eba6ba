//! The file as written, with the values of one point of its grid.

use super::{
    adjudication::AdjudicationTable,
    base::Base,
    definition::{Cell, Specification, too_few_openings},
    ensemble::SideEnsemble,
    report_table::ReportTable,
    side_table::SideTable,
};
use crate::{
    hash::short_hash,
    openings::{Openings, OpeningsError},
    statistics::{EloModel, MINIMUM_PAIRS, Sprt},
};
use monju_proto::text::is_plain;
use monju_team::config::{ConfigError, Source};
use serde::Deserialize;
use std::{collections::BTreeMap, path::Path};

/// Largest number of games of a cell.
const MOST_GAMES: u32 = 2 * MOST_PAIRS;

/// Largest number of pairs of a cell.
pub(crate) const MOST_PAIRS: u32 = 10_000_000;

/// Keys that do not change a game.
const UNPLAYED: [&str; 7] = [
    "title", "games", "games_in", "stop", "report", "ballots", "openings",
];

/// Keys that may depend on the grid, and the grid itself.
const OF_A_CELL: [&str; 6] = [
    "first",
    "second",
    "ensemble",
    "adjudication",
    "grid",
    "condition",
];

/// The part of the text that must be the same for all cells.
pub(super) fn common(text: &str) -> toml::Table {
    let mut table: toml::Table = toml::from_str(text).unwrap_or_default();
    table.retain(|key, _| !OF_A_CELL.contains(&key));
    table
}

/// The table with its keys, and those of the tables inside it, in alphabetical order.
fn sorted(table: toml::Table) -> toml::Table {
    fn inside(value: toml::Value) -> toml::Value {
        match value {
            toml::Value::Table(table) => sorted(table).into(),
            toml::Value::Array(values) => {
                toml::Value::Array(values.into_iter().map(inside).collect())
            }
            plain => plain,
        }
    }
    let keys: BTreeMap<String, toml::Value> = table.into_iter().collect();
    keys.into_iter()
        .map(|(key, value)| (key, inside(value)))
        .collect()
}

/// The first key in which two tables differ; they have the same keys.
pub(super) fn difference<'a>(one: &'a toml::Table, other: &toml::Table) -> Option<&'a str> {
    let mut keys = one.iter();
    let found = keys.find(|(key, value)| other.get(*key) != Some(value));
    found.map(|(key, _)| key.as_str())
}

/// The whole file as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpecificationFile {
    pub version: u32,
    name: String,
    title: Option<String>,
    #[serde(default = "one")]
    seed: u64,
    games: Option<u32>,
    /// Games of single cells, by their labels.
    #[serde(default)]
    games_in: BTreeMap<String, u32>,
    openings: Option<String>,
    #[serde(default)]
    common_openings: bool,
    ballots: Option<bool>,
    first: Option<String>,
    second: Option<String>,
    #[serde(default)]
    ensemble: BTreeMap<String, SideTable>,
    #[serde(default, rename = "grid")]
    _grid: toml::Table,
    #[serde(default, rename = "condition")]
    _condition: Vec<toml::Table>,
    #[serde(default)]
    pub adjudication: AdjudicationTable,
    stop: Option<StopTable>,
    #[serde(default)]
    report: ReportTable,
}

fn one() -> u64 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StopTable {
    #[serde(default)]
    model: EloModel,
    elo0: f64,
    elo1: f64,
    #[serde(default = "five_percent")]
    alpha: f64,
    #[serde(default = "five_percent")]
    beta: f64,
    #[serde(default = "minimum_pairs")]
    minimum_pairs: u32,
}

fn minimum_pairs() -> u32 {
    MINIMUM_PAIRS
}

fn five_percent() -> f64 {
    0.05
}

impl SpecificationFile {
    /// The two sides of this point; `None` for an experiment without games.
    pub fn sides(
        &self,
        source: &Source,
        folder: &Path,
    ) -> Result<Option<(SideEnsemble, SideEnsemble)>, ConfigError> {
        if self.ensemble.is_empty() && !self.report.condorcet.is_empty() {
            return Ok(None);
        }
        let side = |key: &str, name: &Option<String>| {
            let names: Vec<&str> = self.ensemble.keys().map(String::as_str).collect();
            let expected = format!("expected one of: {}", names.join(", "));
            let Some(name) = name else {
                let what = format!("missing key `{key}`, the name of an ensemble; {expected}");
                return Err(source.error(&[key], what));
            };
            let Some(table) = self.ensemble.get(name) else {
                let what = format!("{key} names no ensemble: '{name}'; {expected}");
                return Err(source.error(&[key], what));
            };
            table.validate(name, source, folder)
        };
        let sides = (side("first", &self.first)?, side("second", &self.second)?);
        // Check the ensembles that this cell does not use, too.
        for (name, table) in &self.ensemble {
            table.validate(name, source, folder)?;
        }
        Ok(Some(sides))
    }

    /// The part of the text that games depend on, in a form that does not depend on the order of keys.
    pub fn played(&self, text: &str) -> String {
        let mut table: toml::Table = toml::from_str(text).unwrap_or_default();
        for key in UNPLAYED.into_iter().chain(["grid", "condition"]) {
            table.remove(key);
        }
        sorted(table).to_string()
    }

    /// The part of the text that the games of this cell depend on: its sides under whatever names, the
    /// adjudication, and the seed. Other ensembles may come and go.
    pub fn settings(&self, text: &str) -> String {
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let mut settings = toml::Table::new();
        settings.insert("seed".to_owned(), self.seed.to_string().into());
        if self.common_openings {
            settings.insert("common_openings".to_owned(), true.into());
        }
        let ensembles = table.get("ensemble");
        for (side, name) in [("first", &self.first), ("second", &self.second)] {
            let ensemble = name.as_ref().and_then(|name| ensembles?.get(name));
            if let Some(ensemble) = ensemble {
                settings.insert(side.to_owned(), ensemble.clone());
            }
        }
        if let Some(adjudication) = table.get("adjudication") {
            settings.insert("adjudication".to_owned(), adjudication.clone());
        }
        sorted(settings).to_string()
    }

    /// The whole experiment, from its cells with their settings. Its openings are in the file that it names
    /// in `folder`, unless another one is given.
    pub fn finish(
        self,
        source: &Source,
        (folder, openings): (&Path, Option<&Path>),
        (mut cells, settings): (Vec<Cell>, &[String]),
        played: &[String],
    ) -> Result<Specification, ConfigError> {
        self.check_name(source)?;
        let stop = match &self.stop {
            Some(stop) => Some(stop.validate(source)?),
            None => None,
        };
        self.check_report(source, &cells)?;
        let is_plain_text = |title: &String| title.chars().all(is_plain);
        if !self.title.iter().all(is_plain_text) {
            let what = "title must be plain text on one line".to_owned();
            return Err(source.error(&["title"], what));
        }
        let openings = match cells.is_empty() {
            true => Openings::default(),
            false => {
                self.share_pairs(source, &mut cells)?;
                self.openings(source, folder, openings)?
            }
        };
        if let Some(what) = too_few_openings(&cells, &openings) {
            return Err(source.error(&["games"], what));
        }
        let opening_lines = openings.lines().join("\n");
        let parts = played.iter().map(String::as_bytes);
        let hash = short_hash(parts.chain([opening_lines.as_bytes()]));
        for (cell, settings) in cells.iter_mut().zip(settings) {
            let parts = [&cell.label, settings, &opening_lines];
            cell.hash = short_hash(parts.map(String::as_bytes));
        }
        Ok(Specification {
            path: source.path().to_owned(),
            title: self.title.unwrap_or_else(|| self.name.clone()),
            name: self.name,
            seed: self.seed,
            openings,
            common_openings: self.common_openings,
            cells,
            stop,
            ballots: self.ballots.unwrap_or(true),
            report: self.report,
            hash,
            text: String::new(),
        })
    }

    fn check_name(&self, source: &Source) -> Result<(), ConfigError> {
        let plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        if !self.name.is_empty() && self.name.chars().all(plain) {
            return Ok(());
        }
        let what = format!("name '{}' must be letters, digits and -_. only", self.name);
        Err(source.error(&["name"], what))
    }

    /// Gives every cell its number of pairs.
    fn share_pairs(&self, source: &Source, cells: &mut [Cell]) -> Result<(), ConfigError> {
        let Some(games) = self.games else {
            let what = "missing key `games`, the number of games in every cell".to_owned();
            return Err(source.error(&["games"], what));
        };
        let pairs = |key: &[&str], games: u32| {
            if games == 0 || !games.is_multiple_of(2) || games > MOST_GAMES {
                let what = format!(
                    "games must be an even number from 2 to {MOST_GAMES}, not {games}: every opening is played with \
                     both colours"
                );
                return Err(source.path_error(key, what));
            }
            Ok(games / 2)
        };
        let usual = pairs(&["games"], games)?;
        for (label, games) in &self.games_in {
            if cells.iter().all(|cell| cell.label != *label) {
                let labels: Vec<&str> = cells.iter().map(|cell| &*cell.label).collect();
                let what = format!(
                    "games_in names no cell: '{label}'; expected one of: {}",
                    labels.join(", ")
                );
                return Err(source.path_error(&["games_in", label], what));
            }
            pairs(&["games_in", label], *games)?;
        }
        for cell in cells {
            let own = self.games_in.get(&cell.label);
            cell.pairs = own.map_or(usual, |games| games / 2);
        }
        Ok(())
    }

    fn openings(
        &self,
        source: &Source,
        folder: &Path,
        other: Option<&Path>,
    ) -> Result<Openings, ConfigError> {
        let Some(name) = &self.openings else {
            let what = "missing key `openings`, a file of `startpos moves …` lines".to_owned();
            return Err(source.error(&["openings"], what));
        };
        let file = folder.join(name);
        Openings::read(other.unwrap_or(&file)).map_err(|error| {
            let start = match error {
                OpeningsError::Unreadable { .. } => ", which starts from the folder of this file",
                _ => "",
            };
            source.error(&["openings"], format!("{error}{start}"))
        })
    }

    fn check_report(&self, source: &Source, cells: &[Cell]) -> Result<(), ConfigError> {
        let report = &self.report;
        let parameters: Vec<&str> = match cells.first() {
            Some(cell) => cell.parameters.iter().map(|(name, _)| &**name).collect(),
            None => Vec::new(),
        };
        let plot = report.plot.as_ref();
        for (key, name) in [
            ("rows", report.rows.as_deref()),
            ("columns", report.columns.as_deref()),
            ("plot", plot.map(|axes| &*axes.x)),
            ("plot", plot.and_then(|axes| axes.line.as_deref())),
        ] {
            if let Some(name) = name
                && !parameters.contains(&name)
            {
                let what = format!(
                    "{key} names no parameter: '{name}'; expected one of: {}",
                    parameters.join(", ")
                );
                return Err(source.path_error(&["report", key], what));
            }
        }
        if let (None, Some(columns)) = (&report.rows, &report.columns) {
            let what = format!(
                "columns needs rows; name the parameter that has a row for each value, or write rows = \"{columns}\""
            );
            return Err(source.path_error(&["report", "columns"], what));
        }
        if let Some(base) = &report.base
            && Base::of(base, cells).is_none()
        {
            let labels: Vec<&str> = cells.iter().map(|cell| &*cell.label).collect();
            let what = format!(
                "base names no cell: '{base}'; expected one of: {}",
                labels.join(", ")
            );
            return Err(source.path_error(&["report", "base"], what));
        }
        let published = report.published.iter().map(Vec::len).sum::<usize>();
        if published != 0 && published != cells.len() {
            let what = format!(
                "published has {published} numbers for {} cells; write \"—\" where there is none",
                cells.len()
            );
            return Err(source.path_error(&["report", "published"], what));
        }
        let moves = report.published_moves.len();
        if moves != 0 && moves != cells.len() {
            let what = format!(
                "published_moves has {moves} lists for {} cells",
                cells.len()
            );
            return Err(source.path_error(&["report", "published_moves"], what));
        }
        Ok(())
    }
}

impl StopTable {
    fn validate(&self, source: &Source) -> Result<Sprt, ConfigError> {
        let sprt = Sprt {
            model: self.model,
            elo0: self.elo0,
            elo1: self.elo1,
            alpha: self.alpha,
            beta: self.beta,
            minimum_pairs: self.minimum_pairs,
        };
        match sprt.check() {
            Ok(()) => Ok(sprt),
            Err(error) => Err(source.error(&["stop", error.number], error.to_string())),
        }
    }
}
