//! The compact file of game records that the linear learner reads.
//!
//! The file begins with the 17 bytes `monju records v1\n`. For each game follow one byte for the
//! result (0 unknown, 1 Black won, 2 White won, 3 draw); one byte for the length of the start
//! position's SFEN, 0 for an even game, and the SFEN; two bytes for the number of moves; and two
//! bytes for each move ([`Move::bits`]). Numbers are little-endian.

use crate::record::{GameRecord, GameRecordError, RecordedResult};
use monju_engine::rules::{Color, Move};

const MAGIC: &[u8; 17] = b"monju records v1\n";

/// Error of reading a file of records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFileError {
    /// The header is missing.
    #[error(
        "not a file of records: it does not begin with 'monju records v1'; make one with 'monju learn records'"
    )]
    Header,
    /// The last game is incomplete.
    #[error("the file ends within game {0}; it may be truncated")]
    Truncated(usize),
    /// A game is invalid.
    #[error("game {game}: {source}; the file is damaged")]
    Game {
        /// Number of the game, counted from 1.
        game: usize,
        /// Reason for which the game is invalid.
        source: GameRecordError,
    },
}

/// Encodes records as a file.
pub fn to_bytes(records: &[GameRecord]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for record in records {
        write(record, &mut bytes);
    }
    bytes
}

fn write(record: &GameRecord, bytes: &mut Vec<u8>) {
    bytes.push(match record.result() {
        RecordedResult::Unknown => 0,
        RecordedResult::Won(Color::Black) => 1,
        RecordedResult::Won(Color::White) => 2,
        RecordedResult::Drawn => 3,
    });
    let start = record.start_sfen();
    bytes.push(start.len() as u8);
    bytes.extend(start.as_bytes());
    bytes.extend((record.moves().len() as u16).to_le_bytes());
    for mv in record.moves() {
        bytes.extend(mv.bits().to_le_bytes());
    }
}

/// Decodes a file of records and checks every move again.
///
/// # Errors
/// The header is missing, or the file is truncated or damaged.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<GameRecord>, RecordFileError> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or(RecordFileError::Header)?;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let game = records.len() + 1;
        let invalid = |source| RecordFileError::Game { game, source };
        let encoded = EncodedGame::take(&mut rest).ok_or(RecordFileError::Truncated(game))?;
        let result = match encoded.result {
            1 => RecordedResult::Won(Color::Black),
            2 => RecordedResult::Won(Color::White),
            3 => RecordedResult::Drawn,
            _ => RecordedResult::Unknown,
        };
        let start = match encoded.start {
            [] => None,
            text => {
                Some(str::from_utf8(text).map_err(|_| invalid(GameRecordError::StartPosition))?)
            }
        };
        let moves: Option<Vec<Move>> = encoded
            .moves
            .chunks_exact(2)
            .map(|pair| Move::try_from_bits(u16::from_le_bytes([pair[0], pair[1]])))
            .collect();
        let moves = moves.ok_or_else(|| invalid(GameRecordError::UnreadableMove))?;
        records.push(GameRecord::new(start, moves, result).map_err(invalid)?);
    }
    Ok(records)
}

/// The bytes of one game, split into fields.
struct EncodedGame<'a> {
    result: u8,
    start: &'a [u8],
    moves: &'a [u8],
}

impl<'a> EncodedGame<'a> {
    /// Takes one game off the front; `None` when the bytes end too early.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ')
            .map(|word| word.parse().expect("a move"))
            .collect()
    }

    fn two_games() -> Vec<GameRecord> {
        let even = GameRecord::new(
            None,
            moves("7g7f 3c3d 8h2b+"),
            RecordedResult::Won(Color::White),
        );
        let sfen = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
        let illegal = GameRecord::new(Some(sfen), moves("G*5b 5a4b"), RecordedResult::Drawn);
        assert_eq!(illegal, Err(GameRecordError::IllegalMove));
        let handicap = GameRecord::new(Some(sfen), moves("G*5b 5a5b"), RecordedResult::Drawn);
        vec![even.expect("legal"), handicap.expect("legal")]
    }

    #[test]
    fn a_file_round_trips() {
        let records = two_games();
        assert_eq!(from_bytes(&to_bytes(&records)), Ok(records.clone()));
        assert_eq!(
            records[1].position(1).to_string(),
            "4k4/4G4/9/9/9/9/9/9/4K4 w - 2"
        );
    }

    #[test]
    fn foreign_truncated_and_damaged_files_are_refused() {
        assert_eq!(from_bytes(b"SQLite format 3"), Err(RecordFileError::Header));
        let bytes = to_bytes(&two_games());
        let cut = from_bytes(&bytes[..bytes.len() - 1]).expect_err("truncated");
        assert_eq!(cut, RecordFileError::Truncated(2));
        let mut damaged = bytes;
        damaged[MAGIC.len() + 4] ^= 1;
        let error = from_bytes(&damaged).expect_err("damaged");
        assert!(error.to_string().starts_with("game 1: "), "{error}");
    }
}
