//! The run behind `monju book build`: a book from games (Tohske, section 1).

use super::{
    counts::Selection,
    error::BookRunError,
    file::{BookSize, write_book},
    games::{GameCounter, is_self_play},
    source::BookSource,
};
use crate::{
    files::{check_named_once, check_outputs},
    progress::ProgressObserver,
};
use monju_engine::counted;
use monju_records::RecordCollection;
use std::{path::PathBuf, slice};

/// Building of a book from games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRun {
    /// Files of games; their extensions name their formats.
    pub files: Vec<PathBuf>,
    /// The book to write.
    pub output: PathBuf,
    /// Number of moves from the start of each game that are looked at.
    pub plies: u32,
    /// The games and the weights.
    pub source: BookSource,
    /// Least number of games at a position that the side to move won.
    pub min_wins: u32,
    /// Least number of games at a position.
    pub min_games: u32,
}

/// Result of building a book.
#[derive(Debug)]
pub struct BuildSummary {
    /// Number of games counted.
    pub games: u32,
    /// Number of games left out for lack of a winner.
    pub without_winner: u64,
    /// The book.
    pub size: BookSize,
    /// Counts of games that were rejected.
    pub records: RecordCollection,
}

impl BuildRun {
    /// Reads all games, and writes the positions in which the side to move won often enough.
    ///
    /// # Errors
    /// A file cannot be read or written, the output is one of the inputs, games of self-play would count twice, or no
    /// position is left.
    pub fn run(&self, progress: &mut dyn ProgressObserver) -> Result<BuildSummary, BookRunError> {
        let inputs = self.files.iter().map(PathBuf::as_path);
        check_outputs(inputs, slice::from_ref(&self.output))?;
        // Records tell for themselves whether they are the same game.
        let self_play = self.files.iter().filter(|path| is_self_play(path));
        check_named_once(&self_play.cloned().collect::<Vec<_>>())?;
        let mut counter = GameCounter::default();
        let total = self.files.len() as u64;
        progress.begin(total, 0, "files");
        for (path, number) in self.files.iter().zip(1..) {
            counter.add_file(path, self.source, self.plies)?;
            let games = counter.counts.games() + counter.records.accepted().len() as u32;
            progress.advance(number, &counted(games, "game"));
        }
        counter.count_records(self.source, self.plies);
        let GameCounter {
            counts,
            records,
            without_winner,
            ..
        } = counter;
        let games = counts.games();
        progress.finish(total, &counted(games, "game"));
        let selection = Selection {
            min_wins: self.min_wins,
            min_games: self.min_games,
            by_wins: self.source == BookSource::WonByMover,
        };
        let book = counts.into_book(selection);
        let book = book.map_err(|source| BookRunError::Entry {
            path: self.files[0].clone(),
            source,
        })?;
        if book.is_empty() {
            let reason = format!(
                "none within {} has {} and {} of the side to move; of {} with a winner and {} without{}",
                counted(self.plies, "ply"),
                counted(self.min_games, "game"),
                counted(self.min_wins, "win"),
                counted(games, "game"),
                without_winner,
                records.to_string().replace('\n', "; ")
            );
            return Err(BookRunError::Empty(reason));
        }
        let remarks = format!(
            "{}, {} plies, source {}, at least {} games and {} wins",
            counted(games, "game"),
            self.plies,
            self.source,
            self.min_games,
            self.min_wins
        );
        let size = write_book(&self.output, &book, &remarks)?;
        Ok(BuildSummary {
            games,
            without_winner,
            size,
            records,
        })
    }
}
