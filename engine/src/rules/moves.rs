use super::{
    excerpt::excerpt,
    piece::{Piece, PieceKind},
    square::Square,
};
use std::{fmt, num::NonZeroU16, str::FromStr};

/// A move of two bytes. `Display` and `FromStr` use USI text; a parsed move need not be legal.
///
/// ```
/// use monju_engine::Move;
/// let mv: Move = "8h2b+".parse()?;
/// assert!(mv.is_promotion());
/// assert_eq!(mv.to().to_string(), "2b");
/// assert_eq!(mv.to_string(), "8h2b+");
/// assert!("P*5e".parse::<Move>()?.is_drop());
/// # Ok::<(), monju_engine::MoveError>(())
/// ```
// Bits 0–6 are the destination, bits 7–13 the origin, or 81 + kind for a drop; bit 14 is the
// promotion, and bit 15 is always set so that `Option<Move>` takes no more room.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

const ORIGIN: u16 = 7;
const PROMOTION: u16 = 1 << 14;
const PRESENT: u16 = 1 << 15;

impl Move {
    #[inline(always)]
    const fn from_bits(bits: u16) -> Self {
        match NonZeroU16::new(bits | PRESENT) {
            Some(bits) => Self(bits),
            None => unreachable!(),
        }
    }

    /// Creates a move on the board.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, promotion: bool) -> Self {
        let promotion = if promotion { PROMOTION } else { 0 };
        Self::from_bits(to.index() as u16 | (from.index() as u16) << ORIGIN | promotion)
    }

    /// Creates a drop. `kind` is one of the seven kinds that a hand can hold.
    #[inline(always)]
    pub const fn drop(kind: PieceKind, to: Square) -> Self {
        debug_assert!((kind as u8) < 7);
        Self::from_bits(to.index() as u16 | (81 + kind as u16) << ORIGIN)
    }

    /// Returns the sixteen bits of the move, never 0.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// Returns the move with these bits, if they encode one, legal or not.
    pub const fn try_from_bits(bits: u16) -> Option<Self> {
        let to = bits & 127;
        let origin = bits >> ORIGIN & 127;
        let is_move =
            bits & PRESENT != 0 && to < 81 && origin < 88 && (origin < 81 || bits & PROMOTION == 0);
        if is_move {
            Some(Self::from_bits(bits))
        } else {
            None
        }
    }

    /// Returns the destination.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.bits() & 127) as usize)
    }

    /// Returns the origin; `None` for a drop.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        let origin = self.origin();
        if origin < 81 {
            Some(Square::from_index(origin))
        } else {
            None
        }
    }

    /// Returns the kind of a dropped piece; `None` for a move on the board.
    #[inline(always)]
    pub const fn dropped(self) -> Option<PieceKind> {
        let origin = self.origin();
        if origin < 81 {
            None
        } else {
            Some(PieceKind::from_index(origin - 81))
        }
    }

    /// Tells whether the move is a drop.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.origin() >= 81
    }

    /// Tells whether the move is a promotion.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.bits() & PROMOTION != 0
    }

    /// Returns what a piece is after this move of it, which may promote it.
    #[inline(always)]
    pub fn placed(self, piece: Piece) -> Piece {
        match self.is_promotion() {
            true => Piece::new(piece.color(), piece.kind().promoted()),
            false => piece,
        }
    }

    /// Returns the number of the origin, or 81 + kind for a drop; below 88.
    #[inline(always)]
    pub(crate) const fn origin(self) -> usize {
        (self.bits() >> ORIGIN & 127) as usize
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "{from}{}", self.to())?,
            (None, Some(kind)) => write!(f, "{}*{}", kind.letter(), self.to())?,
            (None, None) => unreachable!("a move has an origin or drops a piece"),
        }
        if self.is_promotion() {
            f.write_str("+")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Error of a text that is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not of the form `7g7f`, `8h2b+` or `P*5e`.
    #[error("'{0}' is not a move: expected a form like 7g7f, 8h2b+ or P*5e")]
    Syntax(String),
    /// The move is illegal in the position.
    #[error("{0} is not a legal move here")]
    Illegal(Move),
}

impl FromStr for Move {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Self, MoveError> {
        let parsed = match *text.as_bytes() {
            [letter, b'*', file, rank] => PieceKind::from_letter(letter as char)
                .filter(|&kind| kind != PieceKind::King)
                .zip(Square::parse(file, rank))
                .map(|(kind, to)| Self::drop(kind, to)),
            [from_file, from_rank, to_file, to_rank, ref rest @ ..]
                if matches!(rest, [] | [b'+']) =>
            {
                Square::parse(from_file, from_rank)
                    .zip(Square::parse(to_file, to_rank))
                    .map(|(from, to)| Self::new(from, to, !rest.is_empty()))
            }
            _ => None,
        };
        parsed.ok_or_else(|| MoveError::Syntax(excerpt(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_moves_round_trips() {
        for text in ["7g7f", "8h2b+", "P*5e", "G*1i", "9i9a+"] {
            let mv: Move = text.parse().unwrap();
            assert_eq!(mv.to_string(), text);
            assert_eq!(Move::try_from_bits(mv.bits()), Some(mv));
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "7g",
            "7g7",
            "7g7f++",
            "0a1b",
            "7j7f",
            "K*5e",
            "+P*5e",
            "P*5e+",
            "７六歩",
        ] {
            assert_eq!(
                text.parse::<Move>(),
                Err(MoveError::Syntax(text.to_owned())),
                "{text}"
            );
        }
    }
}
