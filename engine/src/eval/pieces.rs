//! Piece values for exchanges, by which every search orders and prunes captures, whatever its
//! evaluator.

use crate::rules::PieceKind;

/// Value of a piece on the board, in centipawns, by the number of its kind.
const BOARD: [i32; PieceKind::COUNT] = [
    100, 320, 380, 530, 840, 990, 590, 0, 540, 540, 560, 580, 1120, 1360,
];

/// Value of a piece in the hand, in centipawns.
const HAND: [i32; 8] = [115, 360, 420, 580, 920, 1090, 640, 0];

/// Returns the value of a kind on the board, in centipawns.
#[inline(always)]
pub const fn board_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()]
}

/// Returns the value of a kind in hand, in centipawns.
#[inline(always)]
pub const fn hand_value(kind: PieceKind) -> i32 {
    HAND[kind.index() & 7]
}

/// Returns the value of capturing a piece: its loss on the board and its gain in hand.
#[inline(always)]
pub const fn exchange_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()] + HAND[kind.index() & 7]
}
