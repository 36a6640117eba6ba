use super::{
    attacks::*, bitboard::Bitboard, color::Color, moves::Move, piece::PieceKind,
    position::Position, square::Square,
};

/// Data about the opponent's king, to tell before a move is made whether it gives check.
#[derive(Clone, Copy, Debug)]
pub struct CheckTargets {
    king: Option<Square>,
    /// Pieces of the side to move that stand alone between a slider of their own and that king.
    discoverers: Bitboard,
    /// Squares from which a bishop would attack that king.
    diagonal: Bitboard,
    /// Squares from which a rook would attack that king.
    orthogonal: Bitboard,
    /// Every square from which some piece would attack that king.
    zone: Bitboard,
}

impl CheckTargets {
    /// The data of a position without that king, in which no move gives check.
    pub const NONE: Self = Self {
        king: None,
        discoverers: Bitboard::EMPTY,
        diagonal: Bitboard::EMPTY,
        orthogonal: Bitboard::EMPTY,
        zone: Bitboard::EMPTY,
    };

    /// Computes the data for the side to move, whose pieces must not attack the opponent's king.
    #[inline]
    pub fn new(position: &Position) -> Self {
        let us = position.side_to_move();
        let Some(king) = position.king(!us) else {
            return Self::NONE;
        };
        let occupied = position.occupied();
        let diagonal = bishop_attacks(king, occupied);
        let orthogonal = rook_attacks(king, occupied);
        Self {
            king: Some(king),
            discoverers: position.blockers(!us, king) & position.pieces_of(us),
            diagonal,
            orthogonal,
            zone: king_attacks(king) | knight_attacks(!us, king) | diagonal | orthogonal,
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

    /// Returns the destinations from which a piece that comes from `from`, or is dropped, and will be a
    /// `placed` gives check.
    #[inline(always)]
    pub(crate) fn destinations(
        &self,
        position: &Position,
        placed: PieceKind,
        from: Option<Square>,
    ) -> Bitboard {
        let Some(king) = self.king else {
            return Bitboard::EMPTY;
        };
        let squares = self.squares(placed, !position.side_to_move(), king);
        match from {
            Some(from) if self.discoverers.contains(from) => {
                let line =
                    direction(king, from).map_or(Bitboard::ALL, |towards| ray(towards, king));
                squares | Bitboard::ALL.without(line)
            }
            _ => squares,
        }
    }

    /// Tells whether a legal move gives check.
    #[inline(always)]
    pub fn is_check(&self, position: &Position, mv: Move) -> bool {
        let may_discover = !self.discoverers.is_empty()
            && (mv.from()).is_some_and(|from| self.discoverers.contains(from));
        (may_discover || self.zone.contains(mv.to())) && self.attacks_king(position, mv)
    }

    /// Tells whether a move to the zone or of a discoverer gives check.
    fn attacks_king(&self, position: &Position, mv: Move) -> bool {
        let Some(king) = self.king else {
            return false;
        };
        let to = mv.to();
        let placed = match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                if self.discoverers.contains(from) && direction(king, from) != direction(king, to) {
                    return true;
                }
                let kind = position.piece(from).kind();
                if mv.is_promotion() {
                    kind.promoted()
                } else {
                    kind
                }
            }
            (None, Some(kind)) => kind,
            (None, None) => return false,
        };
        // A slider that left a line to the king on the same line would have attacked it before, so that
        // the squares of the present position serve.
        self.squares(placed, !position.side_to_move(), king)
            .contains(to)
    }

    /// Returns the squares from which a piece of a kind would attack the king of the side `them`.
    #[inline(always)]
    fn squares(&self, kind: PieceKind, them: Color, king: Square) -> Bitboard {
        match kind {
            PieceKind::Pawn => pawn_attacks(them, king),
            PieceKind::Lance => self.orthogonal & lance_lines(them, king),
            PieceKind::Knight => knight_attacks(them, king),
            PieceKind::Silver => silver_attacks(them, king),
            PieceKind::Bishop => self.diagonal,
            PieceKind::Rook => self.orthogonal,
            PieceKind::Horse => self.diagonal | king_attacks(king),
            PieceKind::Dragon => self.orthogonal | king_attacks(king),
            PieceKind::King => Bitboard::EMPTY,
            PieceKind::Gold
            | PieceKind::ProPawn
            | PieceKind::ProLance
            | PieceKind::ProKnight
            | PieceKind::ProSilver => gold_attacks(them, king),
        }
    }
}

impl Position {
    /// Returns the pieces of either side that stand alone between the king of `color` and a slider
    /// of the other side.
    #[inline]
    pub(super) fn blockers(&self, color: Color, king: Square) -> Bitboard {
        self.blockers_among(color, king, self.occupied())
    }

    /// Like [`Position::blockers`], with the board occupied as given.
    #[inline]
    pub(crate) fn blockers_among(
        &self,
        color: Color,
        king: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let mut snipers = lance_lines(color, king) & self.kinds[PieceKind::Lance.index()];
        snipers |= bishop_lines(king) & self.bishop_movers();
        snipers |= rook_lines(king) & self.rook_movers();
        snipers &= self.pieces_of(!color);
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
                let placed = after.piece(mv.to()).kind();
                let destinations = targets.destinations(&position, placed, mv.from());
                assert_eq!(destinations.contains(mv.to()), after.in_check(), "{mv}");
            }
        }
    }
}
