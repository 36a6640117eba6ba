use super::{attacks::*, bitboard::Bitboard, piece::PieceKind, position::Position, square::Square};

/// Checks and pins of a position, which a generator of legal moves needs first.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// The king of the side to move.
    pub king: Option<Square>,
    /// The opponent's pieces that give check.
    pub checkers: Bitboard,
    /// The side to move's pieces that may not leave the line to their king.
    pub pinned: Bitboard,
}

impl CheckInfo {
    /// Computes the checks and pins of the side to move.
    #[inline(always)]
    pub fn new(position: &Position) -> Self {
        let us = position.side;
        let them = !us;
        let Some(king) = position.king(us) else {
            return Self {
                king: None,
                checkers: Bitboard::EMPTY,
                pinned: Bitboard::EMPTY,
            };
        };
        let theirs = position.colors[them.index()];
        let occupied = position.occupied();
        let kinds = &position.kinds;

        let mut checkers = pawn_attacks(us, king) & kinds[PieceKind::Pawn.index()];
        checkers |= knight_attacks(us, king) & kinds[PieceKind::Knight.index()];
        checkers |= silver_attacks(us, king) & kinds[PieceKind::Silver.index()];
        checkers |= gold_attacks(us, king) & position.gold_movers();
        checkers |= king_attacks(king) & position.king_steppers();
        checkers &= theirs;

        let mut snipers = lance_lines(us, king) & kinds[PieceKind::Lance.index()];
        snipers |= bishop_lines(king) & position.bishop_movers();
        snipers |= rook_lines(king) & position.rook_movers();
        snipers &= theirs;

        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !blockers.has_several() {
                pinned |= blockers;
            }
        }
        Self {
            king: Some(king),
            checkers,
            pinned: pinned & position.colors[us.index()],
        }
    }

    /// Tells whether pins allow a piece to move from `from` to `to`.
    #[inline(always)]
    pub(super) fn allows(&self, from: Square, to: Square) -> bool {
        if !self.pinned.contains(from) {
            return true;
        }
        self.pin_line(from).contains(to)
    }

    /// Returns the squares on the line of a pinned piece.
    #[inline(always)]
    pub(super) fn pin_line(&self, pinned: Square) -> Bitboard {
        match self
            .king
            .and_then(|king| Some((king, direction(king, pinned)?)))
        {
            Some((king, direction)) => ray(direction, king),
            None => Bitboard::ALL,
        }
    }
}
