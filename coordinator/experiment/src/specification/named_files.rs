//! Files that players and ensembles name: weights, calibrations and opening books. They are read before the
//! first game, and their content is part of the hash, because others under the same name play other games.

use super::{definition::Specification, ensemble::SideEnsemble};
use crate::hash::short_hash;
use monju_coordinator::calibration::Calibration;
use monju_engine::{EvaluatorChoice, eval::FV_SCALE, fnv1a};
use monju_host::{PlayerKind, PlayerSpec, load_book, load_evaluator};
use monju_team::config::ConfigError;
use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroU8,
    path::{Path, PathBuf},
};

/// A file and how it is read: one file of weights can serve several evaluators, or one of several scales.
type FileUse = (PathBuf, String);

impl Specification {
    /// Adds the content of every file of weights, every calibration and every book to the hash.
    pub(super) fn with_files(mut self) -> Result<Self, ConfigError> {
        let mut hashes = BTreeMap::<FileUse, String>::new();
        for cell in &self.cells {
            for ensemble in [&cell.first, &cell.second] {
                if let Some(path) = ensemble.calibration()
                    && let of_file = file_use(path, "calibration")
                    && !hashes.contains_key(&of_file)
                {
                    let wrong = |what| self.ensemble_error(&ensemble.name, "calibration", what);
                    Calibration::read(path).map_err(|error| wrong(error.to_string()))?;
                    let content = fs::read(path).map_err(|error| wrong(error.to_string()))?;
                    hashes.insert(of_file, short_hash([content.as_slice()]));
                }
                for (player, choice) in ensemble.players().iter().filter_map(choice) {
                    let Some(of_file) = weights_use(choice) else {
                        continue;
                    };
                    if hashes.contains_key(&of_file) {
                        continue;
                    }
                    let wrong = |what| self.player_error(&ensemble.name, &player.name, what);
                    let model = load_evaluator(choice).map_err(|error| wrong(error.to_string()))?;
                    hashes.insert(of_file, model.hash().to_string());
                }
                if let Some(path) = ensemble.book()
                    && let of_file = file_use(path, "book")
                    && !hashes.contains_key(&of_file)
                {
                    let book = load_book(path).map_err(|error| {
                        self.ensemble_error(&ensemble.name, "book", error.to_string())
                    })?;
                    let hash = fnv1a(book.to_text("").as_bytes());
                    hashes.insert(of_file, format!("{hash:016x}"));
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
                .filter_map(|of_file| hashes.get(&of_file))
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
fn files(side: &SideEnsemble) -> impl Iterator<Item = FileUse> {
    let choices = side.players().iter().filter_map(choice);
    let weights = choices.filter_map(|(_, choice)| weights_use(choice));
    let calibration = side.calibration();
    let calibration = calibration.map(|path| file_use(path, "calibration"));
    let book = side.book().map(|path| file_use(path, "book"));
    weights.chain(calibration).chain(book)
}

fn weights_use(choice: &EvaluatorChoice) -> Option<FileUse> {
    let path = choice.weights.as_deref()?;
    let scale = choice.fv_scale.map_or(FV_SCALE, NonZeroU8::get);
    Some(file_use(path, &format!("{}@{scale}", choice.kind)))
}

fn file_use(path: &Path, how: &str) -> FileUse {
    (path.to_owned(), how.to_owned())
}

fn choice(player: &PlayerSpec) -> Option<(&PlayerSpec, &EvaluatorChoice)> {
    match &player.kind {
        PlayerKind::Native(native) => Some((player, &native.evaluator)),
        PlayerKind::Usi(_) => None,
    }
}
