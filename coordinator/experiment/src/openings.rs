//! Openings: the positions that games start from.

use monju_engine::{Game, GameError};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Openings in the order of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings(Vec<String>);

/// Error of a file of openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("the openings {} cannot be read: {source}; correct the path", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A line is not a game.
    #[error("{place}: {source}")]
    NoGame {
        /// File and line.
        place: String,
        /// The rules' error.
        source: GameError,
    },
    /// The game of a line is over.
    #[error("{place}: the game is over; remove the line")]
    Over {
        /// File and line.
        place: String,
    },
    /// The file has no openings.
    #[error("{} holds no openings; add some", .0.display())]
    Empty(PathBuf),
}

impl Openings {
    /// Reads a file with one `startpos moves …` or `sfen …` a line; ignores empty lines and lines that
    /// begin with `#`.
    ///
    /// # Errors
    /// The file cannot be read, has no openings, or has a line that is not a playable game.
    pub fn read(path: &Path) -> Result<Self, OpeningsError> {
        let text = fs::read_to_string(path).map_err(|source| OpeningsError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let mut lines = Vec::new();
        // Some editors put a mark before a text in UTF-8.
        let text = text.trim_start_matches('\u{feff}');
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = || format!("{}:{}", path.display(), index + 1);
            let game = Game::from_usi(line).map_err(|source| OpeningsError::NoGame {
                place: place(),
                source,
            })?;
            if game.legal_moves().is_empty() {
                return Err(OpeningsError::Over { place: place() });
            }
            lines.push(line.to_owned());
        }
        if lines.is_empty() {
            return Err(OpeningsError::Empty(path.to_owned()));
        }
        Ok(Self(lines))
    }

    /// Number of openings.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true without any opening.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of openings by which the search is tuned: all but the last fifth, which is held out for the matches that
    /// judge what tuning has found.
    pub fn tuned(&self) -> usize {
        self.0.len() - self.0.len() / 5
    }

    /// The openings by which the search is tuned.
    pub fn without_held_out(mut self) -> Self {
        self.0.truncate(self.tuned());
        self
    }

    /// The openings from number `first` on, counted from 0.
    pub fn from(mut self, first: usize) -> Self {
        self.0.drain(..first.min(self.0.len()));
        self
    }

    /// All openings.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_an_editor_is_no_opening() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "\u{feff}# a remark\r\nstartpos moves 7g7f\r\n").expect("written");
        let read = Openings::read(file.path()).expect("openings");
        assert_eq!(read.lines(), ["startpos moves 7g7f"]);
    }

    #[test]
    fn every_opening_is_tuned_on_or_held_out() {
        for count in [1, 4, 5, 12] {
            let lines: Vec<String> = (0..count)
                .map(|number| format!("opening {number}"))
                .collect();
            let all = Openings(lines.clone());
            let tuned = all.clone().without_held_out();
            let held_out = all.clone().from(all.tuned());
            assert_eq!(held_out.len(), count / 5);
            assert_eq!([tuned.0, held_out.0].concat(), lines);
        }
    }
}
