//! What a piece is worth wherever it stands: the unit of exchanges, in which captures are ordered
//! and pruned, whatever the evaluator is.

use crate::rules::PieceKind;

/// Value of a piece on the board, in centipawns, by the number of its kind.
const BOARD: [i32; PieceKind::COUNT] = [
    100, 320, 380, 530, 840, 990, 590, 0, 540, 540, 560, 580, 1120, 1360,
];

/// Value of a piece in the hand, in centipawns.
const HAND: [i32; 8] = [115, 360, 420, 580, 920, 1090, 640, 0];

/// Value of a kind on the board, in centipawns, wherever it stands.
#[inline(always)]
pub const fn board_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()]
}

/// Value of a kind in the hand, in centipawns.
#[inline(always)]
pub const fn hand_value(kind: PieceKind) -> i32 {
    HAND[kind.index() & 7]
}

/// What capturing a piece swings: its loss on one side and its gain in the hand of the other.
#[inline(always)]
pub const fn exchange_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()] + HAND[kind.index() & 7]
}
