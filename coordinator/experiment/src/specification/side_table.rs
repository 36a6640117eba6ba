//! The table `[ensemble.NAME]`.

use super::{
    driven_engine::{DrivenEngine, EngineTable},
    ensemble::{CrashRule, Members, SideEnsemble, belongs_to},
};
use crate::clock::TimeControl;
use monju_coordinator::{clock::NodesTime, roster, voting::Rule};
use monju_engine::PlayerSettings;
use monju_host::{OptionValue, PlayerKind, PlayerTable, validate_players};
use monju_proto::v1::Limits;
use monju_team::config::{BookConfig, BookTable, ConfigError, Source};
use serde::Deserialize;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Default transposition table of a player, in MiB. Tables are cleared before every game.
const HASH_MIB: u32 = 16;

/// Default time beyond the limit or the clock after which a move loses, in milliseconds.
const MARGIN_MS: u64 = 300;

/// `[ensemble.NAME]` as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SideTable {
    rule: Option<String>,
    primary: Option<String>,
    calibration: Option<PathBuf>,
    coordinator: Option<String>,
    tls: Option<PathBuf>,
    hash_mib: Option<u32>,
    nodes: Option<u64>,
    depth: Option<u32>,
    time_ms: Option<u64>,
    main_time_ms: Option<u64>,
    byoyomi_ms: Option<u64>,
    increment_ms: Option<u64>,
    nodes_per_ms: Option<u32>,
    margin_ms: Option<u64>,
    #[serde(default)]
    crash: CrashRule,
    #[serde(default)]
    player: Vec<PlayerTable>,
    engine: Option<EngineTable>,
    book: Option<BookTable>,
}

impl SideTable {
    /// The ensemble that the table describes.
    ///
    /// # Errors
    /// A key is wrong.
    pub fn validate(
        &self,
        name: &str,
        source: &Source,
        folder: &Path,
    ) -> Result<SideEnsemble, ConfigError> {
        let wrong = |key: &str, what: String| source.path_error(&["ensemble", name, key], what);
        for (key, zero) in [
            ("nodes", self.nodes == Some(0)),
            ("depth", self.depth == Some(0)),
            ("time_ms", self.time_ms == Some(0)),
            ("nodes_per_ms", self.nodes_per_ms == Some(0)),
        ] {
            if zero {
                return Err(wrong(key, format!("{key} must be at least 1")));
            }
        }
        if let Some(hash_mib) = self.hash_mib {
            PlayerSettings::check_hash(hash_mib as usize)
                .map_err(|error| wrong("hash_mib", error.to_string()))?;
        }
        let rule = match &self.rule {
            Some(rule) => Some(
                rule.parse::<Rule>()
                    .map_err(|error| wrong("rule", error.to_string()))?,
            ),
            None => None,
        };
        if self.tls.is_some() && self.coordinator.is_none() {
            let what = "certificates are for a coordinator elsewhere; name it, or remove tls";
            return Err(wrong("tls", what.to_owned()));
        }
        let nodes_time = self.nodes_time(wrong)?;
        let members = match (&self.engine, &self.coordinator) {
            (Some(engine), _) => self.driven_engine(engine, nodes_time, name, source, folder)?,
            (None, Some(url)) => {
                roster::address(url).map_err(|error| wrong("coordinator", error.to_string()))?;
                for (key, its, given) in [
                    ("player", "players", !self.player.is_empty()),
                    ("primary", "primary player", self.primary.is_some()),
                    ("calibration", "calibration", self.calibration.is_some()),
                    ("hash_mib", "tables", self.hash_mib.is_some()),
                    ("book", "book", self.book.is_some()),
                ] {
                    if given {
                        let what =
                            format!("a coordinator has its own {its}; remove one of the two");
                        return Err(wrong(key, what));
                    }
                }
                Members::Remote {
                    url: url.clone(),
                    rule,
                    tls: self.tls.as_ref().map(|tls| folder.join(tls)),
                }
            }
            (None, None) => self.players(name, rule.unwrap_or_default(), source, folder)?,
        };
        let ensemble = SideEnsemble {
            name: name.to_owned(),
            clock: self.clock(&members, wrong)?,
            nodes_time,
            members,
            limits: Limits {
                nodes: self.nodes,
                depth: self.depth,
                time_ms: self.time_ms,
                ..Limits::default()
            },
            margin: Duration::from_millis(self.margin_ms.unwrap_or(MARGIN_MS)),
            crash: self.crash,
        };
        if !ensemble.is_limited() {
            let what = match ensemble.members {
                Members::Engine(_) => format!(
                    "'{name}' would think for ever; give it main_time_ms, byoyomi_ms, nodes, depth or time_ms"
                ),
                _ => format!("'{name}' would think for ever; give it nodes, depth or time_ms"),
            };
            return Err(source.path_error(&["ensemble", name], what));
        }
        for player in ensemble.players() {
            if let Some(limit) = ensemble.inexpressible(player) {
                let is_its = |table: &PlayerTable| belongs_to(&player.name, &table.name);
                let index = self.player.iter().position(is_its).unwrap_or(0);
                let what = format!(
                    "player '{}' has a limit of {limit}, which its go does not list: it would think by the clock; \
                     add \"{limit}\" to go if the engine takes it ('monju doctor' finds out), or give it time_ms",
                    player.name
                );
                return Err(
                    source.path_error(&["ensemble", name, "player", &index.to_string()], what)
                );
            }
        }
        Ok(ensemble)
    }

