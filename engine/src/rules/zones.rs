//! Ranks with a meaning of their own, by side.

use super::bitboard::Bitboard;

/// The three ranks in which each side promotes.
pub(super) const PROMOTION_ZONE: [Bitboard; 2] = [
    Bitboard(Bitboard::rank(0).0 | Bitboard::rank(1).0 | Bitboard::rank(2).0),
    Bitboard(Bitboard::rank(6).0 | Bitboard::rank(7).0 | Bitboard::rank(8).0),
];

/// The rank on which a pawn or lance could never move again.
pub(super) const LAST_RANK: [Bitboard; 2] = [Bitboard::rank(0), Bitboard::rank(8)];

/// The ranks on which a knight could never move again.
pub(super) const LAST_TWO_RANKS: [Bitboard; 2] = [
    Bitboard(Bitboard::rank(0).0 | Bitboard::rank(1).0),
    Bitboard(Bitboard::rank(7).0 | Bitboard::rank(8).0),
];
