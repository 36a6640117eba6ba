//! A recorded game.

use monju_engine::rules::{Color, Move, Position};
use std::fmt;

/// Result of a recorded game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordedResult {
    /// The record does not say.
    #[default]
    Unknown,
    /// One side won.
    Won(Color),
    /// The game was drawn.
    Drawn,
}

/// A recorded game, every move of which is legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// `None` for an even game.
    start: Option<Box<Position>>,
    result: RecordedResult,
    moves: Vec<Move>,
}

/// Reason for which a record is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum GameRecordError {
    /// A move is illegal.
    #[error("illegal move")]
    IllegalMove,
    /// A move cannot be decoded.
    #[error("unreadable move")]
    UnreadableMove,
    /// The start position is impossible.
    #[error("impossible start position")]
    StartPosition,
    /// There are more moves than [`GameRecord::MAX_MOVES`].
    #[error("too many moves")]
    TooLong,
    /// There are no moves to learn from.
    #[error("no moves")]
    Empty,
}

impl GameRecord {
    /// Largest number of moves that a record holds.
    pub const MAX_MOVES: usize = u16::MAX as usize;

    /// Checks every move. `start` is the SFEN of the start position, `None` for an even game.
    ///
    /// # Errors
    /// The start position is impossible, a move is illegal, or there are none or too many.
    pub fn new(
        start: Option<&str>,
        moves: Vec<Move>,
        result: RecordedResult,
    ) -> Result<Self, GameRecordError> {
        Self::game_or_position(start, moves, result)?.with_moves()
    }

    /// As [`new`](Self::new), but there may be no moves: a file may hold a position to look at.
    ///
    /// # Errors
    /// The start position is impossible, a move is illegal, or there are too many.
    pub(crate) fn game_or_position(
        start: Option<&str>,
        moves: Vec<Move>,
        result: RecordedResult,
    ) -> Result<Self, GameRecordError> {
        let even = Position::startpos();
        let start = match start {
            Some(sfen) => {
                Some(Position::from_sfen(sfen).map_err(|_| GameRecordError::StartPosition)?)
            }
            None => None,
        };
        let start = start.filter(|position| position.to_string() != even.to_string());
        let mut position = start.clone().unwrap_or(even);
        if moves.len() > Self::MAX_MOVES {
            return Err(GameRecordError::TooLong);
        }
        for &mv in &moves {
            if !position.is_legal(mv) {
                return Err(GameRecordError::IllegalMove);
            }
            position.make(mv);
        }
        Ok(Self {
            start: start.map(Box::new),
            result,
            moves,
        })
    }

    /// Returns the game, if there are moves to learn from.
    ///
    /// # Errors
    /// There are no moves.
    pub(crate) fn with_moves(self) -> Result<Self, GameRecordError> {
        match self.moves.is_empty() {
            true => Err(GameRecordError::Empty),
            false => Ok(self),
        }
    }

    /// Returns the same game with another result.
    pub fn with_result(&self, result: RecordedResult) -> Self {
        Self {
            result,
            ..self.clone()
        }
    }

    /// Returns the start position.
    pub fn start(&self) -> Position {
        match &self.start {
            Some(position) => (**position).clone(),
            None => Position::startpos(),
        }
    }

    /// Returns the SFEN of the start position, empty for an even game.
    pub(crate) fn start_sfen(&self) -> String {
        self.start
            .as_ref()
            .map_or_else(String::new, |position| position.to_string())
    }

    /// Returns the result.
    pub fn result(&self) -> RecordedResult {
        self.result
    }

    /// Returns the moves, at least one unless the file was read to be looked at.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the position after `plies` moves, at most all of them.
    pub fn position(&self, plies: usize) -> Position {
        let mut position = self.start();
        for &mv in self.moves.iter().take(plies) {
            position.make(mv);
        }
        position
    }
}

impl fmt::Display for RecordedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown",
            Self::Won(Color::Black) => "black won",
            Self::Won(Color::White) => "white won",
            Self::Drawn => "draw",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_game_stores_no_start_position() {
        let sfen = Position::startpos().to_string();
        let moves = vec!["7g7f".parse().expect("a move")];
        let named = GameRecord::new(Some(&sfen), moves.clone(), RecordedResult::Unknown);
        let plain = GameRecord::new(None, moves, RecordedResult::Unknown);
        assert_eq!(named, plain);
    }
}
