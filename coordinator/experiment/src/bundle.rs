//! Sealed bundles: a folder with everything that a report of an experiment needs, so that its tables can be
//! audited and written again without the store.
//!
//! | file | content |
//! | --- | --- |
//! | `specification.toml` | the file of the experiment, unchanged |
//! | `openings.sfen` | its openings |
//! | `bundle.json` | build, plans, and progress and incidents of every cell |
//! | `games.jsonl.gz` | one JSON object for every game, with its moves |
//! | `SHA256SUMS` | checksums of the others, as `sha256sum --check` reads them |

mod checksums;
mod consistency;
mod contradiction;
mod format;
mod import;
mod read;
mod seal;

#[cfg(test)]
mod tests;

pub use contradiction::{Contradiction, ContradictionKind};
pub use import::{Imported, import};
pub use read::Bundle;
pub use seal::{Sealed, seal};

use monju_team::config::ConfigError;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Names of the files of a bundle, as the table above has them.
const SPECIFICATION: &str = "specification.toml";
const OPENINGS: &str = "openings.sfen";
const MANIFEST: &str = "bundle.json";
const GAMES: &str = "games.jsonl.gz";
const CHECKSUMS: &str = "SHA256SUMS";

/// Error of sealing or reading a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The folder is there and not empty.
    #[error("{} is not empty; name a new folder", .0.display())]
    Occupied(PathBuf),
    /// The folder is no bundle.
    #[error(
        "{} is no sealed bundle: it has no {CHECKSUMS}; name a folder that 'monju experiment export' has made",
        .0.display()
    )]
    NoBundle(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {source}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file differs from the one that was sealed.
    #[error("{} does not match its line in SHA256SUMS: one of the two was changed; copy the bundle again from its source", .0.display())]
    Changed(PathBuf),
    /// A file does not have the form of a bundle's.
    #[error("{}: {what}; use the monju that sealed it, or a newer one", .file.display())]
    Form {
        /// The file.
        file: PathBuf,
        /// The fault.
        what: String,
    },
    /// The files contradict each other or the rules.
    #[error("{}", in_words(.folder, .contradictions))]
    Contradictory {
        /// The bundle.
        folder: PathBuf,
        /// All that was found.
        contradictions: Vec<Contradiction>,
    },
    /// The specification has something that this build does not know.
    #[error("{source}; read it with the monju that sealed it: {sealed_by}")]
    Specification {
        /// Version and commit of the program that sealed the bundle.
        sealed_by: String,
        /// The fault.
        source: ConfigError,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
}

/// Contradictions of which an error tells; a wrong rule makes one of every game.
const MOST_TOLD: usize = 20;

/// Contradictions, one behind the other.
fn in_words(folder: &Path, contradictions: &[Contradiction]) -> String {
    let told = contradictions.iter().take(MOST_TOLD);
    let mut lines: Vec<String> = told
        .map(|one| format!("{}: {one}", folder.display()))
        .collect();
    let left = contradictions.len().saturating_sub(MOST_TOLD);
    if left > 0 {
        lines.push(format!("{}: {left} more of the kind", folder.display()));
    }
    lines.join("; ")
}

impl BundleError {
    fn check(folder: &Path, contradictions: Vec<Contradiction>) -> Result<(), Self> {
        match contradictions.is_empty() {
            true => Ok(()),
            false => Err(Self::Contradictory {
                folder: folder.to_owned(),
                contradictions,
            }),
        }
    }

    fn file(file: &Path, source: io::Error) -> Self {
        Self::File {
            file: file.to_owned(),
            source,
        }
    }

    fn form(file: &Path, what: impl ToString) -> Self {
        Self::Form {
            file: file.to_owned(),
            what: what.to_string(),
        }
    }
}

/// Tells whether a path is meant as a bundle: a folder, and not the file of an experiment.
pub fn is_bundle(path: &Path) -> bool {
    path.is_dir()
}