    /// Embedded players.
    fn players(
        &self,
        name: &str,
        rule: Rule,
        source: &Source,
        folder: &Path,
    ) -> Result<Members, ConfigError> {
        let mut players = validate_players(&self.player, folder).map_err(|error| {
            let index = error.index.to_string();
            source.path_error(&["ensemble", name, "player", &index], error.to_string())
        })?;
        if players.is_empty() {
            let what = format!("'{name}' has no players; add [[ensemble.{name}.player]]");
            return Err(source.path_error(&["ensemble", name], what));
        }
        // A share of a common total would make a player depend on the number of the others.
        let hash_mib = self.hash_mib.unwrap_or(HASH_MIB);
        for player in &mut players {
            if let PlayerKind::Native(native) = &mut player.kind {
                native.hash_mib.get_or_insert(hash_mib);
            }
        }
        if let Some(primary) = &self.primary
            && players.iter().all(|player| player.name != *primary)
        {
            let names: Vec<&str> = players.iter().map(|player| &*player.name).collect();
            let what = format!(
                "primary '{primary}' is no player; expected one of: {}",
                names.join(", ")
            );
            return Err(source.path_error(&["ensemble", name, "primary"], what));
        }
        if rule.needs_primary() && self.primary.is_none() {
            let what = format!("rule '{rule}' needs a primary player; name one by primary = \"…\"");
            return Err(source.path_error(&["ensemble", name, "rule"], what));
        }
        Ok(Members::Embedded {
            players,
            rule,
            primary: self.primary.clone(),
            calibration: self.calibration.as_ref().map(|path| folder.join(path)),
            book: self.book(name, source, folder)?,
        })
    }

    /// The opening book of embedded players.
    fn book(&self, name: &str, source: &Source, folder: &Path) -> Result<BookConfig, ConfigError> {
        let Some(table) = &self.book else {
            return Ok(BookConfig::default());
        };
        let keys = |key| ["ensemble", name, "book", key];
        let book = table
            .validate(folder)
            .map_err(|error| source.path_error(&keys("plies"), error))?;
        match book.file {
            Some(_) => Ok(book),
            None => Err(source.path_error(&keys("file"), "a book needs file = \"…\"")),
        }
    }

