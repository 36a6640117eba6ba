//! Training examples of 40 bytes, in the layout that shogi trainers share (`.psv`).
//!
//! | bytes | content |
//! | --- | --- |
//! | 0–31 | the position, as [`Position::to_packed`] writes it |
//! | 32–33 | search score in centipawns from the side to move (`i16`; every number is little-endian); a mate in n plies is ±(32,000 − n) |
//! | 34–35 | best move: to + 128 × from, + 32768 for a promotion; a drop is to + 128 × kind + 16384 with the kinds pawn 1, lance 2, knight 3, silver 4, bishop 5, rook 6, gold 7 |
//! | 36–37 | ply of the position in its game |
//! | 38 | game result for the side to move: 1, 0 or -1 |
//! | 39 | 1 at the last position of a game, otherwise 0; other programs ignore it |

use monju_engine::rules::{Move, PackedError, PieceKind, Position, Square};

/// A position labelled with the score and best move of a search and with the result of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingExample {
    /// The packed position.
    pub position: [u8; 32],
    /// Search score in centipawns from the side to move.
    pub score: i16,
    /// Best move of that search.
    pub best_move: Move,
    /// Ply of the position in its game; a game starts at 1.
    pub ply: u16,
    /// 1 when the side to move won the game, -1 when it lost, 0 for a draw.
    pub result: i8,
    /// Marks the last position of a game.
    pub is_last: bool,
}

/// Error of decoding a training example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrainingExampleError {
    /// The best move cannot be decoded.
    #[error("{0:#06x} is not a move")]
    Move(u16),
    /// The result is out of range.
    #[error("game result is {0}, expected -1, 0 or 1")]
    Result(i8),
    /// The position cannot be decoded.
    #[error(transparent)]
    Position(#[from] PackedError),
}

const DROP: u16 = 1 << 14;
const PROMOTION: u16 = 1 << 15;

fn move_to_bits(mv: Move) -> u16 {
    let to = mv.to().index() as u16;
    match (mv.from(), mv.dropped()) {
        (Some(from), _) => {
            let promotion = if mv.is_promotion() { PROMOTION } else { 0 };
            to | (from.index() as u16) << 7 | promotion
        }
        (None, kind) => to | (kind.map_or(0, PieceKind::index) as u16 + 1) << 7 | DROP,
    }
}

fn move_from_bits(bits: u16) -> Option<Move> {
    let to = Square::new(usize::from(bits & 127))?;
    let origin = usize::from(bits >> 7 & 127);
    if bits & DROP == 0 {
        Some(Move::new(Square::new(origin)?, to, bits & PROMOTION != 0))
    } else if bits & PROMOTION == 0 {
        let kind = *PieceKind::HAND.get(origin.checked_sub(1)?)?;
        Some(Move::drop(kind, to))
    } else {
        None
    }
}

impl TrainingExample {
    /// Encoded size in bytes.
    pub const SIZE: usize = 40;

    /// Encodes the example.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..32].copy_from_slice(&self.position);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&move_to_bits(self.best_move).to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.result as u8;
        bytes[39] = u8::from(self.is_last);
        bytes
    }

    /// Decodes an example; only [`TrainingExample::position`] decodes the position itself.
    ///
    /// # Errors
    /// The move or the result is invalid.
    pub fn from_bytes(bytes: &[u8; Self::SIZE]) -> Result<Self, TrainingExampleError> {
        let mut position = [0; 32];
        position.copy_from_slice(&bytes[..32]);
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let result = bytes[38] as i8;
        if !(-1..=1).contains(&result) {
            return Err(TrainingExampleError::Result(result));
        }
        Ok(Self {
            position,
            score: word(32) as i16,
            best_move: move_from_bits(word(34)).ok_or(TrainingExampleError::Move(word(34)))?,
            ply: word(36),
            result,
            is_last: Self::is_last_of_bytes(bytes),
        })
    }

    /// Returns true if encoded bytes mark the last position of a game.
    pub(crate) fn is_last_of_bytes(bytes: &[u8; Self::SIZE]) -> bool {
        bytes[39] & 1 == 1
    }

    /// Returns the ply of an encoded position.
    pub(crate) fn ply_of_bytes(bytes: &[u8; Self::SIZE]) -> u16 {
        u16::from_le_bytes([bytes[36], bytes[37]])
    }

    /// Decodes the position.
    ///
    /// # Errors
    /// The bytes encode no possible position.
    pub fn position(&self) -> Result<Position, TrainingExampleError> {
        Ok(Position::from_packed(&self.position)?)
    }

    /// Returns true if `position`, that of this example, is quiet: the side to move is not in check
    /// and the best move is no capture.
    pub fn is_quiet(&self, position: &Position) -> bool {
        position.piece(self.best_move.to()).is_none() && !position.in_check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(best_move: &str) -> TrainingExample {
        TrainingExample {
            position: Position::startpos().to_packed().expect("a complete set"),
            score: -31_990,
            best_move: best_move.parse().expect("a move"),
            ply: 300,
            result: -1,
            is_last: true,
        }
    }

    #[test]
    fn encoding_round_trips() {
        for text in ["7g7f", "8h2b+", "P*5e", "G*1i", "9i9a+"] {
            let example = example(text);
            assert_eq!(
                TrainingExample::from_bytes(&example.to_bytes()),
                Ok(example)
            );
        }
    }

    /// The numbers are those of cshogi's `move16_to_psv`.
    #[test]
    fn moves_are_encoded_as_other_programs_encode_them() {
        let numbers = ["7g7f", "8h2b+", "P*5e", "G*1i"].map(|text| {
            let bytes = example(text).to_bytes();
            u16::from_le_bytes([bytes[34], bytes[35]])
        });
        assert_eq!(numbers, [7739, 41738, 16552, 17288]);
    }

    #[test]
    fn invalid_moves_and_results_are_refused() {
        let good = example("7g7f").to_bytes();
        for (at, byte) in [(34, 0x7f), (35, 0xff), (38, 7)] {
            let mut bytes = good;
            bytes[at] = byte;
            assert!(TrainingExample::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }
}
