//! Mate in one (paper 003: 一手詰み判定関数).

use crate::rules::{
    Bitboard, CheckInfo, Color, Move, MoveList, Piece, PieceKind, Position, Square, king_attacks,
    piece_attacks,
};

/// The kinds whose drops can mate; a pawn's must not.
const DROPS: [PieceKind; 6] = [
    PieceKind::Gold,
    PieceKind::Silver,
    PieceKind::Rook,
    PieceKind::Bishop,
    PieceKind::Lance,
    PieceKind::Knight,
];

/// A move that mates at once, if there is one among checks from next to the king and by knights.
/// Mates by sliders from afar, whose check could be blocked, are left to the search.
///
/// `info` is the position's; the side to move must not be in check.
pub fn mate_in_one(position: &Position, info: &CheckInfo) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king(!us)?;
    // Where the king flees, it is no longer in the way of what attacks it.
    let attacked = position.attacked_by(us, position.occupied() ^ Bitboard::of(king));
    let flight = Flight {
        king,
        attacked,
        escapes: escapes(position, us, king, attacked)?,
    };
    drop_mate(position, us, &flight).or_else(|| board_mate(position, info, us, &flight))
}

/// The king to be mated, and its surroundings.
struct Flight {
    king: Square,
    /// What the other side attacks.
    attacked: Bitboard,
    /// Where the king could go.
    escapes: Bitboard,
}

/// Where the king of the other side could go; `None` when that is too much for one check.
fn escapes(position: &Position, us: Color, king: Square, attacked: Bitboard) -> Option<Bitboard> {
    /// No check takes more squares from a king than a gold's or a dragon's.
    const TOO_MANY: usize = 5;
    let escapes = king_attacks(king)
        .without(position.pieces_of(!us))
        .without(attacked);
    (escapes.len() <= TOO_MANY).then_some(escapes)
}

/// The squares from which a piece of `us` attacks the king as if the board were empty around it.
fn check_squares(us: Color, kind: PieceKind, king: Square) -> Bitboard {
    // With every square occupied, sliders reach their neighbours only.
    piece_attacks(Piece::new(!us, kind), king, Bitboard::ALL)
}

fn drop_mate(position: &Position, us: Color, flight: &Flight) -> Option<Move> {
    let &Flight {
        king,
        attacked,
        escapes,
    } = flight;
    let hand = position.hand(us);
    if hand.is_empty() {
        return None;
    }
    let occupied = position.occupied();
    let without_king = occupied ^ Bitboard::of(king);
    for kind in DROPS {
        if !hand.has(kind) {
            continue;
        }
        for to in check_squares(us, kind, king).without(occupied) {
            let attacks = piece_attacks(Piece::new(us, kind), to, without_king);
            let held = escapes
                .without(attacks)
                .without(Bitboard::of(to))
                .is_empty();
            let mv = Move::drop(kind, to);
            let safe = kind == PieceKind::Knight || attacked.contains(to);
            if held && safe && is_mate(position, mv) {
                return Some(mv);
            }
        }
    }
    None
}

fn board_mate(position: &Position, info: &CheckInfo, us: Color, flight: &Flight) -> Option<Move> {
    let &Flight {
        king,
        attacked,
        escapes,
    } = flight;
    let occupied = position.occupied();
    let own_king = position.pieces(us, PieceKind::King);
    let own = position.pieces_of(us);
    let knights = check_squares(us, PieceKind::Knight, king);
    for to in ((king_attacks(king) | knights) & attacked).without(own) {
        for from in position.attackers(us, to, occupied).without(own_king) {
            let kind = position.piece(from).kind();
            let left = occupied ^ Bitboard::of(from);
            let contact = king_attacks(king).contains(to);
            if contact
                && !position
                    .attackers(us, to, left)
                    .intersects(own ^ Bitboard::of(from))
            {
                continue;
            }
            for promotion in [true, false] {
                let mv = Move::new(from, to, promotion);
                let placed = if promotion { kind.promoted() } else { kind };
                let attacks = piece_attacks(
                    Piece::new(us, placed),
                    to,
                    left ^ Bitboard::of(king) | Bitboard::of(to),
                );
                if attacks.contains(king)
                    && escapes
                        .without(attacks)
                        .without(Bitboard::of(to))
                        .is_empty()
                    && position.is_legal_given(mv, info)
                    && is_mate(position, mv)
                {
                    return Some(mv);
                }
            }
        }
    }
    None
}

/// Whether a legal move leaves the other side in check without an answer.
fn is_mate(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.make(mv);
    after.in_check() && MoveList::legal(&after).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::random_positions;

    #[test]
    fn what_is_found_mates_and_contact_mates_are_found() {
        let (mut found, mut mates) = (0, 0);
        let positions = random_positions(9, 150, 200).into_iter();
        for position in positions.filter(|position| !position.in_check()) {
            let legal = MoveList::legal(&position);
            if let Some(mv) = mate_in_one(&position, &CheckInfo::new(&position)) {
                assert!(
                    legal.contains(&mv) && is_mate(&position, mv),
                    "{position} {mv}"
                );
                found += 1;
            }
            mates += usize::from(legal.iter().any(|&mv| is_mate(&position, mv)));
        }
        assert!(mates > 40, "{mates}");
        assert!(found * 10 >= mates * 7, "{found} of {mates}");
    }
}
