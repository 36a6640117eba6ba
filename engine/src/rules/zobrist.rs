//! Zobrist keys of positions: an exclusive or over values for pieces on squares and pieces in hand
//! (Hosoe et al., section 2: 駒の種類, マス, 持駒).

use super::{
    color::Color,
    piece::{Piece, PieceKind},
    square::Square,
};
use crate::random::{SplitMix64, spread};

const BOARD_SEED: u64 = 0x6d6f_6e6a_7501;
const HAND_SEED: u64 = 0x6d6f_6e6a_7502;
const SIDE_SEED: u64 = 0x6d6f_6e6a_7503;

static BOARD: [[u64; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut random = SplitMix64::from_state(BOARD_SEED);
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            table[piece][square] = random.next();
            square += 1;
        }
        piece += 1;
    }
    table
};

/// One value for each piece of a kind in a hand, counted from 1. The exclusive or of the values is
/// the hand.
static HAND: [[[u64; 19]; 8]; 2] = {
    let mut table = [[[0; 19]; 8]; 2];
    let mut random = SplitMix64::from_state(HAND_SEED);
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 8 {
            let mut count = 1;
            while count < 19 {
                table[color][kind][count] = random.next();
                count += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    table
};

/// The value of White's turn.
pub(super) const SIDE: u64 = spread(SIDE_SEED);

/// Returns the value of a piece on a square.
#[inline(always)]
pub(super) fn board(piece: Piece, square: Square) -> u64 {
    BOARD[piece.index()][square.index()]
}

/// Returns the value of the `count`-th piece of a kind in a hand, `count` between 1 and 18.
#[inline(always)]
pub(super) fn hand(color: Color, kind: PieceKind, count: usize) -> u64 {
    HAND[color.index()][kind.index() & 7][count]
}
