//! The positions that games start from.

use monju_engine::Game;
use std::{fs, path::Path};

/// Openings in the order of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings(Vec<String>);

impl Openings {
    /// Reads a file with one `startpos moves …` or `sfen …` a line; empty lines and lines that
    /// begin with `#` do not count.
    ///
    /// # Errors
    /// The file cannot be read, is empty, or has a line that is no game; in one line of text.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| {
            format!(
                "the openings {} cannot be read: {error}; correct the path, which starts from the \
                 folder of this file",
                path.display()
            )
        })?;
        let mut lines = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = format!("{}:{}", path.display(), index + 1);
            let game = Game::from_usi(line).map_err(|error| format!("{place}: {error}"))?;
            if game.legal_moves().is_empty() {
                return Err(format!("{place}: the game is over; remove the line"));
            }
            lines.push(line.to_owned());
        }
        if lines.is_empty() {
            return Err(format!("{} holds no openings; add some", path.display()));
        }
        Ok(Self(lines))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}
