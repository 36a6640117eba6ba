//! The games of logs, some of them held out.

use super::log::{LogError, LoggedGame, read_logs};
use crate::files::{FileError, check_named_once, check_not_copied, read_text};
use monju_engine::{counted, fnv1a};
use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

/// The games of one opening of so many are held out.
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
    #[error("the logs have games of {}, at least {HELD_OUT} are needed, one of them to be held out", counted(*.0, "opening"))]
    FewOpenings(usize),
}

impl DividedGames {
    /// Reads the games of logs.
    pub fn read(logs: &[PathBuf]) -> Result<Self, LogsError> {
        check_named_once(logs)?;
        let mut divided = Self::default();
        let (mut all, mut contents) = (Vec::new(), Vec::new());
        for path in logs {
            let text = read_text(path)?;
            let hash = fnv1a(text.as_bytes());
            contents.push((text.len(), hash));
            check_not_copied(logs, &contents)?;
            let _ = writeln!(
                divided.recipe,
                "# {}\nlog = \"{hash:016x}\"",
                path.display()
            );
            let games = read_logs(&text).map_err(|source| LogsError::Log {
                path: path.clone(),
                source,
            })?;
            all.extend(games.into_iter().map(|game| (opening_of(&game), game)));
        }
        let openings: BTreeSet<u64> = all.iter().map(|(opening, _)| *opening).collect();
        if openings.len() < HELD_OUT {
            return Err(LogsError::FewOpenings(openings.len()));
        }
        let held_out: BTreeSet<u64> = (openings.iter().copied())
            .take(openings.len().div_ceil(HELD_OUT))
            .collect();
        for (opening, game) in all {
            match held_out.contains(&opening) {
                true => divided.validation.push(game),
                false => divided.training.push(game),
            }
        }
        Ok(divided)
    }
}

/// Returns a hash of the moves before the first search, by which games of one opening are on the same side even if they
/// stand in several logs.
fn opening_of(logged: &LoggedGame) -> u64 {
    let plies = logged.searches.first().map_or(usize::MAX, |one| one.ply);
    let moves = logged.game.moves().iter().take(plies);
    let moves: Vec<String> = moves.map(ToString::to_string).collect();
    fnv1a(format!("{} {}", logged.game.start(), moves.join(" ")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_game_and_its_twin_are_on_the_same_side() {
        let folder = tempfile::tempdir().expect("a folder");
        let games = ["7g7f", "2g2f", "5g5f", "6g6f", "1g1f"]
            .map(|mv| format!("game startpos moves {mv} 3c3d\nsearch 1 10 3c3d\nend\n"));
        let logs = ["a", "b"].map(|name| folder.path().join(name));
        let mut turned = games.clone();
        turned.reverse();
        for (log, games) in logs.iter().zip([&games, &turned]) {
            fs::write(log, games.concat()).expect("writable");
        }
        let divided = DividedGames::read(&logs).expect("readable");
        let openings =
            |games: &[LoggedGame]| -> BTreeSet<u64> { games.iter().map(opening_of).collect() };
        let [training, validation] = [&divided.training, &divided.validation].map(|g| openings(g));
        assert_eq!((training.len(), validation.len()), (3, 2));
        assert!(training.is_disjoint(&validation));
        assert_eq!(divided.training.len() + divided.validation.len(), 10);

        fs::write(&logs[0], games[..3].concat()).expect("writable");
        let error = DividedGames::read(&logs[..1]).expect_err("too few");
        assert!(error.to_string().contains("games of 3 openings"), "{error}");
        let twice = [logs[0].clone(), logs[0].clone()];
        let error = DividedGames::read(&twice).expect_err("twice").to_string();
        assert!(error.contains("is named twice"), "{error}");
        fs::copy(&logs[0], &logs[1]).expect("writable");
        let error = DividedGames::read(&logs).expect_err("a copy").to_string();
        assert!(error.contains("b holds the same as"), "{error}");
    }
}
