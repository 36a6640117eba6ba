//! Files of weights that players name. They are read before the first game, and their content is part of
//! the hash, because other weights under the same name play other games.

use super::definition::Specification;
use crate::hash::short_hash;
use monju_engine::EvaluatorChoice;
use monju_host::{PlayerKind, PlayerSpec, load_evaluator};
use monju_team::config::ConfigError;
use std::{collections::BTreeMap, path::Path};

impl Specification {
    /// Adds the content of every file of weights to the hash.
    pub(super) fn with_weights(mut self) -> Result<Self, ConfigError> {
        let mut hashes = BTreeMap::<&Path, String>::new();
        for cell in &self.cells {
            for ensemble in [&cell.first, &cell.second] {
                for (player, choice) in ensemble.players().iter().filter_map(choice) {
                    let Some(path) = &choice.weights else {
                        continue;
                    };
                    if hashes.contains_key(&**path) {
                        continue;
                    }
                    let wrong = |what| self.player_error(&ensemble.name, &player.name, what);
                    let model = load_evaluator(choice).map_err(|error| wrong(error.to_string()))?;
                    hashes.insert(path, model.hash().to_string());
                }
            }
        }
        if !hashes.is_empty() {
            let parts = hashes.values().map(String::as_bytes);
            self.hash = short_hash([self.hash.as_bytes()].into_iter().chain(parts));
        }
        Ok(self)
    }
}

fn choice(player: &PlayerSpec) -> Option<(&PlayerSpec, &EvaluatorChoice)> {
    match &player.kind {
        PlayerKind::Native(native) => Some((player, &native.evaluator)),
        PlayerKind::Usi(_) => None,
    }
}
