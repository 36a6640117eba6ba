//! The attacks of the worse side (Hiramatsu et al., section 3, 「生成される手の条件」).
//!
//! - An *immediate* attack (即効攻撃) leaves the gain lost on the next turn of the side ahead.
//! - A *threatening* attack (狙いのある攻撃) would leave it lost after a pass and one more move.
//!
//! By the paper's letter, every move is a threat while some capture of a protected piece stands on the
//! board, and the search does not end. Here, a threat is a capture or promotion that pays when both sides
//! go on capturing on its square, and that did not pay, or was not there, before the attack. A check by a
//! piece that is not lost is a threat as well, at most [`CHECKS_IN_A_ROW`] times.

use super::{
    gain::{Goal, gain},
    path::Path,
};
use crate::{
    eval::{board_value, gains_at_least},
    rules::{
        Bitboard, CheckInfo, CheckTargets, Move, MoveList, PieceKind, Position, Scope, generate,
    },
};
use std::cmp::Reverse;

/// Most checks in a row on a path: the side ahead cannot answer them by a pass.
pub const CHECKS_IN_A_ROW: usize = 3;

/// An attack of the worse side.
#[derive(Clone, Debug)]
pub struct Attack {
    /// The move.
    pub mv: Move,
    /// The captures and promotions that it threatens; empty for immediate attacks and for checks.
    pub threats: Vec<Move>,
    /// The move gives check.
    pub gives_check: bool,
    /// The move is an attack by its check alone.
    pub is_check_alone: bool,
}

/// Returns the attacks of the side to move: those on the most valuable piece first, of these those of the
/// cheapest piece, and checks at the end.
pub fn attacks(position: &mut Position, goal: Goal, balance: i32, path: &Path) -> Vec<Attack> {
    let standing = paying(position, goal, balance);
    let targets = CheckTargets::new(position);
    let may_check = path.checks_in_a_row() < CHECKS_IN_A_ROW;
    let mut found = Vec::new();
    for &mv in MoveList::useful(position).as_slice() {
        let after = balance - gain(position, mv);
        let gives_check = targets.is_check(position, mv);
        let attack = |threats, is_check_alone| Attack {
            mv,
            threats,
            gives_check,
            is_check_alone,
        };
        let (worth, attack) = if goal.is_lost(after) {
            (worth(position, mv), attack(Vec::new(), false))
        } else if gives_check {
            if !may_check || !gains_at_least(position, mv, 0) {
                continue;
            }
            (0, attack(Vec::new(), true))
        } else {
            let threats = new_threats(position, mv, goal, after, &standing);
            let Some(worth) = threats.iter().map(|(_, worth)| *worth).max() else {
                continue;
            };
            let threats = threats.into_iter().map(|(mv, _)| mv).collect();
            (worth, attack(threats, false))
        };
        if !path.repeats(position, mv, balance, -1) {
            let piece = board_value(moved(position, mv));
            found.push(((Reverse(worth), piece), attack));
        }
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, attack)| attack).collect()
}

/// Returns the captures and promotions that pay after the move and a pass and did not pay before, each
/// with its worth. The move must not give check.
fn new_threats(
    position: &mut Position,
    mv: Move,
    goal: Goal,
    balance: i32,
    standing: &[Move],
) -> Vec<(Move, i32)> {
    let undo = position.make(mv);
    position.make_pass();
    let threats = paying(position, goal, balance);
    let threats = threats.into_iter().filter(|mv| !standing.contains(mv));
    let found = threats.map(|mv| (mv, worth(position, mv))).collect();
    position.unmake_pass();
    position.unmake(mv, undo);
    found
}

/// Returns the value of the captured piece, or what the promotion adds.
fn worth(position: &Position, mv: Move) -> i32 {
    match position.piece(mv.to()).get() {
        Some((_, victim)) => board_value(victim),
        None => gain(position, mv),
    }
}

/// Returns the captures and promotions of the side to move that pay.
fn paying(position: &Position, goal: Goal, balance: i32) -> Vec<Move> {
    let moves = captures_and_promotions(position);
    let pays = |mv: &&Move| goal.pays(position, **mv, balance);
    moves.iter().filter(pays).copied().collect()
}

fn captures_and_promotions(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    let scope = Scope {
        plain: position.pieces_of(!position.side_to_move()),
        drops: Bitboard::EMPTY,
        ..Scope::ALL
    };
    generate::<false, _>(position, &CheckInfo::new(position), scope, &mut list);
    list
}

/// Returns the kind of the moved or dropped piece.
pub fn moved(position: &Position, mv: Move) -> PieceKind {
    let of = |from| position.piece(from).kind();
    mv.dropped()
        .or(mv.from().map(of))
        .unwrap_or(PieceKind::King)
}
