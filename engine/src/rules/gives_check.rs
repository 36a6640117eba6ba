use super::{
    attacks::*,
    bitboard::Bitboard,
    color::Color,
    moves::Move,
    piece::{Piece, PieceKind},
    position::Position,
    square::Square,
};

/// Data about the opponent's king, to tell before a move is made whether it gives check.
#[derive(Clone, Copy, Debug)]
pub struct CheckTargets {
    king: Option<Square>,
    /// Pieces of the side to move that stand alone between a slider of their own and that king.
    discoverers: Bitboard,
    /// Every square from which some piece would attack that king.
    zone: Bitboard,
}

impl CheckTargets {
    /// Computes the data for the side to move.
    #[inline]
    pub fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let Some(king) = position.king(!us) else {
            return Self {
                king: None,
                discoverers: Bitboard::EMPTY,
                zone: Bitboard::EMPTY,
            };
        };
        let occupied = position.occupied();
        Self {
            king: Some(king),
            discoverers: position.blockers(!us, king) & position.pieces_of(us),
            zone: king_attacks(king)
                | knight_attacks(!us, king)
                | bishop_attacks(king, occupied)
                | rook_attacks(king, occupied),
        }
    }

    /// Returns every square from which some piece would attack the king.
    #[inline]
    pub(crate) fn zone(&self) -> Bitboard {
        self.zone
    }

    /// Tells whether some piece could give a discovered check.
    #[inline]
    pub(crate) fn can_discover(&self) -> bool {
        !self.discoverers.is_empty()
    }

    /// Tells whether a legal move gives check.
    #[inline(always)]
    pub fn is_check(&self, position: &Position, mv: Move) -> bool {
        let may_discover = !self.discoverers.is_empty()
            && (mv.from()).is_some_and(|from| self.discoverers.contains(from));
        (may_discover || self.zone.contains(mv.to())) && self.attacks_king(position, mv)
    }

    /// Tells whether a move to the zone or of a discoverer gives check.
    #[inline(never)]
    fn attacks_king(&self, position: &Position, mv: Move) -> bool {
        let Some(king) = self.king else {
            return false;
        };
        let us = position.side_to_move();
        let to = mv.to();
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                let piece = position.piece(from);
                let placed = if mv.is_promotion() {
                    Piece::new(us, piece.kind().promoted())
                } else {
                    piece
                };
                let occupied = position.occupied() ^ Bitboard::of(from) | Bitboard::of(to);
                piece_attacks(placed, to, occupied).contains(king)
                    || self.discoverers.contains(from)
                        && direction(king, from) != direction(king, to)
            }
            (None, Some(kind)) => {
                let placed = Piece::new(us, kind);
                piece_attacks(placed, to, position.occupied()).contains(king)
            }
            (None, None) => false,
        }
    }
}

impl Position {
    /// Returns the pieces of either side that stand alone between the king of `color` and a slider
    /// of the other side.
    #[inline]
    pub(super) fn blockers(&self, color: Color, king: Square) -> Bitboard {
        let mut snipers = lance_lines(color, king) & self.kinds[PieceKind::Lance.index()];
        snipers |= bishop_lines(king) & self.bishop_movers();
        snipers |= rook_lines(king) & self.rook_movers();
        snipers &= self.pieces_of(!color);
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let standing = between(king, sniper) & occupied;
            if !standing.has_several() {
                blockers |= standing;
            }
        }
        blockers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MoveList, testing::random_positions};

    #[test]
    fn a_move_is_a_check_when_the_opponent_is_in_check_after_it() {
        for position in random_positions(11, 40, 160) {
            let targets = CheckTargets::new(&position);
            for &mv in MoveList::legal(&position).as_slice() {
                let mut after = position.clone();
                after.make(mv);
                assert_eq!(targets.is_check(&position, mv), after.in_check(), "{mv}");
            }
        }
    }
}
