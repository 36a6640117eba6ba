//! The rules of shogi.

use std::{fmt, str::FromStr};

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// Sente: moves first.
    Black,
    /// Gote.
    White,
}

/// A move, two bytes wide. `Display` and `FromStr` are USI text; a parsed move need not be legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = (f, self.0);
        todo!()
    }
}

/// Why a text is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// Not of the form `7g7f`, `8h2b+` or `P*5e`.
    #[error("'{0}' is not a move: expected a form like 7g7f, 8h2b+ or P*5e")]
    Syntax(String),
    /// Not legal in the position at hand.
    #[error("{0} is not a legal move here")]
    Illegal(Move),
}

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Self, MoveError> {
        Err(MoveError::Syntax(text.to_owned()))
    }
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// Placeholder.
    #[error("sfen '{0}'")]
    Syntax(String),
}

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The start position.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// A move of the history.
    #[error("move {ply}: {source}")]
    Move {
        /// Which move, counted from 1.
        ply: usize,
        /// What is wrong with it.
        source: MoveError,
    },
}

/// A legal position. `Display` is SFEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {}

impl Position {
    /// Who moves.
    pub fn side_to_move(&self) -> Color {
        todo!()
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        todo!()
    }
}

impl fmt::Display for Position {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}

/// What repetition says about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Not the fourth occurrence.
    None,
    /// Fourth occurrence: a draw.
    Draw,
    /// Fourth occurrence by perpetual check: this side gave the checks and loses.
    PerpetualCheckBy(Color),
}

/// A position with the moves that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {}

impl Game {
    /// The even game, before the first move.
    pub fn startpos() -> Self {
        todo!()
    }

    /// Reads `startpos [moves …]`, `sfen <board side hands ply> [moves …]`, or either of these
    /// after the word `position`, or a bare SFEN. Every move must be legal.
    pub fn from_usi(text: &str) -> Result<Self, GameError> {
        let _ = text;
        todo!()
    }

    /// As [`Game::from_usi`], from the parts that the wire carries: `start` is `startpos` or SFEN.
    pub fn from_parts<S: AsRef<str>>(start: &str, moves: &[S]) -> Result<Self, GameError> {
        let _ = (start, moves);
        todo!()
    }

    /// `startpos`, or the SFEN that the moves start from.
    pub fn start(&self) -> &str {
        todo!()
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        todo!()
    }

    /// The position reached.
    pub fn position(&self) -> &Position {
        todo!()
    }

    /// Plays a move; refuses an illegal one.
    pub fn play(&mut self, mv: Move) -> Result<(), MoveError> {
        let _ = mv;
        todo!()
    }

    /// Parses a move and checks that it is legal here.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let _ = text;
        todo!()
    }

    /// All legal moves, in a fixed order.
    pub fn legal_moves(&self) -> Vec<Move> {
        todo!()
    }

    /// Whether the side to move may declare a win now (27-point rule).
    pub fn can_declare_win(&self) -> bool {
        todo!()
    }

    /// What repetition says about the position reached.
    pub fn repetition(&self) -> Repetition {
        todo!()
    }

    /// The move in Japanese notation with origin, such as `▲７六歩(77)` or `△５五角打`.
    pub fn japanese(&self, mv: Move) -> String {
        let _ = mv;
        todo!()
    }
}
