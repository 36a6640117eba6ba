//! The end of a game, and its record.

use super::summary::GameSummary;
use anyhow::Context;
use monju_engine::{Color, Game, counted};
use monju_experiment::{kifu::Kifu, notes::Note, record::MatchOutcome};
use std::{
    fmt, fs,
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
    /// Writes the game as a CSA file of a folder; returns its path.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path, summary: &GameSummary) -> anyhow::Result<PathBuf> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '.');
        let name: String = summary
            .id
            .chars()
            .map(|c| if is_safe(c) { c } else { '_' })
            .collect();
        let path = folder.join(format!("{}.csa", name.trim_start_matches('.')));
        let kifu = Kifu {
            event: &summary.id,
            names: [&summary.names[0], &summary.names[1]],
            moves: &self.game.to_usi(),
            notes: &self.notes,
            ending: self.ending,
            result: self.outcome.unwrap_or(MatchOutcome::Draw),
            first_is_black: summary.ours == Color::Black,
        };
        // The first name is Black's, whoever is first.
        let text = kifu.csa().context("the game cannot be written as CSA")?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
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
