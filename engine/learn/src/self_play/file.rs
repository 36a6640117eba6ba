//! The file of self-play, which grows by whole games.

use crate::{
    example::TrainingExample,
    files::{FileError, cut, open_alone, read_text, with_suffix, write_atomically},
    recipe,
};
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Error of continuing a file of self-play.
#[derive(Debug, thiserror::Error)]
pub enum GamesFileError {
    /// The recipe cannot be written.
    #[error(transparent)]
    Recipe(#[from] FileError),
    /// The file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The file cannot be prepared for the next game.
    #[error("cannot continue {}", path.display())]
    Continue {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Another process writes the file.
    #[error(
        "{} is being written by another process: wait for it to end, or choose another file",
        .0.display()
    )]
    Locked(PathBuf),
    /// The file exists without a recipe.
    #[error("{} exists, but its recipe does not", path.display())]
    NoRecipe {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: FileError,
    },
    /// The file was made from another recipe.
    #[error(
        "{} was made with other settings, see {}: use the same ones, or choose another file",
        path.display(),
        recipe.display()
    )]
    OtherRecipe {
        /// The file.
        path: PathBuf,
        /// Its recipe.
        recipe: PathBuf,
    },
}

/// An open, locked file of self-play.
#[derive(Debug)]
pub(super) struct GamesFile {
    path: PathBuf,
    file: File,
    games: WholeGames,
}

impl GamesFile {
    /// Opens or creates a file and checks that it was made from the same recipe.
    ///
    /// # Errors
    /// The file cannot be opened, has another recipe, or is being written by another process.
    pub fn open(path: &Path, recipe: &str) -> Result<Self, GamesFileError> {
        let file = open_alone(path).map_err(|source| GamesFileError::Open {
            path: path.to_owned(),
            source,
        })?;
        let file = file.ok_or_else(|| GamesFileError::Locked(path.to_owned()))?;
        let cannot_read = |source| GamesFileError::Read {
            path: path.to_owned(),
            source,
        };
        let recipe_path = recipe_path(path);
        if file.metadata().map_err(cannot_read)?.len() == 0 {
            write_atomically(&recipe_path, recipe.as_bytes())?;
        } else {
            let made_by = read_text(&recipe_path).map_err(|source| GamesFileError::NoRecipe {
                path: path.to_owned(),
                source,
            })?;
            if !recipe::are_same(&made_by, recipe) {
                return Err(GamesFileError::OtherRecipe {
                    path: path.to_owned(),
                    recipe: recipe_path,
                });
            }
        }
        let games = WholeGames::count(&file).map_err(cannot_read)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            games,
        })
    }

    /// Returns the number of whole games.
    pub fn games(&self) -> u64 {
        self.games.games
    }

    /// Returns the number of positions of whole games.
    pub fn positions(&self) -> u64 {
        self.games.positions
    }

    /// Reads the bytes of the last whole game; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn last_game(&mut self) -> Result<Option<Vec<u8>>, GamesFileError> {
        if self.games.games == 0 {
            return Ok(None);
        }
        let first = self.games.last_game * TrainingExample::SIZE as u64;
        let positions = self.games.positions - self.games.last_game;
        let mut bytes = vec![0; positions as usize * TrainingExample::SIZE];
        self.file
            .seek(SeekFrom::Start(first))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|source| GamesFileError::Read {
                path: self.path.clone(),
                source,
            })?;
        Ok(Some(bytes))
    }

    /// Removes an incomplete game from the end, and goes there for the next one.
    ///
    /// # Errors
    /// The file cannot be truncated.
    pub fn seek_to_next_game(&mut self) -> Result<(), GamesFileError> {
        let end = self.games.positions * TrainingExample::SIZE as u64;
        cut(&mut self.file, end).map_err(|source| GamesFileError::Continue {
            path: self.path.clone(),
            source,
        })
    }

    /// Appends a whole game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, examples: &[TrainingExample]) -> Result<(), GamesFileError> {
        let bytes: Vec<u8> = examples
            .iter()
            .flat_map(TrainingExample::to_bytes)
            .collect();
        self.file
            .write_all(&bytes)
            .map_err(|source| GamesFileError::Write {
                path: self.path.clone(),
                source,
            })?;
        self.games.games += 1;
        self.games.last_game = self.games.positions;
        self.games.positions += examples.len() as u64;
        Ok(())
    }
}

/// Returns the path of the recipe beside a file.
pub(super) fn recipe_path(path: &Path) -> PathBuf {
    with_suffix(path, ".recipe")
}

/// Number and extent of the whole games of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WholeGames {
    games: u64,
    positions: u64,
    /// Number of positions before the last game.
    last_game: u64,
}

impl WholeGames {
    fn count(file: &File) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut whole = Self::default();
        let mut bytes = [0; TrainingExample::SIZE];
        let mut positions = 0;
        loop {
            match reader.read_exact(&mut bytes) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(whole),
                Err(error) => return Err(error),
            }
            positions += 1;
            if TrainingExample::is_last_of_bytes(&bytes) {
                whole.games += 1;
                whole.last_game = whole.positions;
                whole.positions = positions;
            }
        }
    }
}
