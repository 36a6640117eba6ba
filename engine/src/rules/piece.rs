use super::color::Color;

/// A kind of piece. Promotion adds 8; the seven kinds that a hand can hold are numbered 0 to 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum PieceKind {
    Pawn = 0,
    Lance = 1,
    Knight = 2,
    Silver = 3,
    Bishop = 4,
    Rook = 5,
    Gold = 6,
    King = 7,
    ProPawn = 8,
    ProLance = 9,
    ProKnight = 10,
    ProSilver = 11,
    Horse = 12,
    Dragon = 13,
}

use PieceKind::*;

impl PieceKind {
    /// Number of kinds.
    pub const COUNT: usize = 14;

    /// All kinds in order of their numbers.
    pub const ALL: [Self; 14] = [
        Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
        ProSilver, Horse, Dragon,
    ];

    /// The kinds that a hand can hold, in order of their numbers.
    pub const HAND: [Self; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];

    /// Returns the number of the kind, below 14.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the kind with a number modulo 16; the unused numbers 14 and 15 give the dragon.
    #[inline(always)]
    pub(crate) const fn from_index(index: usize) -> Self {
        const TABLE: [PieceKind; 16] = [
            Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
            ProSilver, Horse, Dragon, Dragon, Dragon,
        ];
        TABLE[index & 15]
    }

    /// Tells whether the kind can promote.
    #[inline(always)]
    pub const fn can_promote(self) -> bool {
        (self as u8) < 6
    }

    /// Tells whether the kind is a promoted one.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= 8
    }

    /// Returns the promoted kind; golds, kings and promoted kinds stay the same.
    #[inline(always)]
    pub const fn promoted(self) -> Self {
        if self.can_promote() {
            Self::from_index(self as usize + 8)
        } else {
            self
        }
    }

    /// Returns the kind without its promotion, as a capture puts it into the hand.
    #[inline(always)]
    pub const fn unpromoted(self) -> Self {
        Self::from_index(self as usize & 7)
    }

    /// Returns the number of pieces of this kind in a set, for both sides together.
    pub const fn count_in_set(self) -> usize {
        match self.unpromoted() {
            Pawn => 18,
            Lance | Knight | Silver | Gold => 4,
            _ => 2,
        }
    }

    /// Returns the upper-case letter of SFEN, without the `+` of a promoted kind.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Pawn => 'P',
            Lance => 'L',
            Knight => 'N',
            Silver => 'S',
            Bishop => 'B',
            Rook => 'R',
            Gold => 'G',
            _ => 'K',
        }
    }

    /// Returns the unpromoted kind of an upper-case SFEN letter.
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'P' => Pawn,
            'L' => Lance,
            'N' => Knight,
            'S' => Silver,
            'B' => Bishop,
            'R' => Rook,
            'G' => Gold,
            'K' => King,
            _ => return None,
        })
    }
}

/// Content of a square: a kind and its owner, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece(u8);

impl Piece {
    /// The content of an empty square.
    pub const NONE: Self = Self(15);

    /// Number of numbers, unused ones included.
    pub const COUNT: usize = 32;

    /// Creates a side's piece.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        Self(kind as u8 | (color as u8) << 4)
    }

    /// Returns the number of the piece, below 32: the kind, plus 16 for White.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Tells whether the square is empty.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == Self::NONE.0
    }

    /// Returns the kind, which means nothing for an empty square.
    #[inline(always)]
    pub const fn kind(self) -> PieceKind {
        debug_assert!(!self.is_none());
        PieceKind::from_index(self.0 as usize)
    }

    /// Returns the owner, who means nothing for an empty square.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.0 & 16 == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Returns owner and kind, or `None` for an empty square.
    #[inline(always)]
    pub const fn get(self) -> Option<(Color, PieceKind)> {
        if self.is_none() {
            None
        } else {
            Some((self.color(), self.kind()))
        }
    }
}
