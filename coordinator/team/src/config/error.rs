//! The error of a configuration file.

use std::{error::Error, io, path::Path, sync::Arc};

/// Error of a configuration file: one line with the place and the remedy.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{place}: {source}")]
pub struct ConfigError {
    /// `file:line`, or the file alone.
    place: String,
    source: Arc<dyn Error + Send + Sync>,
}

impl ConfigError {
    /// The error at a place, which is `file:line` or the file alone.
    pub(super) fn new(place: String, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            place,
            source: source.into().into(),
        }
    }

    /// The file at `path` cannot be read.
    pub fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::new(path.display().to_string(), FileReadError(error))
    }
}

/// Error of reading a file, with the remedy. The system's error is no source of it: the text says the same already.
#[derive(Debug, thiserror::Error)]
#[error("{}", match .0.kind() {
    io::ErrorKind::NotFound => {
        "no such file; correct the path, or make one with 'monju init'".to_owned()
    }
    io::ErrorKind::InvalidData => "not a text in UTF-8; save it as such".to_owned(),
    _ => format!("cannot be read: {}", .0),
})]
struct FileReadError(io::Error);
