//! New positions of the mate search.

use super::{parts::MateParts, pieces::Pieces, proof_numbers::ProofNumbers, requirements};
use crate::rules::{
    Bitboard, CheckInfo, CheckTargets, Move, MoveList, Position, Scope, generate, king_attacks,
};

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

/// Estimates the numbers of a new position with the defender in check, the attacker's hand, and the plies
/// left: each answer makes the mate harder.
pub(super) fn estimate_defence(
    position: &Position,
    hand: Pieces,
    left: u16,
    parts: MateParts,
) -> ProofNumbers {
    let answers = MoveList::legal(position);
    if answers.as_slice().is_empty() {
        return ProofNumbers::mate::<false>(0, requirements::of_answers(position));
    }
    if left == 0 {
        return ProofNumbers::no_mate::<false>(0, hand);
    }
    let delta = match parts.estimates {
        true => different(answers.as_slice()),
        false => answers.as_slice().len() as u32,
    };
    ProofNumbers {
        pieces: hand,
        ..ProofNumbers::new(1, delta)
    }
}

/// Counts the answers, drops on one square as one.
fn different(answers: &[Move]) -> u32 {
    let mut squares = Bitboard::EMPTY;
    let mut others = 0;
    for mv in answers {
        match mv.is_drop() {
            true => squares |= Bitboard::of(mv.to()),
            false => others += 1,
        }
    }
    others + squares.len() as u32
}

/// Returns the cost of a check, a legal move of `position`: one that captures nothing and loses its piece for
/// nothing is less likely to mate.
pub(super) fn cost_of_check(position: &Position, mv: Move) -> u32 {
    const LOST_PIECE: u32 = 2;
    if !position.piece(mv.to()).is_none() {
        return 0;
    }
    let from = mv.from().map_or(Bitboard::EMPTY, Bitboard::of);
    let occupied = position.occupied().without(from);
    let attackers = |color| position.attackers(color, mv.to(), occupied).without(from);
    let attacker = position.side_to_move();
    match attackers(attacker).is_empty() && !attackers(!attacker).is_empty() {
        true => LOST_PIECE,
        false => 0,
    }
}

/// Estimates the proof number of a new position with the attacker to move by the squares to which the
/// king could flee.
pub(super) fn estimate_escapes(position: &Position) -> u32 {
    /// Squares that make a mate one step harder.
    const SQUARES_A_STEP: u32 = 2;
    let attacker = position.side_to_move();
    let Some(king) = position.king(!attacker) else {
        return 1;
    };
    let attacked = position.attacked_by(attacker, position.occupied() ^ Bitboard::of(king));
    let escapes = king_attacks(king)
        .without(position.pieces_of(!attacker))
        .without(attacked);
    1 + escapes.len() as u32 / SQUARES_A_STEP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::random_positions;

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

    #[test]
    fn checks_that_lose_their_piece_have_a_cost() {
        let cost = |sfen: &str, mv: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            cost_of_check(&position, mv.parse().unwrap())
        };
        // The king takes the gold, which nothing holds.
        assert_eq!(cost("8k/9/9/9/9/9/9/9/9 b G 1", "G*2a"), 2);
        assert_eq!(cost("8k/9/7P1/9/9/9/9/9/9 b G 1", "G*2b"), 0, "held");
        assert_eq!(cost("8k/9/9/9/9/9/9/9/9 b R 1", "R*1e"), 0, "out of reach");
        assert_eq!(cost("8k/9/7S1/9/9/9/9/9/9 b - 1", "2c2b"), 2);
        let capture = cost("8k/7p1/7S1/9/9/9/9/9/9 b - 1", "2c2b");
        assert_eq!(capture, 0);
        // The piece that moves does not hold the square to which it goes.
        assert_eq!(cost("8k/9/9/9/7R1/9/9/9/9 b - 1", "2e2a+"), 2);
    }

    #[test]
    fn new_positions_are_harder_with_escapes_and_answers() {
        let after = |sfen: &str, mv: &str| {
            let mut position = Position::from_sfen(sfen).unwrap();
            position.make(mv.parse().unwrap());
            let hand = Pieces::of(position.hand(!position.side_to_move()));
            let numbers = |parts| estimate_defence(&position, hand, 9, parts);
            [MateParts::PLAIN, MateParts::BEST].map(|parts| numbers(parts).delta)
        };
        // Three kinds can be interposed on each of three squares.
        let [plain, best] = after("8k/7P1/9/9/9/9/9/9/9 b Rgsl 1", "R*1e");
        assert_eq!((plain, best), (10, 4));

        let escapes = |sfen: &str| estimate_escapes(&Position::from_sfen(sfen).unwrap());
        assert_eq!(escapes("4k4/9/9/9/9/9/9/9/4K4 b G 1"), 3);
        assert_eq!(escapes("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), 3);
        assert_eq!(escapes("3gkg3/3sps3/9/9/9/9/9/9/4K4 b G 1"), 1);
    }
}
