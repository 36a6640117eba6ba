//! A USI engine that the referee drives directly.

use monju_host::{PlayerTable, SpecKind, UsiOptions, UsiSpec};
use serde::Deserialize;
use std::{collections::BTreeMap, path::PathBuf};

/// A USI engine that the referee drives directly.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenEngine {
    /// Program with its arguments and options.
    pub spec: UsiSpec,
    /// Words of every `go` command, in place of those that the limits and the clock give.
    pub go: Option<String>,
    /// Whether it thinks on the opponent's time, too.
    pub ponder: bool,
}

/// `[ensemble.NAME.engine]` as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineTable {
    command: Vec<String>,
    directory: Option<PathBuf>,
    environment: Option<BTreeMap<String, String>>,
    options: Option<UsiOptions>,
    pub go: Option<String>,
    #[serde(default)]
    pub ponder: bool,
}

impl EngineTable {
    /// The engine as a player of this name, whose checks it shares.
    pub fn player(&self, name: &str) -> PlayerTable {
        PlayerTable {
            name: name.to_owned(),
            count: 1,
            kind: SpecKind::Usi,
            evaluator: None,
            weights: None,
            sigma: None,
            noise_model: None,
            seed: None,
            hash_mib: None,
            threads: None,
            lanes: None,
            search: None,
            command: Some(self.command.clone()),
            directory: self.directory.clone(),
            environment: self.environment.clone(),
            options: self.options.clone(),
            go: None,
            nodes: None,
            depth: None,
            time_ms: None,
            clock_share: None,
            weight: None,
        }
    }

    /// The words of `go`, without a leading `go`.
    pub fn go_words(&self) -> Option<String> {
        let words = self.go.as_deref()?.trim();
        Some(words.strip_prefix("go ").unwrap_or(words).to_owned())
    }
}
