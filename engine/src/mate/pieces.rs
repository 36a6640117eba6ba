//! Numbers of pieces in hand, compared kind by kind.

use crate::rules::{Hand, PieceKind, Position};

/// The highest bit of each number, which no number of pieces reaches.
const TOPS: u64 = 0x8080_8080_8080_8080;

/// The lowest bit of each number.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Numbers of pieces of every kind, eight bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces(u64);

impl Pieces {
    pub const NONE: Self = Self(0);

    pub const fn of(hand: Hand) -> Self {
        Self(hand.bits())
    }

    /// Returns the pieces in both hands of a position.
    pub fn in_hands(position: &Position) -> Self {
        let us = position.side_to_move();
        Self(position.hand(us).bits() + position.hand(!us).bits())
    }

    /// Returns all pieces of a position, without promotions.
    pub fn in_set(position: &Position) -> Self {
        let mut pieces = Self::in_hands(position);
        for kind in PieceKind::ALL {
            let count = position.pieces_of_kind(kind).len() as u64;
            pieces.0 += count << Self::shift(kind);
        }
        pieces
    }

    const fn shift(kind: PieceKind) -> u32 {
        kind.unpromoted() as u32 * u8::BITS
    }

    pub const fn bits(self) -> u64 {
        self.0
    }

    const fn has(self, kind: PieceKind) -> bool {
        self.0 >> Self::shift(kind) & 0xff != 0
    }

    /// Returns these pieces and one more of a kind.
    pub const fn with(self, kind: PieceKind) -> Self {
        Self(self.0 + (1 << Self::shift(kind)))
    }

    /// Returns these pieces and one less of a kind, if there is one.
    pub const fn without(self, kind: PieceKind) -> Self {
        match self.has(kind) {
            true => Self(self.0 - (1 << Self::shift(kind))),
            false => self,
        }
    }

    /// Sets the highest bit of each kind of which there are at least as many as in `other`.
    const fn at_least(self, other: Self) -> u64 {
        ((self.0 | TOPS) - other.0) & TOPS
    }

    /// Tells whether there are at least as many of each kind as in `other`.
    pub const fn contains(self, other: Self) -> bool {
        self.at_least(other) == TOPS
    }

    /// Returns the larger number of each kind.
    pub const fn most(self, other: Self) -> Self {
        let ours = (self.at_least(other) >> 7) * 0xff;
        Self((self.0 & ours) | (other.0 & !ours))
    }

    /// Returns the smaller number of each kind.
    pub const fn least(self, other: Self) -> Self {
        let others = (self.at_least(other) >> 7) * 0xff;
        Self((self.0 & !others) | (other.0 & others))
    }

    /// Returns the pieces of the kinds that `other` has.
    pub const fn of_kinds_in(self, other: Self) -> Self {
        Self(self.0 & other.kinds())
    }

    /// Returns the pieces of the kinds that `other` lacks.
    pub const fn of_kinds_not_in(self, other: Self) -> Self {
        Self(self.0 & !other.kinds())
    }

    /// Sets all bits of each kind of which there is a piece.
    const fn kinds(self) -> u64 {
        (self.at_least(Self(ONES)) >> 7) * 0xff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PieceKind::{Gold, Lance, Pawn, Rook};

    fn pieces(counts: &[(PieceKind, usize)]) -> Pieces {
        let each = counts.iter().flat_map(|&(kind, count)| vec![kind; count]);
        each.fold(Pieces::NONE, Pieces::with)
    }

    #[test]
    fn hands_are_compared_kind_by_kind() {
        let many = pieces(&[(Pawn, 18), (Gold, 1)]);
        let few = pieces(&[(Pawn, 3), (Gold, 1)]);
        let other = pieces(&[(Pawn, 2), (Rook, 2)]);
        assert!(many.contains(few) && many.contains(many) && many.contains(Pieces::NONE));
        assert!(!few.contains(many) && !many.contains(other) && !other.contains(few));
        assert_eq!(few.most(other), pieces(&[(Pawn, 3), (Gold, 1), (Rook, 2)]));
        assert_eq!(few.least(other), pieces(&[(Pawn, 2)]));
        assert_eq!(many.of_kinds_in(other), pieces(&[(Pawn, 18)]));
        assert_eq!(many.of_kinds_not_in(other), pieces(&[(Gold, 1)]));
    }

    #[test]
    fn a_piece_more_and_a_piece_less() {
        let few = pieces(&[(Pawn, 1)]);
        assert_eq!(few.with(Lance).without(Pawn), pieces(&[(Lance, 1)]));
        assert_eq!(few.without(Gold), few);
    }

    #[test]
    fn a_set_is_complete_wherever_its_pieces_are() {
        let start = Pieces::in_set(&Position::startpos());
        for kind in PieceKind::HAND {
            let count = start.bits() >> Pieces::shift(kind) & 0xff;
            assert_eq!(count as usize, kind.count_in_set());
        }
        let moved = "8k/P8/7+R1/9/9/9/9/9/9 b R2B4G4S4N4L17P 1";
        let moved = Pieces::in_set(&Position::from_sfen(moved).unwrap());
        // The start position has two kings.
        assert_eq!(moved.with(PieceKind::King), start);
    }
}
