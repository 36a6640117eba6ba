//! Files that players and ensembles name: weights, calibrations and opening books. They are read before the
//! first game, and their content is part of the hash, because others under the same name play other games.

use super::{definition::Specification, ensemble::SideEnsemble};
use crate::hash::short_hash;
use monju_coordinator::calibration::Calibration;
use monju_engine::{EvaluatorChoice, fnv1a};
use monju_host::{PlayerKind, PlayerSpec, load_book, load_evaluator};
use monju_team::config::ConfigError;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

impl Specification {
    /// Adds the content of every file of weights, every calibration and every book to the hash.
    pub(super) fn with_files(mut self) -> Result<Self, ConfigError> {
        let mut hashes = BTreeMap::<PathBuf, String>::new();
        for cell in &self.cells {
            for ensemble in [&cell.first, &cell.second] {
                if let Some(path) = ensemble.calibration()
                    && !hashes.contains_key(path)
                {
                    let wrong = |what| self.ensemble_error(&ensemble.name, "calibration", what);
                    Calibration::read(path).map_err(|error| wrong(error.to_string()))?;
                    let content = fs::read(path).map_err(|error| wrong(error.to_string()))?;
                    hashes.insert(path.to_owned(), short_hash([content.as_slice()]));
                }
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
                if let Some(path) = ensemble.book()
                    && !hashes.contains_key(path)
                {
                    let book = load_book(path).map_err(|error| {
                        self.ensemble_error(&ensemble.name, "book", error.to_string())
                    })?;
                    let hash = fnv1a(book.to_text("").as_bytes());
                    hashes.insert(path.to_owned(), format!("{hash:016x}"));
                }
            }
        }
        if hashes.is_empty() {
            return Ok(self);
        }
        let parts = hashes.values().map(String::as_bytes);
        self.hash = short_hash([self.hash.as_bytes()].into_iter().chain(parts));
        for cell in &mut self.cells {
            let files = [&cell.first, &cell.second].into_iter().flat_map(files);
            let own: Vec<&[u8]> = files
                .filter_map(|path| hashes.get(path))
                .map(String::as_bytes)
                .collect();
            if !own.is_empty() {
                cell.hash = short_hash([cell.hash.as_bytes()].into_iter().chain(own));
            }
        }
        Ok(self)
    }
}

/// Returns the files of a side: weights, then the calibration and the book.
fn files(side: &SideEnsemble) -> impl Iterator<Item = &Path> {
    let choices = side.players().iter().filter_map(choice);
    let weights = choices.filter_map(|(_, choice)| choice.weights.as_deref());
    weights.chain(side.calibration()).chain(side.book())
}

fn choice(player: &PlayerSpec) -> Option<(&PlayerSpec, &EvaluatorChoice)> {
    match &player.kind {
        PlayerKind::Native(native) => Some((player, &native.evaluator)),
        PlayerKind::Usi(_) => None,
    }
}