    /// A USI engine that the referee drives.
    fn driven_engine(
        &self,
        engine: &EngineTable,
        nodes_time: Option<NodesTime>,
        name: &str,
        source: &Source,
        folder: &Path,
    ) -> Result<Members, ConfigError> {
        let wrong = |key: &str, what: String| source.path_error(&["ensemble", name, key], what);
        for (key, given) in [
            ("player", !self.player.is_empty()),
            ("coordinator", self.coordinator.is_some()),
            ("rule", self.rule.is_some()),
            ("primary", self.primary.is_some()),
            ("calibration", self.calibration.is_some()),
            ("hash_mib", self.hash_mib.is_some()),
            ("book", self.book.is_some()),
        ] {
            if given {
                let what = format!("{key} does not go with an engine; remove one of the two");
                return Err(wrong(key, what));
            }
        }
        let in_engine =
            |key: &str, what: String| source.path_error(&["ensemble", name, "engine", key], what);
        let go = engine.go_words();
        if let Some(go) = &go {
            if go.is_empty() || go.contains(char::is_control) {
                let what = "go must be one line, such as \"nodes 10000\"".to_owned();
                return Err(in_engine("go", what));
            }
            if self.nodes.is_some() || self.depth.is_some() || self.time_ms.is_some() {
                let what = "go replaces nodes, depth and time_ms; remove one of the two".to_owned();
                return Err(in_engine("go", what));
            }
        }
        let has_clock = self.main_time_ms.or(self.byoyomi_ms).is_some();
        if engine.ponder && !has_clock {
            let what =
                "ponder is for games on a clock; give main_time_ms or byoyomi_ms, or remove ponder"
                    .to_owned();
            return Err(in_engine("ponder", what));
        }
        let limits = [
            ("go", go.is_some()),
            ("nodes", self.nodes.is_some()),
            ("depth", self.depth.is_some()),
            ("time_ms", self.time_ms.is_some()),
            ("nodes_per_ms", nodes_time.is_some()),
        ];
        if let Some((key, _)) = limits
            .into_iter()
            .find(|(_, given)| engine.ponder && *given)
        {
            let what = format!(
                "ponder is for a clock of time alone, without {key}; remove one of the two"
            );
            return Err(in_engine("ponder", what));
        }
        let players = validate_players(&[engine.player(name)], folder)
            .map_err(|error| wrong("engine", error.to_string()))?;
        let spec = players.into_iter().find_map(|player| match player.kind {
            PlayerKind::Usi(spec) => Some(spec),
            PlayerKind::Native(_) => None,
        });
        let Some(mut spec) = spec else {
            return Err(wrong("engine", "no USI engine".to_owned()));
        };
        let nodes_time = nodes_time.map(|it| OptionValue::Number(it.nodes_per_ms().into()));
        let ponder = engine.ponder.then_some(OptionValue::Switch(true));
        for (option, value) in [(NodesTime::OPTION, nodes_time), ("USI_Ponder", ponder)] {
            if let Some(value) = value {
                spec.options.set_unless_named(option, value);
            }
        }
        Ok(Members::Engine(Box::new(DrivenEngine {
            spec,
            go,
            ponder: engine.ponder,
        })))
    }

    /// The nodes that count as a millisecond of the clock, if it does not count time.
    fn nodes_time(
        &self,
        wrong: impl Fn(&str, String) -> ConfigError,
    ) -> Result<Option<NodesTime>, ConfigError> {
        const KEY: &str = "nodes_per_ms";
        let Some(nodes_per_ms) = self.nodes_per_ms else {
            return Ok(None);
        };
        let has_clock = self.main_time_ms.or(self.byoyomi_ms).is_some();
        if self.engine.is_none() || !has_clock {
            let what = format!(
                "{KEY} is for the clock of an engine; give it main_time_ms, or remove {KEY}"
            );
            return Err(wrong(KEY, what));
        }
        if nodes_per_ms > NodesTime::MOST {
            let what = format!("{KEY} must be at most {}", NodesTime::MOST);
            return Err(wrong(KEY, what));
        }
        Ok(NodesTime::new(nodes_per_ms))
    }

    /// The clock, if any of its keys is given.
    fn clock(
        &self,
        members: &Members,
        wrong: impl Fn(&str, String) -> ConfigError,
    ) -> Result<Option<TimeControl>, ConfigError> {
        let keys = [
            ("main_time_ms", self.main_time_ms),
            ("byoyomi_ms", self.byoyomi_ms),
            ("increment_ms", self.increment_ms),
        ];
        let Some((key, _)) = keys.into_iter().find(|(_, value)| value.is_some()) else {
            return Ok(None);
        };
        if !matches!(members, Members::Engine(_)) {
            let what = format!(
                "{key} needs an engine, [ensemble.….engine]; players are limited by nodes, depth or time_ms"
            );
            return Err(wrong(key, what));
        }
        let [main, byoyomi, increment] =
            keys.map(|(_, value)| Duration::from_millis(value.unwrap_or(0)));
        if !byoyomi.is_zero() && !increment.is_zero() {
            let what = "USI has either byoyomi or an increment; remove one of the two".to_owned();
            return Err(wrong("increment_ms", what));
        }
        if (main + byoyomi).is_zero() {
            let what = "a clock needs main_time_ms or byoyomi_ms".to_owned();
            return Err(wrong(key, what));
        }
        Ok(Some(TimeControl {
            main,
            byoyomi,
            increment,
        }))
    }
}
