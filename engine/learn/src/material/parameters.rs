//! Numbering of the parameters: squares, kinds, kinds in hand, and the right to move.

use monju_engine::{eval::MaterialValues, rules::PieceKind};

pub(super) const SQUARES: usize = 0;
pub(super) const KINDS: usize = SQUARES + MaterialValues::PLACES;
pub(super) const HANDS: usize = KINDS + PieceKind::COUNT;
pub(super) const TURN: usize = HANDS + PieceKind::HAND.len();
pub(super) const COUNT: usize = TURN + 1;

/// Returns the number of the kind whose value a square's parameter is added to.
pub(super) fn kind_of(number: usize) -> Option<usize> {
    let places = MaterialValues::PLACES / PieceKind::COUNT;
    (number < KINDS).then(|| KINDS + number / places)
}
