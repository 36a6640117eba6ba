//! A side of an experiment: who plays, how they decide, and how long they think.

use monju_coordinator::{roster, voting::Rule};
use monju_engine::eval::Sigma;
use monju_host::{GoForm, PlayerKind, PlayerSpec, PlayerTable, validate_players};
use monju_proto::v1::Limits;
use monju_team::config::{ConfigError, Source};
use serde::Deserialize;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Transposition table of a player that names none, in MiB. Tables are cleared before every game.
const HASH_MIB: u32 = 16;

/// A move may take so much longer than its time before it loses.
const MARGIN_MS: u64 = 300;

/// One side, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// What the file calls it.
    pub name: String,
    /// Who they are.
    pub members: Members,
    /// When each of them stops thinking about a move.
    pub limits: Limits,
    /// How much longer than its time a move may take.
    pub margin: Duration,
}

/// Who plays.
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    /// Players inside the runner.
    Here {
        /// Each with its own table size.
        players: Vec<PlayerSpec>,
        /// How their votes become a move.
        rule: Rule,
        /// Whose move is taken when no move has a majority.
        primary: Option<String>,
    },
    /// A running coordinator with players of its own.
    Elsewhere {
        /// Its URL.
        url: String,
        /// The rule to ask for; `None` for its own.
        rule: Option<Rule>,
        /// Folder of the team's certificates, for a URL with `https`.
        tls: Option<PathBuf>,
    },
}

impl Ensemble {
    /// Whether it is the same team: limits may differ from move to move.
    pub fn same_team(&self, other: &Self) -> bool {
        self.members == other.members
    }

    /// Its players, as far as they are known here.
    pub fn players(&self) -> &[PlayerSpec] {
        match &self.members {
            Members::Here { players, .. } => players,
            Members::Elsewhere { .. } => &[],
        }
    }

    /// Its foreign engines.
    pub fn foreign(&self) -> impl Iterator<Item = &PlayerSpec> {
        self.players()
            .iter()
            .filter(|player| matches!(player.kind, PlayerKind::Usi(_)))
    }

    /// Whether its moves could differ from one game of an opening to the next: noise is drawn anew
    /// for every game, and foreign engines and clusters have minds of their own.
    pub fn varies(&self) -> bool {
        match &self.members {
            Members::Here { players, .. } => players.iter().any(|player| match &player.kind {
                PlayerKind::Native(native) => {
                    let noisy = native.sigma != Sigma::Centipawns(0.0)
                        && native.sigma != Sigma::PawnExchanges(0.0);
                    noisy && native.seed.is_none() || native.threads > 1
                }
                PlayerKind::Usi(_) => true,
            }),
            Members::Elsewhere { .. } => true,
        }
    }
}

/// `[ensemble.NAME]` as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnsembleTable {
    rule: Option<String>,
    primary: Option<String>,
    coordinator: Option<String>,
    tls: Option<PathBuf>,
    hash_mib: Option<u32>,
    nodes: Option<u64>,
    depth: Option<u32>,
    time_ms: Option<u64>,
    margin_ms: Option<u64>,
    #[serde(default)]
    player: Vec<PlayerTable>,
}

impl EnsembleTable {
    pub fn validate(
        &self,
        name: &str,
        source: &Source,
        folder: &Path,
    ) -> Result<Ensemble, ConfigError> {
        let wrong = |key: &str, what: String| source.path_error(&["ensemble", name, key], what);
        for (key, zero) in [
            ("nodes", self.nodes == Some(0)),
            ("depth", self.depth == Some(0)),
            ("time_ms", self.time_ms == Some(0)),
            ("hash_mib", self.hash_mib == Some(0)),
        ] {
            if zero {
                return Err(wrong(key, format!("{key} must be at least 1")));
            }
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
        let members = match &self.coordinator {
            Some(url) => {
                roster::address(url).map_err(|error| wrong("coordinator", error.to_string()))?;
                if !self.player.is_empty() {
                    let what = "a coordinator has its own players; remove one of the two";
                    return Err(wrong("player", what.to_owned()));
                }
                Members::Elsewhere {
                    url: url.clone(),
                    rule,
                    tls: self.tls.as_ref().map(|tls| folder.join(tls)),
                }
            }
            None => self.here(name, rule.unwrap_or_default(), source, folder)?,
        };
        let ensemble = Ensemble {
            name: name.to_owned(),
            members,
            limits: Limits {
                nodes: self.nodes,
                depth: self.depth,
                time_ms: self.time_ms,
                ..Limits::default()
            },
            margin: Duration::from_millis(self.margin_ms.unwrap_or(MARGIN_MS)),
        };
        if !ensemble.is_limited() {
            let what = format!("'{name}' would think for ever; give it nodes, depth or time_ms");
            return Err(source.path_error(&["ensemble", name], what));
        }
        for player in ensemble.players() {
            if let Some(limit) = ensemble.inexpressible(player) {
                let is_its = |table: &PlayerTable| is_of(&player.name, &table.name);
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

    fn here(
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
        // A share of a common total would make a player depend on how many others there are.
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
        Ok(Members::Here {
            players,
            rule,
            primary: self.primary.clone(),
        })
    }
}

/// Whether a player comes from the table of this name: where that makes several, they have numbers.
pub(super) fn is_of(player: &str, table: &str) -> bool {
    let rest = player.strip_prefix(table);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

impl Ensemble {
    /// A limit that a foreign player cannot be told, where no time says when it stops.
    fn inexpressible(&self, player: &PlayerSpec) -> Option<&'static str> {
        let PlayerKind::Usi(spec) = &player.kind else {
            return None;
        };
        let (own, all) = (&player.limits, &self.limits);
        if own.time.is_some() || all.time_ms.is_some() {
            return None;
        }
        let has_nodes = own.nodes.or(all.nodes).is_some();
        let has_depth = own.depth.or(all.depth).is_some();
        [
            ("nodes", has_nodes, GoForm::Nodes),
            ("depth", has_depth, GoForm::Depth),
        ]
        .into_iter()
        .find(|(_, is_limit, form)| *is_limit && !spec.go.contains(form))
        .map(|(limit, ..)| limit)
    }

    /// Whether every player stops by itself.
    fn is_limited(&self) -> bool {
        let limits = &self.limits;
        if limits.nodes.is_some() || limits.depth.is_some() || limits.time_ms.is_some() {
            return true;
        }
        match &self.members {
            Members::Here { players, .. } => players.iter().all(|player| {
                let own = &player.limits;
                own.nodes.is_some() || own.depth.is_some() || own.time.is_some()
            }),
            Members::Elsewhere { .. } => false,
        }
    }
}
