//! New positions of the mate search.

use super::{pieces::Pieces, proof_numbers::ProofNumbers, requirements};
use crate::rules::{CheckInfo, CheckTargets, MoveList, Position, Scope, generate};

/// The legal moves that give check.
pub(super) fn checks(position: &Position) -> MoveList {
    let targets = CheckTargets::new(position);
    let info = CheckInfo::new(position);
    let zone = targets.zone();
    let mut scope = Scope {
        drops: zone,
        ..Scope::ALL
    };
    if !targets.can_discover() {
        scope.plain = zone;
        scope.promoting = zone;
        scope.rewarding = zone;
    }
    let mut all = MoveList::new();
    generate::<true, _>(position, &info, scope, &mut all);
    let mut checks = MoveList::new();
    for &mv in all.as_slice() {
        if targets.is_check(position, mv) {
            checks.push(mv);
        }
    }
    checks
}

/// Returns the largest hand with which the attacker has no check either, in a position without one.
pub(super) fn without_checks(position: &Position) -> Pieces {
    let hand = Pieces::of(position.hand(position.side_to_move()));
    // More pieces of a kind in hand give no drop that one does not.
    Pieces::in_hands(position).of_kinds_in(hand)
}

/// Estimates the numbers of a new position with the defender in check, the attacker's hand, and the
/// plies left: each answer makes the mate harder.
pub(super) fn estimate_defence(position: &Position, hand: Pieces, left: u16) -> ProofNumbers {
    let answers = MoveList::legal(position).as_slice().len();
    if answers == 0 {
        return ProofNumbers::mate::<false>(0, requirements::of_answers(position));
    }
    if left == 0 {
        return ProofNumbers::no_mate::<false>(0, hand);
    }
    ProofNumbers {
        pieces: hand,
        ..ProofNumbers::new(1, answers as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Move, testing::random_positions};

    #[test]
    fn every_check_is_listed() {
        let mut found = 0;
        for position in random_positions(3, 30, 150) {
            let gives_check = |mv: &&Move| {
                let mut after = position.clone();
                after.make(**mv);
                after.in_check()
            };
            let legal = MoveList::legal(&position);
            let mut expected: Vec<_> = legal.iter().filter(gives_check).copied().collect();
            let mut listed = checks(&position).as_slice().to_vec();
            expected.sort_by_key(|mv| mv.bits());
            listed.sort_by_key(|mv| mv.bits());
            assert_eq!(listed, expected, "{position}");
            found += listed.len();
        }
        assert!(found > 1000, "{found}");
    }
}
