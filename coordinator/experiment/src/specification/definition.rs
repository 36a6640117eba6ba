//! A checked experiment and its cells.

use super::{
    adjudication::Adjudication,
    ensemble::{SideEnsemble, belongs_to},
    report_table::ReportTable,
};
use crate::{
    hash::short_hash,
    openings::Openings,
    record::MatchSide,
    sampling,
    statistics::Sprt,
    store::{ExperimentPlan, PlannedCell, RegisteredPlan},
};
use monju_team::config::{ConfigError, Source};
use std::{collections::BTreeMap, path::PathBuf};

/// A checked experiment.
#[derive(Clone, Debug)]
pub struct Specification {
    /// File that it was read from.
    pub path: PathBuf,
    /// Name in the store.
    pub name: String,
    /// Title of reports.
    pub title: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Openings; empty for an experiment without games.
    pub openings: Openings,
    /// True when pairs of the same number have the same opening in all cells.
    pub common_openings: bool,
    /// Cells of the grid.
    pub cells: Vec<Cell>,
    /// Sequential test that ends a cell early.
    pub stop: Option<Sprt>,
    /// True when ballots are kept.
    pub ballots: bool,
    /// Tables and figures of the report.
    pub report: ReportTable,
    /// Hash of everything that games depend on.
    pub hash: String,
    /// Text of the file.
    pub text: String,
}

/// Error of a label that no cell has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no cell '{label}'; expected one of: {known}")]
pub struct UnknownCell {
    /// The label.
    pub label: String,
    /// The labels of all cells.
    pub known: String,
}

/// One point of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Parameters as text; the games of a cell depend on it and on the experiment's seed.
    pub label: String,
    /// Parameters with their values, in the order of the grid.
    pub parameters: Vec<(String, String)>,
    /// Side whose score is reported.
    pub first: SideEnsemble,
    /// Its opponent.
    pub second: SideEnsemble,
    /// Rules that end a game before mate or resignation.
    pub adjudication: Adjudication,
    /// Pairs of games, each of one opening with both colours.
    pub pairs: u32,
    /// Hash of everything that its games depend on, except the build.
    pub hash: String,
}

impl Cell {
    /// Value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// One of its sides.
    pub fn side(&self, side: MatchSide) -> &SideEnsemble {
        match side {
            MatchSide::First => &self.first,
            MatchSide::Second => &self.second,
        }
    }

    /// Returns whether the first side is its own opponent: the games of a pair are mirror images, so that it scores one
    /// half by construction.
    pub fn is_own_opponent(&self) -> bool {
        self.first.mirrors(&self.second)
    }

    /// Returns whether its games differ from those of another cell by their openings and seeds alone.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.first.is_alike(&other.first)
            && self.second.is_alike(&other.second)
            && self.adjudication == other.adjudication
    }

    /// Threads that think for a limited time while each side is to move, as far as this machine runs and knows them.
    pub fn timed_threads(&self) -> [usize; 2] {
        let sides = [&self.first, &self.second];
        let own = sides.map(SideEnsemble::timed_threads);
        let waiting = [1, 0].map(|other: usize| match sides[other].ponders() {
            true => own[other],
            false => 0,
        });
        [own[0] + waiting[0], own[1] + waiting[1]]
    }

    /// Returns whether a side belongs to a remote coordinator.
    pub fn has_remote_members(&self) -> bool {
        self.first.has_remote_members() || self.second.has_remote_members()
    }
}

impl Specification {
    /// Returns whether a side of any cell belongs to a remote coordinator.
    pub fn has_remote_members(&self) -> bool {
        self.cells.iter().any(Cell::has_remote_members)
    }

    /// The plan for the store; `build` names the program that plays.
    pub fn plan(&self, build: &str) -> ExperimentPlan {
        ExperimentPlan {
            name: self.name.clone(),
            specification: self.hash.clone(),
            seed: self.seed,
            build: build.to_owned(),
            cells: (self.cells.iter())
                .map(|cell| PlannedCell {
                    label: cell.label.clone(),
                    specification: cell.hash.clone(),
                    pairs: cell.pairs,
                    engines: String::new(),
                })
                .collect(),
            registered: RegisteredPlan {
                games: self.most_games(),
                stop: self.stop.map_or(String::new(), |sprt| sprt.in_words()),
                file: self.text.clone(),
            },
        }
    }

    /// Games in the largest cell.
    pub fn most_games(&self) -> u64 {
        let pairs = self.cells.iter().map(|cell| cell.pairs).max();
        2 * u64::from(pairs.unwrap_or(0))
    }

    /// Games in all cells together.
    pub fn all_games(&self) -> u64 {
        self.cells
            .iter()
            .map(|cell| 2 * u64::from(cell.pairs))
            .sum()
    }

