//! Positions as the table of the mate search knows them.

use super::pieces::Pieces;
use crate::rules::{Color, Move, Position};

/// Combined with the keys of positions in which White is the attacker.
const WHITE_ATTACKS: u64 = 0x5bd1_e995_9d1b_58a7;

/// Spreads the numbers of pieces of a position over a key.
const SET_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The key of a position: its board with the side to move, and the attacker's hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MateKey {
    /// Key of the board, the side to move, the attacker and the set of pieces, which together with the
    /// attacker's hand give the defender's.
    pub board: u64,
    pub hand: Pieces,
}

impl MateKey {
    /// Returns the key of a position with the attacker to move.
    pub fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        let attacker = match us {
            Color::Black => 0,
            Color::White => WHITE_ATTACKS,
        };
        let set = Pieces::in_set(position).bits().wrapping_mul(SET_FACTOR);
        Self {
            board: position.board_key() ^ attacker ^ set,
            hand: Pieces::of(position.hand(us)),
        }
    }

    /// Returns the key after a legal move.
    pub fn after<const ATTACK: bool>(self, position: &Position, mv: Move) -> Self {
        let hand = match (ATTACK, mv.dropped()) {
            (false, _) => self.hand,
            (true, Some(kind)) => self.hand.without(kind),
            (true, None) => match position.piece(mv.to()).get() {
                Some((_, captured)) => self.hand.with(captured),
                None => self.hand,
            },
        };
        Self {
            board: position.board_key_after(self.board, mv),
            hand,
        }
    }
}
