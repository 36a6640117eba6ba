//! The hands that a result needs: proof pieces (証明駒), with which the attacker still mates, and
//! disproof pieces (反証駒), with which there is still no mate. Kinds that make no difference are absent
//! from the former, and as many as there are in the latter.

use super::pieces::Pieces;
use crate::rules::{CheckInfo, Move, Position, between};

/// Returns the part of the attacker's hand that keeps the defender, who is in check, from further
/// interpositions: of the kinds that the defender lacks, all.
pub(super) fn of_answers(position: &Position) -> Pieces {
    let info = CheckInfo::new(position);
    let (Some(king), Some(checker)) = (info.king, info.checkers.first()) else {
        return Pieces::NONE;
    };
    if info.checkers.has_several() || between(king, checker).is_empty() {
        return Pieces::NONE;
    }
    let defender = position.side_to_move();
    let hand = Pieces::of(position.hand(!defender));
    hand.of_kinds_not_in(Pieces::of(position.hand(defender)))
}

/// Returns the proof pieces before the attacker's move, given those after it.
pub(super) fn of_mating_move(
    position: &Position,
    mut moves: impl Iterator<Item = (Move, Pieces)>,
) -> Pieces {
    let mating = moves.next();
    mating.map_or(Pieces::NONE, |(mv, after)| before(position, mv, after))
}

/// Returns the disproof pieces before all checks of a position, given those after each.
pub(super) fn of_checks(
    position: &Position,
    moves: impl Iterator<Item = (Move, Pieces)>,
) -> Pieces {
    let hand = Pieces::of(position.hand(position.side_to_move()));
    // A kind that the attacker lacks could give further checks.
    let most = Pieces::in_hands(position).of_kinds_in(hand);
    moves.fold(most, |least, (mv, after)| {
        least.least(before(position, mv, after))
    })
}

/// Returns the disproof pieces before the defender's move, given those after it. A piece that the
/// defender interposes is one that the attacker must not have.
pub(super) fn of_escape(
    position: &Position,
    mut moves: impl Iterator<Item = (Move, Pieces)>,
) -> Pieces {
    let all = Pieces::in_hands(position);
    moves.next().map_or(all, |(_, after)| all.least(after))
}

/// Returns the hand before the attacker's move, given the one after it.
fn before(position: &Position, mv: Move, after: Pieces) -> Pieces {
    match (mv.dropped(), position.piece(mv.to()).get()) {
        (Some(kind), _) => after.with(kind),
        (None, Some((_, captured))) => after.without(captured),
        (None, None) => after,
    }
}