    /// Plays no more than so many pairs in a cell.
    pub fn limit_pairs(&mut self, most: u32) {
        for cell in &mut self.cells {
            cell.pairs = cell.pairs.min(most);
        }
    }

    /// Plays a part of the openings alone; the hashes become those of another experiment. `name` tells this part from
    /// other ones.
    pub(crate) fn with_openings(mut self, part: Openings, name: &str) -> Self {
        if part.len() == self.openings.len() {
            return self;
        }
        self.openings = part;
        let cells = self.cells.iter_mut().map(|cell| &mut cell.hash);
        for hash in cells.chain([&mut self.hash]) {
            *hash = short_hash([hash.as_bytes(), name.as_bytes()]);
        }
        self
    }

    /// Checks that no game without noise is played twice, after [`Specification::with_openings`].
    ///
    /// # Errors
    /// There are more pairs than openings.
    pub(crate) fn with_enough_openings(self) -> Result<Self, ConfigError> {
        match too_few_openings(&self.cells, &self.openings) {
            Some(what) => Err(Source::new(&self.text, &self.path).error(&["games"], what)),
            None => Ok(self),
        }
    }

    /// An error about a player of an ensemble, with its line in the file.
    pub fn player_error(&self, ensemble: &str, player: &str, what: String) -> ConfigError {
        let source = Source::new(&self.text, &self.path);
        let table = toml::from_str::<toml::Table>(&self.text).ok();
        let index = table.and_then(|table| {
            let players = table.get("ensemble")?.get(ensemble)?.get("player")?;
            let named = |table: &toml::Value| {
                let name = table.get("name").and_then(toml::Value::as_str);
                name.is_some_and(|name| belongs_to(player, name))
            };
            players.as_array()?.iter().position(named)
        });
        let index = index.unwrap_or(0).to_string();
        source.path_error(&["ensemble", ensemble, "player", &index], what)
    }

    /// An error about a key of an ensemble, with its line in the file.
    pub fn ensemble_error(&self, ensemble: &str, key: &str, what: String) -> ConfigError {
        Source::new(&self.text, &self.path).path_error(&["ensemble", ensemble, key], what)
    }

    /// Index of the opening that a pair of a cell starts from.
    pub fn opening(&self, cell: &Cell, pair: u32) -> usize {
        sampling::opening(self.seed, self.drawn_by(cell), pair, self.openings.len())
    }

    /// Indices of all openings in the order of the pairs of a cell that start from them for the `round`-th time.
    pub(crate) fn opening_order(&self, cell: &Cell, round: usize) -> Vec<usize> {
        sampling::opening_order(self.seed, self.drawn_by(cell), round, self.openings.len())
    }

    /// The name by which the openings of a cell are drawn.
    fn drawn_by<'a>(&self, cell: &'a Cell) -> &'a str {
        match self.common_openings {
            true => "",
            false => &cell.label,
        }
    }

    /// An error about a key, with its line in the file.
    pub fn key_error(&self, path: &[&str], what: String) -> ConfigError {
        Source::new(&self.text, &self.path).path_error(path, what)
    }

    /// Values of a parameter, in the order of the grid.
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

    /// The parameters by which cells differ that have the same values of those `shown`. A parameter whose value follows
    /// from the others is none of them.
    pub fn varying_beside<'a>(&'a self, shown: &[&'a str]) -> Vec<&'a str> {
        let mut known = shown.to_vec();
        let mut varying = Vec::new();
        let parameters = self.cells.first().map(|cell| &cell.parameters);
        for (name, _) in parameters.into_iter().flatten() {
            let mut values = BTreeMap::<Vec<Option<&str>>, Option<&str>>::new();
            let follows = self.cells.iter().all(|cell| {
                let others = known.iter().map(|other| cell.parameter(other)).collect();
                let value = cell.parameter(name);
                *values.entry(others).or_insert(value) == value
            });
            if !follows {
                known.push(name);
                varying.push(name.as_str());
            }
        }
        varying
    }
}

/// Tells which cell without noise has more pairs than there are openings, if one has.
pub(super) fn too_few_openings(cells: &[Cell], openings: &Openings) -> Option<String> {
    let constant = cells
        .iter()
        .filter(|cell| !cell.first.varies() && !cell.second.varies())
        .max_by_key(|cell| cell.pairs)?;
    (constant.pairs as usize > openings.len()).then(|| {
        format!(
            "{} openings are not enough for {} pairs: without noise the games of '{}' would \
             repeat; reduce games, or add openings",
            openings.len(),
            constant.pairs,
            constant.label
        )
    })
}
