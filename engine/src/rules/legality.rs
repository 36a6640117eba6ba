use super::{
    attacks::*,
    bitboard::Bitboard,
    check::CheckInfo,
    generate::{Scope, files_without, generate},
    moves::Move,
    piece::{Piece, PieceKind},
    position::Position,
    sink::AnyMove,
    zones::{LAST_RANK, LAST_TWO_RANKS, PROMOTION_ZONE},
};

impl Position {
    /// Tells whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        let mut found = AnyMove::default();
        // The moves left out are promotions declined; their promoting twins count.
        generate::<false, _>(self, &CheckInfo::new(self), Scope::ALL, &mut found);
        found.0
    }

    /// Tells whether a move is legal, without generating the others.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.is_legal_given(mv, &CheckInfo::new(self))
    }

    /// Like [`Position::is_legal`], with the checks and pins given.
    pub fn is_legal_given(&self, mv: Move, info: &CheckInfo) -> bool {
        let us = self.side;
        let to = mv.to();
        let Some(from) = mv.from() else {
            return mv
                .dropped()
                .is_some_and(|kind| self.is_legal_drop(kind, mv, info));
        };

        let piece = self.board[from.index()];
        if piece.is_none() || piece.color() != us || self.colors[us.index()].contains(to) {
            return false;
        }
        let kind = piece.kind();
        if !piece_attacks(piece, from, self.occupied()).contains(to) {
            return false;
        }
        if mv.is_promotion() {
            let zone = PROMOTION_ZONE[us.index()];
            if !kind.can_promote() || !(zone.contains(from) || zone.contains(to)) {
                return false;
            }
        } else if is_dead(piece, to.index()) {
            return false;
        }

        if kind == PieceKind::King {
            return !self.is_attacked(!us, to, self.occupied() ^ Bitboard::of(from));
        }
        self.meets_checks(mv, info, info.checkers) && info.allows(from, to)
    }

    fn is_legal_drop(&self, kind: PieceKind, mv: Move, info: &CheckInfo) -> bool {
        let us = self.side;
        let to = mv.to();
        if !self.hands[us.index()].has(kind)
            || self.occupied().contains(to)
            || is_dead(Piece::new(us, kind), to.index())
            || !self.meets_checks(mv, info, Bitboard::EMPTY)
        {
            return false;
        }
        if kind != PieceKind::Pawn {
            return true;
        }
        if !files_without(self.pieces(us, PieceKind::Pawn)).contains(to) {
            return false;
        }
        match self.king(!us) {
            Some(king) if pawn_attacks(us, to).contains(king) => {
                !self.is_pawn_drop_mate(us, to, king)
            }
            _ => true,
        }
    }

    /// Tells whether a move of a piece other than the king ends every check, by blocking it or by
    /// moving to one of `capturable`.
    fn meets_checks(&self, mv: Move, info: &CheckInfo, capturable: Bitboard) -> bool {
        match (info.king, info.checkers.first()) {
            (Some(king), Some(checker)) => {
                !info.checkers.has_several()
                    && (between(king, checker) | capturable).contains(mv.to())
            }
            _ => true,
        }
    }
}

/// Tells whether a piece on a square could never move again.
pub(super) fn is_dead(piece: Piece, square: usize) -> bool {
    let ranks = match piece.kind() {
        PieceKind::Pawn | PieceKind::Lance => LAST_RANK,
        PieceKind::Knight => LAST_TWO_RANKS,
        _ => return false,
    };
    ranks[piece.color().index()].0 >> square & 1 == 1
}
