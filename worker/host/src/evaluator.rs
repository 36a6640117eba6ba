//! Evaluators with their weights, embedded or from a file.

use monju_engine::{
    EvaluatorChoice, Model,
    eval::{EvaluatorKind, UnknownEvaluator, WeightsError},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Largest file of weights that is read, in bytes; usual ones have up to 64 MB.
const MAX_WEIGHTS: u64 = 256 << 20;

/// Reason why an evaluator cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum EvaluatorError {
    /// No evaluator has this name.
    #[error(transparent)]
    Name(#[from] UnknownEvaluator),
    /// The file cannot be read.
    #[error("cannot read the weights in {path:?}: {source}; correct the path")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The path leads to a folder or a device.
    #[error("{0:?} is no file of weights")]
    NoFile(PathBuf),
    /// The file is too large to be one of weights.
    #[error("{path:?} has {bytes} bytes, too many for weights")]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The file does not hold such weights.
    #[error("{path:?}: {source}")]
    Weights {
        /// The file.
        path: PathBuf,
        /// Error of its content.
        source: WeightsError,
    },
    /// This build does not carry such weights.
    #[error(transparent)]
    Embedded(#[from] WeightsError),
}

/// Loads an evaluator. Clones of the result share its weights.
///
/// # Errors
/// The file cannot be read, or does not hold weights for this evaluator.
pub fn load_evaluator(choice: &EvaluatorChoice) -> Result<Model, EvaluatorError> {
    let model = match &choice.weights {
        None => Model::embedded(choice.kind)?,
        Some(path) => of_file(choice.kind, path)?,
    };
    Ok(match choice.fv_scale {
        Some(fv_scale) => model.scaled(fv_scale),
        None => model,
    })
}

/// Loads an evaluator with the weights of a file.
fn of_file(kind: EvaluatorKind, path: &Path) -> Result<Model, EvaluatorError> {
    let read = |source| EvaluatorError::Read {
        path: path.to_owned(),
        source,
    };
    let metadata = fs::metadata(path).map_err(read)?;
    // A pipe or a device might never end.
    if !metadata.is_file() {
        return Err(EvaluatorError::NoFile(path.to_owned()));
    }
    let bytes = metadata.len();
    if bytes > MAX_WEIGHTS {
        return Err(EvaluatorError::Size {
            path: path.to_owned(),
            bytes,
        });
    }
    let bytes = fs::read(path).map_err(read)?;
    Model::from_bytes(kind, &bytes).map_err(|source| EvaluatorError::Weights {
        path: path.to_owned(),
        source,
    })
}

/// Evaluators that have been loaded: players that use the same one share its weights.
#[derive(Debug, Default)]
pub struct WeightsCache(Vec<(EvaluatorChoice, Model)>);

impl WeightsCache {
    /// Returns an evaluator, loaded at its first use.
    ///
    /// # Errors
    /// As those of [`load_evaluator`].
    pub fn get(&mut self, choice: &EvaluatorChoice) -> Result<Model, EvaluatorError> {
        if let Some((_, model)) = self.0.iter().find(|(known, _)| known == choice) {
            return Ok(model.clone());
        }
        let model = load_evaluator(choice)?;
        self.0.push((choice.clone(), model.clone()));
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_one_line_that_names_the_file() {
        let complaint = |text: &str| {
            let choice = text.parse().expect("a known evaluator");
            load_evaluator(&choice).expect_err(text).to_string()
        };
        let missing = complaint("material:no/such/file");
        assert!(
            missing.contains("no/such/file") && missing.contains("cannot read"),
            "{missing}"
        );
        let own_manifest = concat!("material:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let useless = complaint(own_manifest);
        assert!(useless.contains("monju material v1"), "{useless}");
        let folder = complaint(concat!("nnue:", env!("CARGO_MANIFEST_DIR")));
        assert!(folder.contains("is no file"), "{folder}");
        let text = complaint(concat!("nnue:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert!(text.contains("Cargo.toml"), "{text}");
        for complaint in [missing, useless, folder, text] {
            assert!(!complaint.contains('\n'), "{complaint}");
        }
    }
}
