use super::{
    color::Color, moves::Move, piece::PieceKind, position::Position, square::Square,
    zones::PROMOTION_ZONE,
};
use crate::names::UnknownName;
use strum::{Display, EnumString, VariantNames};

/// Points of all pieces but the kings: 34 of one, and two rooks and two bishops.
const ALL_POINTS: usize = 54;

/// The rule by which a king that has entered the opponent's camp wins, under the name that USI engines
/// give it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum EnteringKingRule {
    /// No win by declaration.
    NoEnteringKing,
    /// The 24-point rule: 31 points win. (24 to 30 points make a draw, which engines cannot declare.)
    CSARule24,
    /// As `CSARule24`, and in a handicap game White gets the points of the missing pieces.
    CSARule24H,
    /// The 27-point rule: 28 points of Black or 27 of White win.
    #[default]
    CSARule27,
    /// As `CSARule27`, and in a handicap game White gets the points of the missing pieces.
    CSARule27H,
    /// The king wins by a move to the square on which the opponent's king begins.
    TryRule,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<EnteringKingRule>("entering-king rule", name)
}

impl EnteringKingRule {
    /// Returns the points that Black and White need; `None` where points do not count.
    fn wanted(self) -> Option<[usize; 2]> {
        match self {
            Self::NoEnteringKing | Self::TryRule => None,
            Self::CSARule24 | Self::CSARule24H => Some([31, 31]),
            Self::CSARule27 | Self::CSARule27H => Some([28, 27]),
        }
    }

    fn credits_handicaps(self) -> bool {
        matches!(self, Self::CSARule24H | Self::CSARule27H)
    }
}

impl Position {
    /// Returns the points of the entering-king rule: 5 for each rook and bishop and 1 for each other
    /// piece except the king, counting the pieces in hand and those in the opponent's three ranks.
    pub fn declaration_points(&self, color: Color) -> usize {
        let inside = self.pieces_of(color) & PROMOTION_ZONE[color.index()];
        let on_board: usize = inside
            .squares()
            .map(|square| value(self.piece(square).kind()))
            .sum();
        on_board + self.points_in_hand(color)
    }

    /// Tells whether the side to move may declare a win: its king stands in the opponent's three ranks with
    /// ten other pieces of its own and is not in check, and it has the points that the rule wants.
    pub fn can_declare_win(&self, rule: EnteringKingRule) -> bool {
        let us = self.side_to_move();
        let zone = PROMOTION_ZONE[us.index()];
        let Some(wanted) = rule.wanted() else {
            return false;
        };
        self.king(us).is_some_and(|king| zone.contains(king))
            && (self.pieces_of(us) & zone).len() > 10
            && self.declaration_points(us) + self.handicap(us, rule) >= wanted[us.index()]
            && !self.in_check()
    }

    /// Returns the points of the pieces that the game began without, which are White's in a handicap game.
    fn handicap(&self, color: Color, rule: EnteringKingRule) -> usize {
        if color == Color::Black || !rule.credits_handicaps() {
            return 0;
        }
        let on_board = (self.pieces_of(Color::Black) | self.pieces_of(Color::White)).squares();
        let on_board = on_board.map(|square| value(self.piece(square).kind()));
        let in_hand = Color::ALL.map(|color| self.points_in_hand(color));
        ALL_POINTS.saturating_sub(on_board.sum::<usize>() + in_hand.iter().sum::<usize>())
    }

    /// Returns the king's legal move to the square on which the opponent's king begins, which wins by the
    /// try rule.
    pub fn winning_try(&self, rule: EnteringKingRule) -> Option<Move> {
        if rule != EnteringKingRule::TryRule {
            return None;
        }
        let us = self.side_to_move();
        let rank = match us {
            Color::Black => 0,
            Color::White => 8,
        };
        let (king, target) = (self.king(us)?, Square::at(4, rank)?);
        let mv = Move::new(king, target, false);
        (king != target && self.is_legal(mv)).then_some(mv)
    }

    fn points_in_hand(&self, color: Color) -> usize {
        let hand = self.hand(color);
        let of = |&kind| value(kind) * hand.count(kind);
        PieceKind::HAND.iter().map(of).sum()
    }
}

fn value(kind: PieceKind) -> usize {
    match kind.unpromoted() {
        PieceKind::King => 0,
        PieceKind::Rook | PieceKind::Bishop => 5,
        _ => 1,
    }
}
