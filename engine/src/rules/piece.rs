use super::color::Color;

/// A kind of piece. Promotion adds 8; the seven kinds that a hand holds are numbered 0 to 6.
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
    /// How many there are.
    pub const COUNT: usize = 14;

    /// All kinds in order of their numbers.
    pub const ALL: [Self; 14] = [
        Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
        ProSilver, Horse, Dragon,
    ];

    /// The kinds that a hand holds, in order of their numbers.
    pub const HAND: [Self; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];

    /// Its number, below 14.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind with this number, taken modulo 16; 14 and 15 are no kinds and give the dragon.
    #[inline(always)]
    pub(crate) const fn from_index(index: usize) -> Self {
        const TABLE: [PieceKind; 16] = [
            Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
            ProSilver, Horse, Dragon, Dragon, Dragon,
        ];
        TABLE[index & 15]
    }

    /// Whether this kind can promote.
    #[inline(always)]
    pub const fn can_promote(self) -> bool {
        (self as u8) < 6
    }

    /// Whether this is a promoted kind.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= 8
    }

    /// The promoted kind; golds, kings and promoted kinds stay what they are.
    #[inline(always)]
    pub const fn promoted(self) -> Self {
        if self.can_promote() {
            Self::from_index(self as usize + 8)
        } else {
            self
        }
    }

    /// The kind without its promotion: what a capture puts into the hand.
    #[inline(always)]
    pub const fn unpromoted(self) -> Self {
        Self::from_index(self as usize & 7)
    }

    /// How many of this unpromoted kind a set has, both sides together (2 kings).
    pub const fn count_in_set(self) -> usize {
        match self.unpromoted() {
            Pawn => 18,
            Lance | Knight | Silver | Gold => 4,
            _ => 2,
        }
    }

    /// The letter of SFEN, upper case, without the `+` of a promoted kind.
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

    /// The unpromoted kind of an upper-case SFEN letter.
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

/// What stands on a square: a kind and its owner, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece(u8);

impl Piece {
    /// An empty square.
    pub const NONE: Self = Self(15);

    /// How many numbers there are, unused ones included.
    pub const COUNT: usize = 32;

    /// A side's piece.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        Self(kind as u8 | (color as u8) << 4)
    }

    /// Its number, below 32: the kind, plus 16 for White.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Whether the square is empty.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == Self::NONE.0
    }

    /// The kind; meaningless for an empty square.
    #[inline(always)]
    pub const fn kind(self) -> PieceKind {
        debug_assert!(!self.is_none());
        PieceKind::from_index(self.0 as usize)
    }

    /// The owner; meaningless for an empty square.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self.0 & 16 == 0 {
            Color::Black
        } else {
            Color::White
        }
    }

    /// Kind and owner, or `None` for an empty square.
    #[inline(always)]
    pub const fn get(self) -> Option<(Color, PieceKind)> {
        if self.is_none() {
            None
        } else {
            Some((self.color(), self.kind()))
        }
    }
}
