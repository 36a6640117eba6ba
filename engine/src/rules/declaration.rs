use super::{color::Color, piece::PieceKind, position::Position, zones::PROMOTION_ZONE};

impl Position {
    /// Returns the points of the entering-king rule: 5 for each rook and bishop and 1 for each other
    /// piece except the king, counting the pieces in hand and those in the opponent's three ranks.
    pub fn declaration_points(&self, color: Color) -> usize {
        let inside = self.pieces_of(color) & PROMOTION_ZONE[color.index()];
        let on_board: usize = inside
            .squares()
            .map(|square| value(self.piece(square).kind()))
            .sum();
        let hand = self.hand(color);
        let in_hand: usize = PieceKind::HAND
            .iter()
            .map(|&kind| value(kind) * hand.count(kind))
            .sum();
        on_board + in_hand
    }

    /// Tells whether the side to move may declare a win by the 27-point rule: its king stands in the
    /// opponent's three ranks with ten other pieces of its own and is not in check, and the points
    /// are at least 28 for Black or 27 for White.
    pub fn can_declare_win(&self) -> bool {
        let us = self.side_to_move();
        let zone = PROMOTION_ZONE[us.index()];
        let wanted = match us {
            Color::Black => 28,
            Color::White => 27,
        };
        self.king(us).is_some_and(|king| zone.contains(king))
            && (self.pieces_of(us) & zone).len() > 10
            && self.declaration_points(us) >= wanted
            && !self.in_check()
    }
}

fn value(kind: PieceKind) -> usize {
    match kind.unpromoted() {
        PieceKind::King => 0,
        PieceKind::Rook | PieceKind::Bishop => 5,
        _ => 1,
    }
}
