//! The run behind `monju learn records`: files of several formats become one file of records.

use crate::{
    files::{FileError, check_outputs, read, write_atomically},
    progress::ProgressObserver,
    threads::in_threads,
};
use monju_engine::counted;
use monju_records::{ParsedGame, RecordCollection, UnknownFormat, parse_games, to_bytes};
use std::{path::PathBuf, thread};

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
    #[error("no valid game to write: {}", .0.to_string().trim_start().replace('\n', "; "))]
    Empty(RecordCollection),
}

impl RecordsRun {
    /// Reads all files and writes the distinct valid games.
    ///
    /// # Errors
    /// A file cannot be read or written, the output is one of the inputs, or no game is left.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<RecordsSummary, RecordsError> {
        let inputs = self.files.iter().map(PathBuf::as_path);
        check_outputs(inputs, std::slice::from_ref(&self.output))?;
        let mut collection = RecordCollection::default();
        let total = self.files.len() as u64;
        progress.begin(total, 0, "files");
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut done = 0;
        for paths in self.files.chunks(threads) {
            for (path, games) in paths.iter().zip(parse_files(paths)) {
                for game in games? {
                    collection.add(&path.display().to_string(), game);
                }
                done += 1;
            }
            progress.advance(done, &counted(collection.accepted().len(), "game"));
        }
        progress.finish(total, &counted(collection.accepted().len(), "game"));
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

/// Parses files at the same time, one in each thread.
fn parse_files(paths: &[PathBuf]) -> Vec<Result<Vec<ParsedGame>, RecordsError>> {
    let parse = |path: &PathBuf| Ok(parse_games(path, &read(path)?)?);
    in_threads(paths, parse)
}
