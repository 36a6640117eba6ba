//! The games that a book is counted from: records of any format, and files of self-play.

use super::{counts::Counts, error::BookRunError, source::BookSource};
use crate::{
    dataset::marks_games,
    example::TrainingExample,
    files::{check_not_copied, read},
};
use monju_engine::{book::BookEntryError, fnv1a};
use monju_records::{GameRecord, RecordCollection, RecordedResult, parse_games};
use std::path::{Path, PathBuf};

/// Extension of files of self-play.
const SELF_PLAY: &str = "psv";

/// Counts the games of files.
#[derive(Debug, Default)]
pub(super) struct GameCounter {
    pub counts: Counts,
    /// Counts of rejected games.
    pub records: RecordCollection,
    /// Number of games left out for lack of a winner.
    pub without_winner: u64,
    /// Files of self-play.
    self_play: Vec<PathBuf>,
    /// Number of positions of each, and the FNV-1a hash of their bytes.
    contents: Vec<(usize, u64)>,
}

/// Returns whether a file is one of self-play by its name.
pub(super) fn is_self_play(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(SELF_PLAY))
}

impl GameCounter {
    /// Reads the games of a file. Those of self-play are counted, up to `plies` moves of each.
    ///
    /// # Errors
    /// The file cannot be read, its format is unknown, or one of self-play is damaged, has no whole games, or is a
    /// copy of another one.
    pub fn add_file(
        &mut self,
        path: &Path,
        source: BookSource,
        plies: u32,
    ) -> Result<(), BookRunError> {
        if is_self_play(path) {
            return self.add_self_play(path, source, plies);
        }
        for game in parse_games(path, &read(path)?)? {
            self.records.add(&path.display().to_string(), game);
        }
        Ok(())
    }

    /// Counts the first `plies` moves of all records, once every file is read: of a game that two files have, one may
    /// have the result alone.
    pub fn count_records(&mut self, source: BookSource, plies: u32) {
        for record in self.records.accepted() {
            let has_winner = matches!(record.result(), RecordedResult::Won(_));
            if source == BookSource::WonByMover && !has_winner {
                self.without_winner += 1;
                continue;
            }
            add_record(&mut self.counts, record, plies);
        }
    }

    /// Counts a file of `monju learn selfplay`, whose examples are the positions of whole games.
    fn add_self_play(
        &mut self,
        path: &Path,
        source: BookSource,
        plies: u32,
    ) -> Result<(), BookRunError> {
        let bytes = read(path)?;
        let (examples, _) = bytes.as_chunks::<{ TrainingExample::SIZE }>();
        self.self_play.push(path.to_owned());
        let hash = fnv1a(examples.as_flattened());
        self.contents.push((examples.len(), hash));
        check_not_copied(&self.self_play, &self.contents)?;
        if !examples.is_empty() && !marks_games(examples) {
            return Err(BookRunError::NoGames(path.to_owned()));
        }
        let mut is_first = true;
        for (index, bytes) in examples.iter().enumerate() {
            let damaged = |source| BookRunError::Example {
                path: path.to_owned(),
                position: index + 1,
                source,
            };
            let example = TrainingExample::from_bytes(bytes).map_err(damaged)?;
            // A game without a winner has none at any of its positions.
            let is_counted = source == BookSource::Played || example.result != 0;
            if is_first {
                match is_counted {
                    true => self.counts.begin_game(),
                    false => self.without_winner += 1,
                }
            }
            is_first = example.is_last;
            let ply = u32::from(example.ply);
            if !is_counted || ply > plies {
                continue;
            }
            let position = example.position().map_err(damaged)?;
            if !position.is_legal(example.best_move) {
                return Err(BookRunError::Entry {
                    path: path.to_owned(),
                    source: BookEntryError::Illegal(example.best_move),
                });
            }
            (self.counts).add(&position, ply, example.best_move, example.result > 0);
        }
        Ok(())
    }
}

fn add_record(counts: &mut Counts, record: &GameRecord, plies: u32) {
    counts.begin_game();
    let mut position = record.start();
    for &mv in record.moves().iter().take(plies as usize) {
        let is_won = record.result() == RecordedResult::Won(position.side_to_move());
        counts.add(&position, position.ply(), mv, is_won);
        position.make(mv);
    }
}
