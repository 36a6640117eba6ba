//! Game records in the compact form that learners read.
//!
//! The file: 17 bytes `monju records v1\n`; then, for each game: one byte for the result (0
//! unknown, 1 Black won, 2 White won, 3 draw); one byte for the length of the SFEN of the start
//! position in bytes, 0 for the even game, and the SFEN; two bytes for the number of moves; two
//! bytes for each move ([`Move::bits`]). Numbers are little-endian.

use monju_engine::rules::{Color, Move, Position};
use std::fmt;

const MAGIC: &[u8; 17] = b"monju records v1\n";

/// How a recorded game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameResult {
    /// The record does not say.
    #[default]
    Unknown,
    /// A side won.
    Won(Color),
    /// Nobody did.
    Drawn,
}

/// A recorded game, every move of which is legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    start: Option<Box<Position>>,
    result: GameResult,
    moves: Vec<Move>,
}

/// Why a record is thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Flaw {
    /// A move is not legal.
    #[error("illegal move")]
    IllegalMove,
    /// A move is no move.
    #[error("unreadable move")]
    UnreadableMove,
    /// The start position cannot exist.
    #[error("impossible start position")]
    StartPosition,
    /// More moves than the format has room for.
    #[error("too many moves")]
    TooLong,
    /// There is no move to learn from.
    #[error("no moves")]
    Empty,
}

impl Record {
    /// The most moves that a record holds.
    pub const MAX_MOVES: usize = u16::MAX as usize;

    /// Checks every move. `start` is the SFEN of the start position; `None` is the even game.
    ///
    /// # Errors
    /// The start position cannot exist, a move is illegal, or there are none or too many.
    pub fn new(start: Option<&str>, moves: Vec<Move>, result: GameResult) -> Result<Self, Flaw> {
        let even = Position::startpos();
        let start = match start {
            Some(sfen) => Some(Position::from_sfen(sfen).map_err(|_| Flaw::StartPosition)?),
            None => None,
        };
        let start = start.filter(|position| position.to_string() != even.to_string());
        let mut position = start.clone().unwrap_or(even);
        match moves.len() {
            0 => return Err(Flaw::Empty),
            1..=Self::MAX_MOVES => {}
            _ => return Err(Flaw::TooLong),
        }
        for &mv in &moves {
            if !position.is_legal(mv) {
                return Err(Flaw::IllegalMove);
            }
            position.make(mv);
        }
        Ok(Self {
            start: start.map(Box::new),
            result,
            moves,
        })
    }

    /// The same game with another result.
    pub fn with_result(&self, result: GameResult) -> Self {
        Self {
            result,
            ..self.clone()
        }
    }

    /// Where it began.
    pub fn start(&self) -> Position {
        match &self.start {
            Some(position) => (**position).clone(),
            None => Position::startpos(),
        }
    }

    /// How it ended.
    pub fn result(&self) -> GameResult {
        self.result
    }

    /// Its moves; at least one.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after so many of its moves, at most all of them.
    pub fn position(&self, plies: usize) -> Position {
        let mut position = self.start();
        for &mv in self.moves.iter().take(plies) {
            position.make(mv);
        }
        position
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(match self.result {
            GameResult::Unknown => 0,
            GameResult::Won(Color::Black) => 1,
            GameResult::Won(Color::White) => 2,
            GameResult::Drawn => 3,
        });
        let start = self
            .start
            .as_ref()
            .map_or_else(String::new, |position| position.to_string());
        bytes.push(start.len() as u8);
        bytes.extend(start.as_bytes());
        bytes.extend((self.moves.len() as u16).to_le_bytes());
        for mv in &self.moves {
            bytes.extend(mv.bits().to_le_bytes());
        }
    }
}

