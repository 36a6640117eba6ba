//! The features of a move by which the order is learned.
//!
//! They follow Shimoyama, section 5: squares relative to both kings and to the last move's destination, the
//! pieces around the destination, attacks on both squares, what is captured and by what, whether the exchange on the
//! destination loses, the moved piece against the piece that moved last, and the score in steps. Left and right count
//! as the same. The histories and the table's move are in the score already. Left out are all with the progress of the
//! game, the distance between the kings with drops and attacks, the enemy king's distance with the exchange and the
//! victim, the kind that the last move captured, and checks with captures of a piece that is taken for nothing.

use super::{
    groups::{Groups, step},
    order_sample::{LastMove, OrderStage},
};
use crate::{
    eval::gains_at_least,
    rules::{Bitboard, Color, Move, PieceKind, Position, Square, pawn_attacks},
};
use strum::VariantArray;

/// Number of groups of features, of each of which one is present.
const PRESENT: usize = 18;

/// The features of a move that are present, as numbers below [`ORDER_FEATURES`].
pub type OrderFeatures = [u32; PRESENT];

/// Offsets of two squares: files apart, and ranks forward from -8 to 8.
const OFFSETS: usize = 9 * RANKS_APART;
const RANKS_APART: usize = 17;
/// Pieces as they move: plainly, dropped or promoting.
const MOVERS: usize = 3 * PieceKind::COUNT;
/// Kinds of pieces, and none.
const KINDS: usize = PieceKind::COUNT + 1;
/// Contents of a neighbouring square: pieces of both sides, nothing, the edge of the board.
const CONTENTS: usize = 2 * PieceKind::COUNT + 2;
/// Neighbours of a square.
const NEIGHBOURS: usize = 8;
/// Steps of the score, and their width.
const SCORES: (usize, i32) = (32, 1_500);

const GROUPS: Groups<PRESENT> = Groups::new([
    // Destination from the opponent's king, from the own king, from the last move's destination
    OFFSETS * MOVERS,
    OFFSETS * MOVERS,
    OFFSETS * MOVERS,
    // Origin from the same squares
    OFFSETS * KINDS,
    OFFSETS * KINDS,
    OFFSETS * KINDS,
    // The piece that moved last
    KINDS * MOVERS,
    // Attacks on the destination: none, by a pawn, by another piece; defended or not; attacks on the origin
    3 * 2 * 3 * MOVERS,
    // The captured piece; whether it has captured with the last move; whether the exchange loses
    2 * 2 * KINDS * MOVERS,
    // Pieces around the destination
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    PieceKind::COUNT * CONTENTS,
    // The score
    SCORES.0,
]);

/// Number of features, each of which has a weight.
pub const ORDER_FEATURES: usize = GROUPS.count * OrderStage::VARIANTS.len();

/// A node whose moves are to be ordered.
#[derive(Clone, Copy, Debug)]
pub struct OrderNode<'a> {
    position: &'a Position,
    us: Color,
    first_feature: u32,
    last: Option<LastMove>,
    last_kind: usize,
    /// Squares that the opponent attacks, those that its pawns attack, and those that the side to move attacks.
    attacked: Bitboard,
    attacked_by_pawns: Bitboard,
    defended: Bitboard,
}

impl<'a> OrderNode<'a> {
    /// Looks at a position once for all its moves of a stage.
    pub fn new(position: &'a Position, stage: OrderStage, last: Option<LastMove>) -> Self {
        let us = position.side_to_move();
        let occupied = position.occupied();
        let mut attacked_by_pawns = Bitboard::EMPTY;
        for square in position.pieces(!us, PieceKind::Pawn) {
            attacked_by_pawns |= pawn_attacks(!us, square);
        }
        let last_kind = last.and_then(|last| position.piece(last.to).get());
        Self {
            position,
            us,
            first_feature: (stage as usize * GROUPS.count) as u32,
            last,
            last_kind: last_kind.map_or(PieceKind::COUNT, |(_, kind)| kind.index()),
            attacked: position.attacked_by(!us, occupied),
            attacked_by_pawns,
            defended: position.attacked_by(us, occupied),
        }
    }

