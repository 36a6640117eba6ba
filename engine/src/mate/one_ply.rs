//! Mate in one (Shimoyama: 一手詰み判定関数).

use crate::rules::{
    Bitboard, CheckInfo, Color, Move, Piece, PieceKind, Position, Square, king_attacks,
    piece_attacks,
};

/// The kinds whose drops can mate; mate by a pawn drop is illegal.
const DROPS: [PieceKind; 6] = [
    PieceKind::Gold,
    PieceKind::Silver,
    PieceKind::Rook,
    PieceKind::Bishop,
    PieceKind::Lance,
    PieceKind::Knight,
];

/// Finds a mate in one among the checks from squares next to the king and by knights. Mates by
/// distant sliders are left to the search.
///
/// `info` holds the checks and pins of the position; the side to move must not be in check.
///
/// ```
/// use monju_engine::{Position, mate::mate_in_one, rules::CheckInfo};
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// let mv = mate_in_one(&position, &CheckInfo::new(&position));
/// assert_eq!(mv.map(|mv| mv.to_string()).as_deref(), Some("G*5b"));
/// # Ok::<(), monju_engine::SfenError>(())
/// ```
pub fn mate_in_one(position: &Position, info: &CheckInfo) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king(!us)?;
    // A fleeing king no longer blocks the attacks of sliders.
    let attacked = position.attacked_by(us, position.occupied() ^ Bitboard::of(king));
    if !king_attacks(king).intersects(attacked)
        && !position.hand(us).has(PieceKind::Knight)
        && position.pieces(us, PieceKind::Knight).is_empty()
    {
        // Only a knight can check from a square that nothing defends.
        return None;
    }
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
    /// Squares that the attacker attacks.
    attacked: Bitboard,
    /// Squares to which the king could flee.
    escapes: Bitboard,
}

/// Returns the squares to which the king could flee; `None` if they are too many for one check.
fn escapes(position: &Position, us: Color, king: Square, attacked: Bitboard) -> Option<Bitboard> {
    /// More squares than any check can take from a king.
    const TOO_MANY: usize = 5;
    let escapes = king_attacks(king)
        .without(position.pieces_of(!us))
        .without(attacked);
    (escapes.len() <= TOO_MANY).then_some(escapes)
}

/// Returns the squares next to the king, or a knight's jump away, from which a piece of `us` attacks
/// it.
fn check_squares(us: Color, kind: PieceKind, king: Square) -> Bitboard {
    // With every square occupied, sliders attack only neighbouring squares.
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
        // Only a knight's check need not be defended.
        let mut squares = check_squares(us, kind, king).without(occupied);
        if kind != PieceKind::Knight {
            squares &= attacked;
        }
        for to in squares {
            let attacks = piece_attacks(Piece::new(us, kind), to, without_king);
            let held = escapes
                .without(attacks)
                .without(Bitboard::of(to))
                .is_empty();
            let mv = Move::drop(kind, to);
            if held
                && !is_capturable(position, us, king, to, occupied | Bitboard::of(to))
                && is_mate(position, mv)
            {
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
    let knights = if position.pieces(us, PieceKind::Knight).is_empty() {
        Bitboard::EMPTY
    } else {
        check_squares(us, PieceKind::Knight, king)
    };
    for to in ((king_attacks(king) | knights) & attacked).without(own) {
        let attackers = position.attackers(us, to, occupied);
        for from in attackers.without(own_king) {
            let kind = position.piece(from).kind();
            let left = occupied ^ Bitboard::of(from);
            // A second attacker defends the piece, or one that stands behind it.
            if king_attacks(king).contains(to)
                && !attackers.has_several()
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
                    && !is_capturable(position, us, king, to, left | Bitboard::of(to))
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

/// Tells whether the side of `king` can surely end the check by a piece of `us` that has come to `to`, with a capture
/// by another piece than its king; captures by pieces that may be pinned are not counted.
fn is_capturable(
    position: &Position,
    us: Color,
    king: Square,
    to: Square,
    occupied: Bitboard,
) -> bool {
    let capturers = (position.attackers(!us, to, occupied)).without(Bitboard::of(king));
    !capturers.is_empty()
        && !capturers
            .without(position.blockers_among(!us, king, occupied))
            .is_empty()
        // No capture ends a double check.
        && !position.is_attacked(us, king, occupied)
}

/// Tells whether a legal move mates.
fn is_mate(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.make(mv);
    after.in_check() && !after.has_legal_move()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MoveList, testing::random_positions};

    #[test]
    fn a_double_check_mates_although_the_piece_can_be_captured() {
        let position = Position::from_sfen("7gk/9/7PS/9/8R/9/9/9/K8 b - 1").unwrap();
        let mv = mate_in_one(&position, &CheckInfo::new(&position));
        assert_eq!(mv.map(|mv| mv.to_string()).as_deref(), Some("1c2b+"));
    }

    #[test]
    fn found_moves_mate_and_most_mates_are_found() {
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
