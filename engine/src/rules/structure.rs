//! Keys of groups of pieces, by which searches learn what positions have in common.

use super::{
    color::Color,
    piece::{Piece, PieceKind},
};

/// Zobrist keys of groups of pieces on the board, kept up to date with every move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    keys: [u64; Structure::GROUPS],
}

/// The group of every piece.
static GROUP: [u8; Piece::COUNT] = {
    let mut groups = [3; Piece::COUNT];
    let mut color = 0;
    while color < 2 {
        let base = 16 * color;
        let guards = 1 + color as u8;
        groups[base + PieceKind::Pawn.index()] = 0;
        groups[base + PieceKind::Silver.index()] = guards;
        groups[base + PieceKind::Gold.index()] = guards;
        groups[base + PieceKind::King.index()] = guards;
        color += 1;
    }
    groups
};

impl Structure {
    /// Number of groups: the pawns of both sides, kings, golds and silvers of each side, and all other
    /// pieces.
    pub const GROUPS: usize = 4;

    /// Returns the key of both sides' pawns.
    #[inline(always)]
    pub const fn pawns(&self) -> u64 {
        self.keys[0]
    }

    /// Returns the key of a side's king, golds and silvers.
    #[inline(always)]
    pub const fn guards(&self, color: Color) -> u64 {
        self.keys[1 + color.index()]
    }

    /// Returns the key of both sides' other pieces.
    #[inline(always)]
    pub const fn others(&self) -> u64 {
        self.keys[3]
    }

    /// Adds or removes a piece with its Zobrist value.
    #[inline(always)]
    pub(super) fn toggle(&mut self, piece: Piece, value: u64) {
        self.keys[usize::from(GROUP[piece.index()])] ^= value;
    }
}
