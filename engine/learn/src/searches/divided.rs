//! The games of logs, some of them held out.

use super::log::{LogError, LoggedGame, read_logs};
use crate::files::{FileError, read_text};
use monju_engine::eval::fnv1a;
use std::{fmt::Write as _, path::PathBuf};

/// One game of so many is held out.
const HELD_OUT: usize = 4;

/// The games of logs to learn from, and those by which the result is measured.
#[derive(Debug, Default)]
pub(crate) struct DividedGames {
    pub training: Vec<LoggedGame>,
    pub validation: Vec<LoggedGame>,
    /// The lines of a recipe that name the logs.
    pub recipe: String,
}

/// Error of reading the logs of a training.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// A log cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A log has other content.
    #[error("in {}", path.display())]
    Log {
        /// The log.
        path: PathBuf,
        /// Reason.
        source: LogError,
    },
    /// There is too little to learn from.
    #[error("the logs have {0} games, at least {HELD_OUT} are needed, one of them to be held out")]
    FewGames(usize),
}

impl DividedGames {
    /// Reads the games of logs.
    pub fn read(logs: &[PathBuf]) -> Result<Self, LogsError> {
        let mut divided = Self::default();
        let mut count = 0;
        for path in logs {
            let text = read_text(path)?;
            let hash = fnv1a(text.as_bytes());
            let _ = writeln!(
                divided.recipe,
                "# {}\nlog = \"{hash:016x}\"",
                path.display()
            );
            let games = read_logs(&text).map_err(|source| LogsError::Log {
                path: path.clone(),
                source,
            })?;
            for game in games {
                let part = match count % HELD_OUT {
                    0 => &mut divided.validation,
                    _ => &mut divided.training,
                };
                part.push(game);
                count += 1;
            }
        }
        match count < HELD_OUT {
            true => Err(LogsError::FewGames(count)),
            false => Ok(divided),
        }
    }
}
