//! Material, and the bounds between which it counts as kept or lost.

use crate::{
    eval::{board_value, gains_at_least},
    rules::{Color, Move, PieceKind, Position},
};

/// Returns the points of a side's pieces less those of the other side, in centipawns.
pub fn balance(position: &Position, side: Color) -> i32 {
    let points = |side| {
        let board = PieceKind::ALL.into_iter();
        let board = board.map(|kind| position.pieces(side, kind).len() as i32 * board_value(kind));
        let hand = PieceKind::HAND.into_iter();
        let hand = hand.map(|kind| position.hand(side).count(kind) as i32 * board_value(kind));
        board.sum::<i32>() + hand.sum::<i32>()
    };
    points(side) - points(!side)
}

/// Returns the points by which a legal move raises the balance of the side that makes it.
pub fn gain(position: &Position, mv: Move) -> i32 {
    let captured = position.piece(mv.to()).get();
    let mut gain = captured.map_or(0, |(_, kind)| {
        board_value(kind) + board_value(kind.unpromoted())
    });
    if let (true, Some(from)) = (mv.is_promotion(), mv.from()) {
        let kind = position.piece(from).kind();
        gain += board_value(kind.promoted()) - board_value(kind);
    }
    gain
}

/// The bounds of the balance of the side ahead.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The gain is kept from here on (P+).
    kept_from: i32,
    /// The gain is lost below (P−).
    lost_below: i32,
}

impl Goal {
    /// The bounds for a balance at the root.
    pub fn new(before: i32, absolute: bool) -> Self {
        match absolute {
            // A balance of zero is neither.
            true => Self {
                kept_from: 1,
                lost_below: 0,
            },
            false => Self {
                kept_from: before,
                lost_below: before,
            },
        }
    }

    /// Tells whether the gain is kept (P+).
    pub fn is_kept(self, balance: i32) -> bool {
        balance >= self.kept_from
    }

    /// Tells whether the gain is lost (P−).
    pub fn is_lost(self, balance: i32) -> bool {
        balance < self.lost_below
    }

    /// Tells whether a capture or promotion of the attacker, which is to move, leaves the gain lost when
    /// both sides go on capturing on its square.
    pub fn pays(self, position: &Position, mv: Move, balance: i32) -> bool {
        self.is_lost(balance - gain(position, mv))
            && gains_at_least(position, mv, balance - self.lost_below + 1)
    }
}
