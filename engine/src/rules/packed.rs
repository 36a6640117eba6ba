//! Positions in 32 bytes: packed SFEN, the form in which shogi engines exchange training positions.
//!
//! A stream of 256 bits, the lowest bit of a byte first: the side to move (1 bit), the squares of
//! Black's and of White's king (7 bits each), the other 79 squares in order, then the pieces in
//! hand. A piece is a prefix code, a bit for its promotion (but not for golds), and a bit for its
//! owner. In hand the code lacks its first bit, which on the board distinguishes a piece from a gap.
//! A complete set of pieces always takes 256 bits, so that the length marks the end.

use super::{
    color::Color,
    piece::{Piece, PieceKind},
    position::Position,
    sfen::SfenError,
    square::Square,
    zobrist,
};

/// Error of a position that cannot be packed, or of bytes that are not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackedError {
    /// The set of pieces is incomplete and does not take 256 bits.
    #[error(
        "only positions of all 40 pieces can be packed, this one takes {0} bits instead of 256"
    )]
    Incomplete(usize),
    /// A king is not on the board, or stands on the other king.
    #[error("packed position has kings on squares {0} and {1}")]
    Kings(usize, usize),
    /// The code of a piece runs beyond the end.
    #[error("packed position ends inside the code of a piece")]
    Overrun,
    /// A piece in hand is promoted, which marks pieces out of the game.
    #[error("packed position lacks pieces of a complete set")]
    OutOfGame,
    /// The position cannot exist.
    #[error("packed position: {0}")]
    Illegal(#[from] SfenError),
}

/// Bits of a packed position.
const LENGTH: usize = 256;

/// The order of pieces in hand when written; any order can be read.
const HAND_ORDER: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
];

/// Returns the prefix code of a piece on the board, lowest bit first, and its length.
fn code(kind: PieceKind) -> (u32, usize) {
    match kind.unpromoted() {
        PieceKind::Pawn => (0b01, 2),
        PieceKind::Lance => (0b0011, 4),
        PieceKind::Knight => (0b1011, 4),
        PieceKind::Silver => (0b0111, 4),
        PieceKind::Gold => (0b01111, 5),
        PieceKind::Bishop => (0b01_1111, 6),
        _ => (0b11_1111, 6),
    }
}

/// Writes bits; beyond the end it only counts them.
#[derive(Default)]
struct BitWriter {
    bytes: [u8; 32],
    cursor: usize,
}

impl BitWriter {
    fn write(&mut self, bits: u32, count: usize) {
        for index in 0..count {
            if let Some(byte) = self.bytes.get_mut(self.cursor / 8) {
                *byte |= ((bits >> index & 1) as u8) << (self.cursor % 8);
            }
            self.cursor += 1;
        }
    }

    fn write_piece(&mut self, color: Color, kind: PieceKind, in_hand: bool) {
        let (bits, count) = code(kind);
        let skipped = usize::from(in_hand);
        self.write(bits >> skipped, count - skipped);
        if kind != PieceKind::Gold {
            self.write(u32::from(kind.is_promoted()), 1);
        }
        self.write(color.index() as u32, 1);
    }
}

struct BitReader<'a> {
    bytes: &'a [u8; 32],
    cursor: usize,
}

impl BitReader<'_> {
    fn bit(&mut self) -> Result<bool, PackedError> {
        let byte = self.bytes.get(self.cursor / 8);
        let byte = *byte.ok_or(PackedError::Overrun)?;
        let bit = byte >> (self.cursor % 8) & 1;
        self.cursor += 1;
        Ok(bit == 1)
    }

    fn number(&mut self, count: usize) -> Result<usize, PackedError> {
        let mut number = 0;
        for index in 0..count {
            number |= usize::from(self.bit()?) << index;
        }
        Ok(number)
    }

    /// Reads a piece whose first code bit has been read.
    fn piece(&mut self) -> Result<(Color, PieceKind), PackedError> {
        let kind = if !self.bit()? {
            PieceKind::Pawn
        } else if !self.bit()? {
            if self.bit()? {
                PieceKind::Knight
            } else {
                PieceKind::Lance
            }
        } else if !self.bit()? {
            PieceKind::Silver
        } else if !self.bit()? {
            PieceKind::Gold
        } else if !self.bit()? {
            PieceKind::Bishop
        } else {
            PieceKind::Rook
        };
        let promoted = kind != PieceKind::Gold && self.bit()?;
        let kind = if promoted { kind.promoted() } else { kind };
        let color = Color::ALL[usize::from(self.bit()?)];
        Ok((color, kind))
    }
}

