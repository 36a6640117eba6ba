//! Numbers of the pieces of a position, and the symmetries of the board among them.
//!
//! Promoted pawns, lances, knights and silvers move like golds and share their numbers. The n-th
//! piece of a kind in a hand has a number of its own, so that the third pawn in hand may be worth
//! less than the first.

use crate::rules::{Color, Piece, PieceKind, Square};

/// Number of pieces in a set.
pub const SET: usize = 40;

/// Number of numbers of one side's hand: one for each piece that it could hold.
pub const HAND: usize = 38;

/// Number of kinds that differ in their relations, the king last.
pub const KINDS: usize = 10;

/// First number of a piece on the board.
pub const BOARD: usize = 1 + 2 * HAND;

/// Number of all numbers; 0 stands for a missing piece.
pub const COUNT: usize = BOARD + 2 * KINDS * Square::COUNT;

/// Number of each kind among those that differ in their relations.
const RELATED: [usize; PieceKind::COUNT] = [0, 1, 2, 3, 5, 6, 4, 9, 4, 4, 4, 4, 7, 8];

/// First index of each kind within a hand.
const HAND_BASE: [usize; 8] = [0, 18, 22, 26, 30, 32, 34, HAND];

/// Returns the number of a piece on the board.
#[inline(always)]
pub const fn on_board(piece: Piece, square: Square) -> u16 {
    let side = (piece.index() >> 4) * KINDS;
    (BOARD + (side + RELATED[piece.kind().index()]) * Square::COUNT + square.index()) as u16
}

/// Returns the number of the `count`-th piece of a kind in a hand, counted from 1.
#[inline(always)]
pub const fn in_hand(color: Color, kind: PieceKind, count: usize) -> u16 {
    (color.index() * HAND + hand_place(kind, count) + 1) as u16
}

/// Returns the index of the `count`-th piece of a kind within one side's hand, below [`HAND`].
#[inline(always)]
pub const fn hand_place(kind: PieceKind, count: usize) -> usize {
    HAND_BASE[kind.index() & 7] + count - 1
}

/// Meaning of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A missing piece.
    Nothing,
    /// A side's piece in hand, by its index there.
    Hand(Color, usize),
    /// A side's piece on the board, by its kind among those that differ in their relations.
    Board(Color, usize, Square),
}

/// Returns the meaning of a number below [`COUNT`].
pub fn meaning(number: usize) -> Meaning {
    if number == 0 {
        return Meaning::Nothing;
    }
    let color = |second| if second { Color::White } else { Color::Black };
    if number < BOARD {
        let place = number - 1;
        return Meaning::Hand(color(place >= HAND), place % HAND);
    }
    let (side_and_kind, square) = (
        (number - BOARD) / Square::COUNT,
        (number - BOARD) % Square::COUNT,
    );
    Meaning::Board(
        color(side_and_kind >= KINDS),
        side_and_kind % KINDS,
        Square::from_index(square),
    )
}

fn number(meaning: Meaning) -> usize {
    match meaning {
        Meaning::Nothing => 0,
        Meaning::Hand(color, place) => 1 + color.index() * HAND + place,
        Meaning::Board(color, kind, square) => {
            BOARD + (color.index() * KINDS + kind) * Square::COUNT + square.index()
        }
    }
}

/// Returns the square mirrored left to right.
pub const fn mirrored_square(square: Square) -> Square {
    Square::from_index((8 - square.file()) * 9 + square.rank())
}

/// Returns the number of the same piece of the other side, as that side sees the board.
pub fn flipped(index: usize) -> usize {
    number(match meaning(index) {
        Meaning::Nothing => Meaning::Nothing,
        Meaning::Hand(color, place) => Meaning::Hand(!color, place),
        Meaning::Board(color, kind, square) => Meaning::Board(!color, kind, square.flip()),
    })
}

/// Returns the number of the same piece on the board mirrored left to right.
pub fn mirrored(index: usize) -> usize {
    number(match meaning(index) {
        Meaning::Board(color, kind, square) => Meaning::Board(color, kind, mirrored_square(square)),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_number_has_one_meaning() {
        for index in 0..COUNT {
            assert_eq!(number(meaning(index)), index);
        }
        let mut hands = HashSet::new();
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                for count in 1..=kind.count_in_set() {
                    assert!(hands.insert(in_hand(color, kind, count)));
                }
            }
        }
        assert_eq!(hands.len(), 2 * HAND);
        assert!(
            hands
                .iter()
                .all(|&index| (1..BOARD).contains(&(index as usize)))
        );
        let square = Square::from_index(33);
        let tokin = on_board(Piece::new(Color::White, PieceKind::ProPawn), square);
        let gold = on_board(Piece::new(Color::White, PieceKind::Gold), square);
        assert_eq!(tokin, gold);
        assert_eq!(
            meaning(gold.into()),
            Meaning::Board(Color::White, 4, square)
        );
    }

    #[test]
    fn symmetries_are_their_own_inverses_and_commute() {
        for index in 0..COUNT {
            assert_eq!(flipped(flipped(index)), index);
            assert_eq!(mirrored(mirrored(index)), index);
            assert_eq!(flipped(mirrored(index)), mirrored(flipped(index)));
        }
    }
}