/// Why bytes are no file of records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// Another format.
    #[error(
        "not a file of records: it does not begin with 'monju records v1'; make one with 'monju learn records'"
    )]
    Header,
    /// The last game is not complete.
    #[error("the file ends within game {0}; it may be truncated")]
    Truncated(usize),
    /// A game that cannot have been played.
    #[error("game {game}: {flaw}; the file is damaged")]
    Game {
        /// Which one, counted from 1.
        game: usize,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// The file of these games.
pub fn to_bytes(records: &[Record]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for record in records {
        record.write(&mut bytes);
    }
    bytes
}

/// Reads a file of games, and checks every move again.
///
/// # Errors
/// It is none, was truncated or damaged.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<Record>, RecordsError> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(RecordsError::Header)?;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let game = records.len() + 1;
        let flawed = |flaw| RecordsError::Game { game, flaw };
        let raw = Raw::take(&mut rest).ok_or(RecordsError::Truncated(game))?;
        let result = match raw.result {
            1 => GameResult::Won(Color::Black),
            2 => GameResult::Won(Color::White),
            3 => GameResult::Drawn,
            _ => GameResult::Unknown,
        };
        let start = match raw.start {
            [] => None,
            text => Some(str::from_utf8(text).map_err(|_| flawed(Flaw::StartPosition))?),
        };
        let moves: Option<Vec<Move>> = raw
            .moves
            .chunks_exact(2)
            .map(|pair| Move::try_from_bits(u16::from_le_bytes([pair[0], pair[1]])))
            .collect();
        let moves = moves.ok_or_else(|| flawed(Flaw::UnreadableMove))?;
        records.push(Record::new(start, moves, result).map_err(flawed)?);
    }
    Ok(records)
}

/// The bytes of one game.
struct Raw<'a> {
    result: u8,
    start: &'a [u8],
    moves: &'a [u8],
}

impl<'a> Raw<'a> {
    /// `None` when the bytes end too early.
    fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at_checked(count)?;
            *bytes = rest;
            Some(taken)
        };
        let (result, length) = (take(1)?[0], take(1)?[0]);
        let start = take(length.into())?;
        let count = take(2)?;
        let moves = take(2 * usize::from(u16::from_le_bytes([count[0], count[1]])))?;
        Some(Self {
            result,
            start,
            moves,
        })
    }
}

impl fmt::Display for GameResult {
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

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ')
            .map(|word| word.parse().expect("a move"))
            .collect()
    }

    fn two_games() -> Vec<Record> {
        let even = Record::new(
            None,
            moves("7g7f 3c3d 8h2b+"),
            GameResult::Won(Color::White),
        );
        let sfen = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
        let other = Record::new(Some(sfen), moves("G*5b 5a4b"), GameResult::Drawn);
        vec![
            even.expect("legal"),
            other.expect_err("illegal").into_legal(sfen),
        ]
    }

    impl Flaw {
        /// The game that ends before the king takes nothing.
        fn into_legal(self, sfen: &str) -> Record {
            assert_eq!(self, Self::IllegalMove);
            Record::new(Some(sfen), moves("G*5b 5a5b"), GameResult::Drawn).expect("legal")
        }
    }

    #[test]
    fn a_file_read_back_is_the_same() {
        let records = two_games();
        assert_eq!(from_bytes(&to_bytes(&records)), Ok(records.clone()));
        assert_eq!(
            records[1].position(1).to_string(),
            "4k4/4G4/9/9/9/9/9/9/4K4 w - 2"
        );
    }

    #[test]
    fn the_even_game_needs_no_start_position() {
        let sfen = Position::startpos().to_string();
        let named = Record::new(Some(&sfen), moves("7g7f"), GameResult::Unknown);
        let plain = Record::new(None, moves("7g7f"), GameResult::Unknown);
        assert_eq!(named, plain);
    }

    #[test]
    fn other_truncated_and_damaged_files_are_refused() {
        assert_eq!(from_bytes(b"SQLite format 3"), Err(RecordsError::Header));
        let bytes = to_bytes(&two_games());
        let cut = from_bytes(&bytes[..bytes.len() - 1]).expect_err("truncated");
        assert_eq!(cut, RecordsError::Truncated(2));
        let mut damaged = bytes;
        damaged[MAGIC.len() + 4] ^= 1;
        let error = from_bytes(&damaged).expect_err("damaged");
        assert!(error.to_string().starts_with("game 1: "), "{error}");
    }
}
