//! Features of networks: pieces on squares and pieces in hand, with the usual numbers of shogi
//! networks (Bonanza's piece numbers, as YaneuraOu lists them), once from each side's point of view.
//!
//! Number 0 stands for a piece that is out of the game. Then come the pieces in hand, one number
//! for each first, second, … piece of a kind, and the pieces on the board: for each kind 81 squares
//! of the viewer's own pieces and 81 of the opponent's. From White's point of view the board is
//! turned round. Golds and pieces that move like golds have the same numbers.

use crate::rules::{Color, Move, Piece, PieceKind, Position, Square};

/// Number of numbers without those of the kings.
pub const PIECES: usize = 1548;

/// Number of numbers with those of the kings.
pub const PIECES_AND_KINGS: usize = PIECES + 2 * Square::COUNT;

/// The number of a piece that is out of the game.
pub const OUT_OF_GAME: u16 = 0;

/// Number of pieces in a complete set, without the kings.
const SET: usize = 38;

/// First numbers of the viewer's own and of the opponent's pieces in hand, by kind.
const HAND: [[u16; 2]; 7] = [
    [1, 20],
    [39, 44],
    [49, 54],
    [59, 64],
    [79, 82],
    [85, 88],
    [69, 74],
];

/// First number of the viewer's own pieces on the board, by kind; the opponent's are 81 further.
const BOARD: [u16; PieceKind::COUNT] = {
    const FIRST: u16 = 90;
    const STEP: u16 = 2 * Square::COUNT as u16;
    const GOLD: u16 = FIRST + 4 * STEP;
    [
        FIRST,
        FIRST + STEP,
        FIRST + 2 * STEP,
        FIRST + 3 * STEP,
        FIRST + 5 * STEP,
        FIRST + 7 * STEP,
        GOLD,
        PIECES as u16,
        GOLD,
        GOLD,
        GOLD,
        GOLD,
        FIRST + 6 * STEP,
        FIRST + 8 * STEP,
    ]
};

/// Number of one piece from Black's and from White's point of view.
pub type PieceNumbers = [u16; 2];

/// Numbers of each piece on each square.
static ON_BOARD: [[PieceNumbers; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[[0; 2]; Square::COUNT]; Piece::COUNT];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let black = Piece::new(Color::Black, PieceKind::ALL[kind]).index();
        let white = Piece::new(Color::White, PieceKind::ALL[kind]).index();
        let mut square = 0;
        while square < Square::COUNT {
            let turned = 80 - square as u16;
            let (own, other) = (BOARD[kind], BOARD[kind] + Square::COUNT as u16);
            table[black][square] = [own + square as u16, other + turned];
            table[white][square] = [other + square as u16, own + turned];
            square += 1;
        }
        kind += 1;
    }
    table
};

#[inline(always)]
fn on_board(piece: Piece, square: Square) -> PieceNumbers {
    ON_BOARD[piece.index()][square.index()]
}

/// Returns the numbers of the next piece of a kind in a hand that holds `count` of them.
#[inline(always)]
fn in_hand(color: Color, kind: PieceKind, count: usize) -> PieceNumbers {
    let first = HAND[kind.index() % HAND.len()];
    let count = count as u16;
    match color {
        Color::Black => [first[0] + count, first[1] + count],
        Color::White => [first[1] + count, first[0] + count],
    }
}

/// Returns for each number the number from the other side's point of view.
pub const fn turned_numbers() -> [u16; PIECES_AND_KINGS] {
    let mut turned = [0; PIECES_AND_KINGS];
    let mut kind = 0;
    while kind < HAND.len() {
        let [own, other] = HAND[kind];
        let mut count = 0;
        while count < other - own {
            turned[(own + count) as usize] = other + count;
            turned[(other + count) as usize] = own + count;
            count += 1;
        }
        kind += 1;
    }
    let mut kind = 0;
    while kind < BOARD.len() {
        let mut square = 0;
        while square < Square::COUNT as u16 {
            let own = BOARD[kind] + square;
            let other = BOARD[kind] + Square::COUNT as u16 + 80 - square;
            turned[own as usize] = other;
            turned[other as usize] = own;
            square += 1;
        }
        kind += 1;
    }
    turned
}

/// Returns for each number the number on the board mirrored left to right.
pub const fn mirrored_numbers() -> [u16; PIECES_AND_KINGS] {
    let mut mirrored = [0; PIECES_AND_KINGS];
    let mut number = 0;
    while number < PIECES_AND_KINGS {
        mirrored[number] = number as u16;
        if number >= BOARD[0] as usize {
            let square = (number - BOARD[0] as usize) % Square::COUNT;
            let (file, rank) = (square / 9, square % 9);
            mirrored[number] = (number - square + (8 - file) * 9 + rank) as u16;
        }
        number += 1;
    }
    mirrored
}

/// Calls `visit` with the numbers of every piece, kings included, and of every missing one.
pub fn for_each(position: &Position, mut visit: impl FnMut(PieceNumbers)) {
    let mut present = 0;
    for square in position.occupied() {
        let piece = position.piece(square);
        present += usize::from(piece.kind() != PieceKind::King);
        visit(on_board(piece, square));
    }
    for color in Color::ALL {
        for kind in PieceKind::HAND {
            for count in 0..position.hand(color).count(kind) {
                present += 1;
                visit(in_hand(color, kind, count));
            }
        }
    }
    for _ in present..SET {
        visit([OUT_OF_GAME; 2]);
    }
}

/// The pieces removed and added by a move, at most two each.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeatureChange {
    removed: [PieceNumbers; 2],
    added: [PieceNumbers; 2],
    captures: bool,
    /// The side whose king has moved.
    pub king: Option<Color>,
}

