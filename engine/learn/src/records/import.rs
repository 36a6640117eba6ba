//! The run behind `monju learn records`: files of several formats become one file of records.

use super::{
    collection::RecordCollection,
    file::to_bytes,
    formats::{UnknownFormat, parse_games},
};
use crate::{
    files::{FileError, check_distinct, read, write_atomically},
    progress::ProgressObserver,
};
use std::path::PathBuf;

/// Import of game records.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordsRun {
    /// Files of games; their extensions name their formats.
    pub files: Vec<PathBuf>,
    /// The file to write.
    pub output: PathBuf,
}

/// Result of an import.
#[derive(Debug)]
pub struct RecordsSummary {
    /// Number of games written.
    pub games: usize,
    /// Number of their moves.
    pub moves: usize,
    /// The games, and counts of those that were rejected.
    pub collection: RecordCollection,
}

/// Error of an import.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file has an unknown extension.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// Every game was rejected.
    #[error("no game is left to write{0}")]
    Empty(RecordCollection),
}

impl RecordsRun {
    /// Reads all files and writes the distinct valid games.
    ///
    /// # Errors
    /// A file cannot be read or written, the output is one of the inputs, or no game is left.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<RecordsSummary, RecordsError> {
        let inputs = self.files.iter().map(PathBuf::as_path);
        check_distinct(inputs, std::slice::from_ref(&self.output))?;
        let mut collection = RecordCollection::default();
        let total = self.files.len() as u64;
        progress.begin(total, 0, "files");
        for (path, done) in self.files.iter().zip(1..) {
            let bytes = read(path)?;
            for game in parse_games(path, &bytes)? {
                collection.add(&path.display().to_string(), game);
            }
            progress.advance(done, &format!("{} games", collection.accepted().len()));
        }
        progress.finish(total, &format!("{} games", collection.accepted().len()));
        let games = collection.accepted();
        if games.is_empty() {
            return Err(RecordsError::Empty(collection));
        }
        write_atomically(&self.output, &to_bytes(games))?;
        Ok(RecordsSummary {
            games: games.len(),
            moves: games.iter().map(|game| game.moves().len()).sum(),
            collection,
        })
    }
}