    /// Returns the features of a move with a score.
    pub fn features(&self, mv: Move, score: i32) -> OrderFeatures {
        let (position, us) = (self.position, self.us);
        let (to, from) = (mv.to(), mv.from());
        let kind = match (from, mv.dropped()) {
            (Some(from), _) => position.piece(from).kind().index(),
            (None, kind) => kind.map_or(0, PieceKind::index),
        };
        let way = match (from, mv.is_promotion()) {
            (None, _) => 1,
            (Some(_), true) => 2,
            (Some(_), false) => 0,
        };
        let mover = way * PieceKind::COUNT + kind;
        let board_kind = from.map_or(PieceKind::COUNT, |_| kind);
        let last = self.last.map(|last| last.to);
        let marks = [position.king(!us), position.king(us), last];
        let destinations = marks.map(|mark| offset(us, mark, Some(to)) * MOVERS + mover);
        let origins = marks.map(|mark| offset(us, mark, from) * KINDS + board_kind);
        let attacks = |square: Option<Square>| match square {
            Some(square) if self.attacked_by_pawns.contains(square) => 1,
            Some(square) if self.attacked.contains(square) => 2,
            _ => 0,
        };
        let safety = (attacks(Some(to)) * 2 + usize::from(self.defended.contains(to))) * 3;
        let victim = position.piece(to).get();
        let victim = victim.map_or(PieceKind::COUNT, |(_, kind)| kind.index());
        let recaptures = self.last.is_some_and(|last| last.captures && last.to == to);
        let loses = !gains_at_least(position, mv, 0);
        let exchange = usize::from(recaptures) * 2 + usize::from(loses);
        let around = neighbours(us, to).map(|square| kind * CONTENTS + self.content(square));
        let [a, b, c, d, e, f, g, h] = around;
        let numbers = GROUPS.numbers([
            destinations[0],
            destinations[1],
            destinations[2],
            origins[0],
            origins[1],
            origins[2],
            self.last_kind * MOVERS + mover,
            (safety + attacks(from)) * MOVERS + mover,
            (exchange * KINDS + victim) * MOVERS + mover,
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            step(score, SCORES.1, SCORES.0),
        ]);
        numbers.map(|number| self.first_feature + number)
    }

    /// Returns the number of what is on a square, seen by the side to move.
    fn content(&self, square: Option<Square>) -> usize {
        let Some(square) = square else {
            return CONTENTS - 1;
        };
        match self.position.piece(square).get() {
            Some((color, kind)) => usize::from(color != self.us) * PieceKind::COUNT + kind.index(),
            None => CONTENTS - 2,
        }
    }
}

/// Returns the number of the offset from one square to another, seen by a side. A missing one lies eight ranks behind.
fn offset(us: Color, from: Option<Square>, to: Option<Square>) -> usize {
    let (Some(from), Some(to)) = (from, to) else {
        return 0;
    };
    let files = from.file().abs_diff(to.file());
    let forward = from.relative_rank(us) + RANKS_APART / 2 - to.relative_rank(us);
    files * RANKS_APART + forward
}

/// Returns the squares around one, in an order seen by a side.
fn neighbours(us: Color, square: Square) -> [Option<Square>; NEIGHBOURS] {
    let around = AROUND[square.index()];
    let squares = match us {
        Color::Black => around,
        Color::White => {
            let [a, b, c, d, e, f, g, h] = around;
            [h, g, f, e, d, c, b, a]
        }
    };
    squares.map(|index| Square::new(usize::from(index)))
}

/// A number that is no square's.
const OUTSIDE: u8 = u8::MAX;

/// The squares around each square; turning the board turns the order.
static AROUND: [[u8; NEIGHBOURS]; Square::COUNT] = around();

const fn around() -> [[u8; NEIGHBOURS]; Square::COUNT] {
    /// Steps of files and ranks.
    const STEPS: [(isize, isize); NEIGHBOURS] = [
        (-1, -1),
        (0, -1),
        (1, -1),
        (-1, 0),
        (1, 0),
        (-1, 1),
        (0, 1),
        (1, 1),
    ];
    let mut table = [[OUTSIDE; NEIGHBOURS]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = match Square::new(index) {
            Some(square) => (square.file(), square.rank()),
            None => (0, 0),
        };
        let mut way = 0;
        while way < NEIGHBOURS {
            let (files, ranks) = STEPS[way];
            if let (Some(file), Some(rank)) = (
                file.checked_add_signed(files),
                rank.checked_add_signed(ranks),
            ) && let Some(square) = Square::at(file, rank)
            {
                table[index][way] = square.index() as u8;
            }
            way += 1;
        }
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        MoveList,
        testing::{random_positions, turned},
    };

    fn turned_move(mv: Move) -> Move {
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => Move::new(from.flip(), mv.to().flip(), mv.is_promotion()),
            (None, Some(kind)) => Move::drop(kind, mv.to().flip()),
            (None, None) => mv,
        }
    }

    #[test]
    fn a_turned_board_has_the_same_features() {
        for (index, position) in random_positions(9, 2, 120).iter().enumerate() {
            let opposite = turned(position);
            let to = Square::new(index % Square::COUNT);
            let last = to.map(|to| LastMove {
                to,
                captures: index.is_multiple_of(2),
            });
            let opposite_last = last.map(|last| LastMove {
                to: last.to.flip(),
                ..last
            });
            let legal = MoveList::legal(position);
            for &stage in OrderStage::VARIANTS {
                for (last, opposite_last) in [(last, opposite_last), (None, None)] {
                    let node = OrderNode::new(position, stage, last);
                    let turned = OrderNode::new(&opposite, stage, opposite_last);
                    for (score, &mv) in (0..).step_by(100).zip(legal.iter()) {
                        let features = node.features(mv, score);
                        assert!(features.iter().all(|&one| (one as usize) < ORDER_FEATURES));
                        assert_eq!(features, turned.features(turned_move(mv), score), "{mv}");
                    }
                }
            }
        }
    }
}
