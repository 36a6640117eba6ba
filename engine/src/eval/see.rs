//! Static exchange evaluation: the gain of a series of captures on one square.

use super::{board_value, exchange_value};
use crate::rules::{Bitboard, Move, PieceKind, Position, Square, direction, piece_attacks, ray};

/// The kinds as they capture, the cheapest first. Two differ a little from [`exchange_value`]: the promoted pawn,
/// worth less than lance and knight, follows them, and the horse follows the rook.
const ORDER: [PieceKind; PieceKind::COUNT] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::ProPawn,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::Silver,
    PieceKind::ProSilver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Horse,
    PieceKind::Dragon,
    PieceKind::King,
];

/// Tells whether a legal move gains at least `threshold` centipawns when both sides go on capturing
/// on its destination, in the order of their kinds here, as long as it pays. Pins are ignored.
pub fn gains_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    let us = position.side_to_move();
    let to = mv.to();
    let (placed, mut occupied) = match (mv.from(), mv.dropped()) {
        (Some(from), _) => (
            position.piece(from).kind(),
            position.occupied() ^ Bitboard::of(from),
        ),
        (None, Some(kind)) => (kind, position.occupied()),
        (None, None) => return threshold <= 0,
    };
    let mut gain = 0;
    if let Some((_, victim)) = position.piece(to).get() {
        gain += exchange_value(victim);
    }
    let placed = if mv.is_promotion() {
        gain += board_value(placed.promoted()) - board_value(placed);
        placed.promoted()
    } else {
        placed
    };
    if gain < threshold {
        return false;
    }
    // The loss of the moved piece leaves enough.
    let mut swap = exchange_value(placed) - (gain - threshold);
    if swap <= 0 {
        return true;
    }

    occupied |= Bitboard::of(to);
    let theirs = position.attackers(!us, to, occupied);
    let Some((kind, _)) = cheapest(position, theirs) else {
        return true;
    };
    // The first capture may win enough whatever follows.
    if kind != PieceKind::King && exchange_value(kind) < swap {
        return false;
    }
    let mut attackers = (theirs | position.attackers(us, to, occupied)) & occupied;
    let mut side = us;
    // True if our move gains enough without further captures.
    let mut enough = true;
    loop {
        side = !side;
        let Some((kind, from)) = cheapest(position, attackers & position.pieces_of(side)) else {
            return enough;
        };
        if kind == PieceKind::King {
            // A king cannot capture a defended piece.
            let defended = attackers.intersects(position.pieces_of(!side));
            return enough == defended;
        }
        enough = !enough;
        // The balance after the capturer is captured in turn.
        swap = exchange_value(kind) - swap;
        if swap < i32::from(enough) {
            return enough;
        }
        occupied ^= Bitboard::of(from);
        attackers = uncover(position, to, from, occupied, attackers) & occupied;
    }
}

/// Returns the cheapest piece of a set.
fn cheapest(position: &Position, own: Bitboard) -> Option<(PieceKind, Square)> {
    if !own.has_several() {
        let square = own.first()?;
        return Some((position.piece(square).kind(), square));
    }
    ORDER.iter().find_map(|&kind| {
        let square = (own & position.pieces_of_kind(kind)).first()?;
        Some((kind, square))
    })
}

/// Adds the slider that attacks `to` through the square `from`, which has just become empty.
fn uncover(
    position: &Position,
    to: Square,
    from: Square,
    occupied: Bitboard,
    attackers: Bitboard,
) -> Bitboard {
    let Some(direction) = direction(to, from) else {
        return attackers;
    };
    let behind = ray(direction, from) & occupied;
    let next = if direction & 1 == 1 {
        behind.first()
    } else {
        behind.last()
    };
    match next {
        Some(square) if piece_attacks(position.piece(square), square, occupied).contains(to) => {
            attackers | Bitboard::of(square)
        }
        _ => attackers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MoveList, testing::random_positions};

    /// Returns the exchange value by its recursive definition: a side captures with its cheapest
    /// piece if that pays.
    fn exchange(position: &Position, to: Square) -> i32 {
        let us = position.side_to_move();
        let capturers = position.attackers(us, to, position.occupied());
        let Some((_, victim)) = position.piece(to).get() else {
            return 0;
        };
        let Some((kind, from)) = cheapest(position, capturers) else {
            return 0;
        };
        let defended = position.is_attacked(!us, to, position.occupied());
        if kind == PieceKind::King && defended {
            return 0;
        }
        let mut after = position.clone();
        after.make(Move::new(from, to, false));
        (exchange_value(victim) - exchange(&after, to)).max(0)
    }

    #[test]
    fn thresholds_agree_with_the_definition() {
        let (mut compared, mut promotions, mut drops) = (0, 0, 0);
        for position in random_positions(3, 30, 120) {
            for &mv in MoveList::legal(&position).as_slice() {
                let captured = position.piece(mv.to()).get();
                let mut value = captured.map_or(0, |(_, victim)| exchange_value(victim));
                if let (true, Some(from)) = (mv.is_promotion(), mv.from()) {
                    let kind = position.piece(from).kind();
                    value += board_value(kind.promoted()) - board_value(kind);
                    promotions += 1;
                }
                drops += u32::from(mv.is_drop());
                let mut after = position.clone();
                after.make(mv);
                value -= exchange(&after, mv.to());
                assert!(
                    gains_at_least(&position, mv, value),
                    "{position} {mv} {value}"
                );
                assert!(
                    !gains_at_least(&position, mv, value + 1),
                    "{position} {mv} {value}"
                );
                compared += 1;
            }
        }
        assert!(compared > 10_000 && promotions > 500 && drops > 2_000);
    }
}
