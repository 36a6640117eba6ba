//! What an experiment is: one TOML file, checked before the first game.
//!
//! `configs/experiments/template.toml` documents every key.

mod adjudication;
mod ensemble;
mod file;
mod parameters;
mod weights;

#[cfg(test)]
mod tests;

pub use adjudication::{Adjudication, DeclarationRule, RepetitionRule};
pub use ensemble::{Ensemble, Members};
pub use file::{Axes, ReportTable};

use super::{openings::Openings, statistics::Sprt, store::Plan};
use file::File;
use monju_team::config::{ConfigError, Source};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The version of the format that this build reads.
const VERSION: u32 = 1;

/// A checked experiment.
#[derive(Clone, Debug)]
pub struct Specification {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its name in the store.
    pub name: String,
    /// What reports call it.
    pub title: String,
    /// Everything random comes from here.
    pub seed: u64,
    /// Pairs of games in every cell.
    pub pairs: u32,
    /// What games start from; empty when there is nothing to play.
    pub openings: Openings,
    /// The grid, expanded.
    pub cells: Vec<Cell>,
    /// When a cell ends before all its pairs are played.
    pub stop: Option<Sprt>,
    /// Whether ballots are kept.
    pub ballots: bool,
    /// How it is reported.
    pub report: ReportTable,
    /// Hash of everything that games depend on.
    pub hash: String,
    /// The file as it was read.
    pub text: String,
}

/// One point of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its parameters as text; the games of a cell depend on it and on the experiment's seed.
    pub label: String,
    /// Its parameters, in the order of the grid.
    pub parameters: Vec<(String, String)>,
    /// The side whose score is reported.
    pub first: Ensemble,
    /// Its opponent.
    pub second: Ensemble,
    /// When a game ends before a side is mated or resigns.
    pub adjudication: Adjudication,
}

impl Cell {
    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the players of a side are a coordinator's elsewhere.
    pub fn has_members_elsewhere(&self) -> bool {
        let mut sides = [&self.first, &self.second].into_iter();
        sides.any(|side| matches!(side.members, Members::Elsewhere { .. }))
    }
}

impl Specification {
    /// Whether there are cells with such players.
    pub fn has_members_elsewhere(&self) -> bool {
        self.cells.iter().any(Cell::has_members_elsewhere)
    }

    /// Reads and checks a file.
    ///
    /// # Errors
    /// Something is wrong; the error says where, and what would mend it.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, error))?;
        Self::parse(&text, path)
    }

    /// Checks a text; `path` is what errors call it, and where its relative paths start from.
    ///
    /// # Errors
    /// As [`Specification::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let source = Source::new(text, path);
        let points = parameters::expand(text, &source)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut cells = Vec::with_capacity(points.len());
        let mut hashed = Vec::with_capacity(points.len());
        let mut first: Option<(File, toml::Table)> = None;
        for point in points {
            let text = point.substitute(text, &source)?;
            let source = Source::new(&text, path);
            let file: File = toml::from_str(&text).map_err(|error| source.syntax(&error))?;
            if file.version != VERSION {
                let what = format!(
                    "version {} is not known; use version = {VERSION}",
                    file.version
                );
                return Err(source.error(&["version"], what));
            }
            let common = file::common(&text);
            if let Some((_, expected)) = &first
                && let Some(key) = file::difference(expected, &common)
            {
                let what = format!(
                    "{key} is the same for all cells; only ensembles, first, second and \
                     adjudication may depend on the grid"
                );
                return Err(source.error(&[key], what));
            }
            if let Some((first, second)) = file.sides(&source, folder)? {
                cells.push(Cell {
                    label: point.label(),
                    parameters: point.parameters,
                    first,
                    second,
                    adjudication: file.adjudication.validate(&source)?,
                });
            }
            hashed.push(file.played(&text));
            first.get_or_insert((file, common));
        }
        // The expansion of no grid at all is one point.
        let Some((file, _)) = first else {
            return Err(source.error(&["grid"], "the grid is empty; give it values".to_owned()));
        };
        let specification = file.finish(&source, folder, cells, &hashed)?;
        Self {
            text: text.to_owned(),
            ..specification
        }
        .with_weights()
    }

    /// What the store needs to know; `build` is what plays.
    pub fn plan(&self, build: &str) -> Plan {
        Plan {
            name: self.name.clone(),
            specification: self.hash.clone(),
            seed: self.seed,
            build: build.to_owned(),
            cells: self.cells.iter().map(|cell| cell.label.clone()).collect(),
            pairs: self.pairs,
        }
    }

    /// Says that a player of an ensemble is wrong, and where it stands in the file.
    pub fn player_error(&self, ensemble: &str, player: &str, what: String) -> ConfigError {
        let source = Source::new(&self.text, &self.path);
        let table = toml::from_str::<toml::Table>(&self.text).ok();
        let index = table.and_then(|table| {
            let players = table.get("ensemble")?.get(ensemble)?.get("player")?;
            let named = |table: &toml::Value| {
                let name = table.get("name").and_then(toml::Value::as_str);
                name.is_some_and(|name| ensemble::is_of(player, name))
            };
            players.as_array()?.iter().position(named)
        });
        let index = index.unwrap_or(0).to_string();
        source.path_error(&["ensemble", ensemble, "player", &index], what)
    }

    /// Says that a key of an ensemble is wrong, and where it stands in the file.
    pub fn ensemble_error(&self, ensemble: &str, key: &str, what: String) -> ConfigError {
        Source::new(&self.text, &self.path).path_error(&["ensemble", ensemble, key], what)
    }

    /// The values of a parameter, in the order of the grid.
    pub fn values(&self, parameter: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for cell in &self.cells {
            if let Some(value) = cell.parameter(parameter)
                && !values.contains(&value)
            {
                values.push(value);
            }
        }
        values
    }
}

/// The first 16 hexadecimal digits of a SHA-256.
pub(crate) fn short_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep ("ab", "c") and ("a", "bc") apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
