//! Files of weights that players name. They are read before the first game, and their content is part of
//! the hash, because other weights under the same name play other games.

use super::definition::Specification;
use crate::hash::short_hash;
use monju_engine::EvaluatorChoice;
use monju_host::{PlayerKind, PlayerSpec, load_evaluator};
use monju_team::config::ConfigError;
use std::{collections::BTreeMap, path::PathBuf};

impl Specification {
    /// Adds the content of every file of weights to the hash.
    pub(super) fn with_weights(mut self) -> Result<Self, ConfigError> {
        let mut hashes = BTreeMap::<PathBuf, String>::new();
        for cell in &self.cells {
            for ensemble in [&cell.first, &cell.second] {
                for (player, choice) in ensemble.players().iter().filter_map(choice) {
                    let Some(path) = &choice.weights else {
                        continue;
                    };
                    if hashes.contains_key(path) {
                        continue;
                    }
                    let wrong = |what| self.player_error(&ensemble.name, &player.name, what);
                    let model = load_evaluator(choice).map_err(|error| wrong(error.to_string()))?;
                    hashes.insert(path.clone(), model.hash().to_string());
                }
            }
        }
        if hashes.is_empty() {
            return Ok(self);
        }
        let parts = hashes.values().map(String::as_bytes);
        self.hash = short_hash([self.hash.as_bytes()].into_iter().chain(parts));
        for cell in &mut self.cells {
            let players = [&cell.first, &cell.second].map(|side| side.players().iter());
            let own: Vec<&[u8]> = (players.into_iter().flatten().filter_map(choice))
                .filter_map(|(_, choice)| hashes.get(choice.weights.as_deref()?))
                .map(String::as_bytes)
                .collect();
            if !own.is_empty() {
                cell.hash = short_hash([cell.hash.as_bytes()].into_iter().chain(own));
            }
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