impl FeatureChange {
    /// Returns the change by `mv` in the position before it.
    #[inline(always)]
    pub fn of(position: &Position, mv: Move) -> Self {
        let us = position.side_to_move();
        let to = mv.to();
        let mut change = Self::default();
        if let Some(from) = mv.from() {
            let piece = position.piece(from);
            let placed = mv.placed(piece);
            change.removed[0] = on_board(piece, from);
            change.added[0] = on_board(placed, to);
            if piece.kind() == PieceKind::King {
                change.king = Some(us);
            }
            let captured = position.piece(to);
            if !captured.is_none() {
                let kind = captured.kind().unpromoted();
                change.captures = true;
                change.removed[1] = on_board(captured, to);
                change.added[1] = in_hand(us, kind, position.hand(us).count(kind));
            }
        } else if let Some(kind) = mv.dropped() {
            // The hand of a legal drop is not empty.
            let left = position.hand(us).count(kind).saturating_sub(1);
            change.removed[0] = in_hand(us, kind, left);
            change.added[0] = on_board(Piece::new(us, kind), to);
        }
        change
    }

    /// Returns the change by taking the opponent's pawn on a square into the hand of the side to move.
    pub fn taking_pawn(position: &Position, square: Square) -> Self {
        let us = position.side_to_move();
        let count = position.hand(us).count(PieceKind::Pawn);
        let mut change = Self::default();
        change.removed[0] = on_board(Piece::new(!us, PieceKind::Pawn), square);
        change.added[0] = in_hand(us, PieceKind::Pawn, count);
        change
    }

    /// Returns the removed pieces.
    #[inline(always)]
    pub fn removed(&self) -> &[PieceNumbers] {
        &self.removed[..1 + usize::from(self.captures)]
    }

    /// Returns the added pieces, as many as are removed.
    #[inline(always)]
    pub fn added(&self) -> &[PieceNumbers] {
        &self.added[..1 + usize::from(self.captures)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::turned as turned_board;

    fn numbers(sfen: &str) -> Vec<PieceNumbers> {
        let mut numbers = Vec::new();
        for_each(&Position::from_sfen(sfen).unwrap(), |seen| {
            numbers.push(seen);
        });
        numbers.sort_unstable();
        numbers
    }

    /// The expected numbers are those of YaneuraOu's `evaluate.h`.
    #[test]
    fn pieces_have_the_usual_numbers() {
        let of = |color, kind, square: &str| {
            let square = Square::parse(square.as_bytes()[0], square.as_bytes()[1]).unwrap();
            on_board(Piece::new(color, kind), square)
        };
        use Color::{Black, White};
        assert_eq!(of(Black, PieceKind::Pawn, "1a"), [90, 171 + 80]);
        assert_eq!(of(White, PieceKind::Pawn, "1a"), [171, 90 + 80]);
        assert_eq!(of(Black, PieceKind::Gold, "2b"), [738 + 10, 819 + 70]);
        assert_eq!(of(Black, PieceKind::ProSilver, "2b"), [748, 889]);
        assert_eq!(of(Black, PieceKind::Bishop, "1a")[0], 900);
        assert_eq!(of(Black, PieceKind::Horse, "1a")[0], 1062);
        assert_eq!(of(Black, PieceKind::Rook, "1a")[0], 1224);
        assert_eq!(of(White, PieceKind::Dragon, "9i")[0], 1547);
        assert_eq!(of(Black, PieceKind::King, "5i"), [1548 + 44, 1629 + 36]);
        assert_eq!(in_hand(Black, PieceKind::Pawn, 17), [18, 37]);
        assert_eq!(in_hand(White, PieceKind::Rook, 1), [89, 86]);
    }

    #[test]
    fn both_sides_of_a_turned_position_see_the_same() {
        let board = "ln1gk1snl/6gb1/p2p1pppp/1rP1p4/9/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL";
        let sfen = format!("{board} b Pbp 55");
        let position = Position::from_sfen(&sfen).expect("a position");
        let one = numbers(&sfen);
        let two = numbers(&turned_board(&position).to_string());
        let turned = |numbers: &[PieceNumbers]| {
            let mut turned: Vec<PieceNumbers> = numbers.iter().map(|&[b, w]| [w, b]).collect();
            turned.sort_unstable();
            turned
        };
        assert_eq!(one.len(), 40);
        assert_eq!(turned(&one), two);
    }

    #[test]
    fn turned_numbers_are_those_of_the_other_side() {
        let turned = turned_numbers();
        for sfen in crate::positions::POSITIONS {
            for [black, white] in numbers(sfen) {
                assert_eq!(turned[usize::from(black)], white, "{sfen}");
                assert_eq!(turned[usize::from(white)], black, "{sfen}");
            }
        }
    }

    #[test]
    fn mirrored_numbers_are_those_of_the_mirrored_position() {
        let board = "ln1gk1snl/6gb1/p2p1pppp/1rP1p4/9/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL";
        let ranks: Vec<String> = board
            .split('/')
            .map(|rank| rank.chars().rev().collect())
            .collect();
        let mirrored = mirrored_numbers();
        let mut one = numbers(&format!("{board} b Pbp 55"));
        for seen in &mut one {
            *seen = seen.map(|number| mirrored[usize::from(number)]);
        }
        one.sort_unstable();
        assert_eq!(one, numbers(&format!("{} b Pbp 55", ranks.join("/"))));
    }

    #[test]
    fn missing_pieces_are_counted() {
        let numbers = numbers("8k/9/7G1/9/9/9/9/9/K8 b G 1");
        assert_eq!(numbers.len(), 40);
        assert_eq!(numbers.iter().filter(|seen| seen[0] == 0).count(), 36);
    }
}