impl Position {
    /// Packs the position without its ply.
    ///
    /// # Errors
    /// Pieces are missing: only a complete set takes 32 bytes.
    ///
    /// ```
    /// use monju_engine::Position;
    /// let position = Position::startpos();
    /// let bytes = position.to_packed()?;
    /// assert_eq!(Position::from_packed(&bytes)?, position);
    /// # Ok::<(), monju_engine::rules::PackedError>(())
    /// ```
    pub fn to_packed(&self) -> Result<[u8; 32], PackedError> {
        let mut writer = BitWriter::default();
        writer.write(self.side.index() as u32, 1);
        for color in Color::ALL {
            let king = self.king(color).map_or(Square::COUNT, Square::index);
            writer.write(king as u32, 7);
        }
        for square in Square::all() {
            match self.piece(square).get() {
                None => writer.write(0, 1),
                Some((_, PieceKind::King)) => {}
                Some((color, kind)) => writer.write_piece(color, kind, false),
            }
        }
        for color in Color::ALL {
            for kind in HAND_ORDER {
                for _ in 0..self.hand(color).count(kind) {
                    writer.write_piece(color, kind, true);
                }
            }
        }
        if writer.cursor != LENGTH {
            return Err(PackedError::Incomplete(writer.cursor));
        }
        Ok(writer.bytes)
    }

    /// Reads a packed position, whose ply is set to 1.
    ///
    /// # Errors
    /// The bytes are not a position that can exist.
    pub fn from_packed(bytes: &[u8; 32]) -> Result<Self, PackedError> {
        let mut reader = BitReader { bytes, cursor: 0 };
        let mut position = Self::empty();
        if reader.bit()? {
            position.side = Color::White;
            position.key ^= zobrist::SIDE;
        }
        let kings = [reader.number(7)?, reader.number(7)?];
        let bad_kings = PackedError::Kings(kings[0], kings[1]);
        let [Some(black), Some(white)] = kings.map(Square::new) else {
            return Err(bad_kings);
        };
        if black == white {
            return Err(bad_kings);
        }
        position.put(Piece::new(Color::Black, PieceKind::King), black);
        position.put(Piece::new(Color::White, PieceKind::King), white);
        for square in Square::all() {
            if square != black && square != white && reader.bit()? {
                let (color, kind) = reader.piece()?;
                position.put(Piece::new(color, kind), square);
            }
        }
        let mut in_hands = [0; 8];
        while reader.cursor < LENGTH {
            let (color, kind) = reader.piece()?;
            if kind.is_promoted() {
                return Err(PackedError::OutOfGame);
            }
            in_hands[kind.index()] += 1;
            if in_hands[kind.index()] > kind.count_in_set() {
                return Err(PackedError::Illegal(SfenError::TooMany {
                    kind: kind.letter(),
                    count: in_hands[kind.index()],
                    max: kind.count_in_set(),
                }));
            }
            position.add_to_hand(color, kind);
        }
        position.check()?;
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{positions::POSITIONS, rules::Game};

    #[test]
    fn positions_are_unpacked_as_they_were() {
        let mut packed = 0;
        for sfen in POSITIONS {
            let position = Position::from_sfen(sfen).unwrap();
            let Ok(bytes) = position.to_packed() else {
                continue;
            };
            packed += 1;
            assert_eq!(Position::from_packed(&bytes).unwrap(), position, "{sfen}");
        }
        assert!(packed > 15, "only {packed} of the suite are complete sets");
    }

    /// The expected bytes were written by another library (cshogi 0.9).
    #[test]
    fn the_bits_agree_with_another_library() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let bytes = Position::from_sfen(sfen).unwrap().to_packed().unwrap();
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            text,
            "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc"
        );
    }

    #[test]
    fn incomplete_sets_are_refused() {
        let position = Position::from_sfen("8k/9/7G1/9/9/9/9/9/K8 b G 1").unwrap();
        assert!(matches!(
            position.to_packed(),
            Err(PackedError::Incomplete(_))
        ));
    }

    #[test]
    fn other_bytes_are_refused_without_a_panic() {
        assert_eq!(
            Position::from_packed(&[0xff; 32]),
            Err(PackedError::Kings(127, 127))
        );
        let good = Game::startpos().position().to_packed().unwrap();
        for bit in 0..LENGTH {
            let mut bytes = good;
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(position) = Position::from_packed(&bytes) {
                assert_ne!(&position, Game::startpos().position());
            }
        }
    }
}
