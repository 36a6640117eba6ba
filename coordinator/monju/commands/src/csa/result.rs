//! The end of a game, and its record.

use super::summary::GameSummary;
use anyhow::{Context, anyhow};
use monju_engine::{Color, Game, counted};
use monju_experiment::{kifu::Kifu, notes::Note, record::MatchOutcome};
use monju_learn::files;
use std::{
    fmt,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A game that is over.
#[derive(Clone, Debug)]
pub struct Played {
    /// The whole game.
    pub game: Game,
    /// Times and scores of the moves.
    pub notes: Vec<Note>,
    /// Our result; `None` for a game that was broken off.
    pub outcome: Option<MatchOutcome>,
    /// Reason of the end, by its name in game records.
    pub ending: &'static str,
}

impl fmt::Display for Played {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.outcome {
            Some(MatchOutcome::Win) => "won",
            Some(MatchOutcome::Loss) => "lost",
            Some(MatchOutcome::Draw) => "drawn",
            None => "broken off",
        };
        let moves = counted(self.game.moves().len(), "move");
        write!(formatter, "{word} by {} after {moves}", self.ending)
    }
}

impl Played {
    /// Returns the game as a CSA file.
    ///
    /// # Errors
    /// The game has no such form.
    pub fn csa(&self, summary: &GameSummary) -> anyhow::Result<String> {
        let kifu = Kifu {
            event: &summary.id,
            comments: &[],
            names: [&summary.names[0], &summary.names[1]],
            moves: &self.game.to_usi(),
            notes: &self.notes,
            ending: self.ending,
            result: self.outcome.unwrap_or(MatchOutcome::Draw),
            first_is_black: summary.ours == Color::Black,
        };
        // The first name is Black's, whoever is first.
        kifu.csa().context("the game cannot be written as CSA")
    }
}

/// The folder of the games' records.
#[derive(Clone, Copy, Debug)]
pub struct RecordFolder<'a>(pub &'a Path);

impl RecordFolder<'_> {
    /// Makes the folder if it is not there, and checks that files can be made in it.
    ///
    /// # Errors
    /// They cannot.
    pub fn prepare(self) -> anyhow::Result<()> {
        let Self(folder) = self;
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        files::draft_in(folder, Path::new("record.csa"))
            .map(drop)
            .map_err(|error| {
                let folder = folder.display();
                anyhow!(
                    "cannot write records into {folder}: {error}; name another folder by --records"
                )
            })
    }

    /// Writes the CSA file of a game, whose name is that of the game at the server; returns its path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, game: &str, text: &str) -> anyhow::Result<PathBuf> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
        let name: String = game
            .chars()
            .map(|c| if is_safe(c) { c } else { '_' })
            .collect();
        write_new(self.0, name.trim_start_matches('.'), text)
            .map_err(|(path, error)| anyhow!("cannot write {}: {error}", path.display()))
    }
}

/// Writes a file `NAME.csa` that is not there yet: another game of the same name stays, and this one becomes
/// `NAME-2.csa`, and so on. A file that cannot be written whole is removed again.
fn write_new(folder: &Path, name: &str, text: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
    let mut number = 1_u64;
    loop {
        let path = folder.join(match number {
            1 => format!("{name}.csa"),
            _ => format!("{name}-{number}.csa"),
        });
        let mut file = match File::create_new(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number += 1;
                continue;
            }
            Err(error) => return Err((path, error)),
        };
        return match file.write_all(text.as_bytes()) {
            Ok(()) => Ok(path),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err((path, error))
            }
        };
    }
}

/// Returns the name in game records of the server's reason for the end of a game.
pub fn ending_of(line: &str) -> Option<&'static str> {
    Some(match line {
        "#RESIGN" => "resignation",
        "#TIME_UP" => "time loss",
        "#ILLEGAL_MOVE" | "#ILLEGAL_ACTION" => "illegal move",
        "#SENNICHITE" => "repetition",
        "#OUTE_SENNICHITE" => "perpetual check",
        "#JISHOGI" => "declaration",
        "#MAX_MOVES" => "maximum plies",
        _ => return None,
    })
}

/// Results so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResultTally {
    won: u32,
    lost: u32,
    drawn: u32,
}

impl ResultTally {
    /// Counts a game.
    pub fn count(&mut self, played: &Played) {
        match played.outcome {
            Some(MatchOutcome::Win) => self.won += 1,
            Some(MatchOutcome::Loss) => self.lost += 1,
            Some(MatchOutcome::Draw) => self.drawn += 1,
            None => {}
        }
    }
}

impl fmt::Display for ResultTally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { won, lost, drawn } = self;
        write!(formatter, "{won} won, {lost} lost, {drawn} drawn")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_never_replaces_another_of_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for (text, expected) in [
            ("one", "game.csa"),
            ("two", "game-2.csa"),
            ("three", "game-3.csa"),
        ] {
            let path = write_new(folder.path(), "game", text).expect("written");
            assert_eq!(path, folder.path().join(expected));
        }
        let first = fs::read_to_string(folder.path().join("game.csa"));
        assert_eq!(first.expect("the first record"), "one");
        let (path, _) =
            write_new(&folder.path().join("nowhere"), "game", "").expect_err("no folder");
        assert_eq!(path, folder.path().join("nowhere/game.csa"));
    }
}
