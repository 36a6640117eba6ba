//! The defences of the side ahead: five kinds of answers to the last attack (Hiramatsu et al., section 3,
//! 「受け手」), after all of which the gain is kept.

use super::{
    attacks::{Attack, moved},
    gain::{Goal, gain},
    judgement::Step,
    path::Path,
};
use crate::{
    eval::board_value,
    rules::{Move, MoveList, Position, between},
};

/// The kinds of defences, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DefenceKind {
    /// Captures the attacker (素抜き).
    Cancel,
    /// Moves the target away (交わし).
    Escape,
    /// Makes the capture a bad exchange (紐をつける).
    Protect,
    /// Comes between the attacker and the target (合駒).
    Intercept,
}

/// Returns the defences against an attack that has just been made, and a pass (手抜き) where none is
/// needed: it stands for all other moves.
pub fn defences(
    position: &mut Position,
    attack: &Attack,
    goal: Goal,
    balance: i32,
    path: &Path,
) -> Vec<Step> {
    let mut found = Vec::new();
    for &mv in MoveList::useful(position).as_slice() {
        let after = balance + gain(position, mv);
        if !goal.is_kept(after) {
            continue;
        }
        if let Some(kind) = kind(position, mv, attack, goal, after)
            && !path.repeats(position, mv, balance, 1)
        {
            let piece = board_value(moved(position, mv));
            found.push(((kind, piece), mv));
        }
    }
    found.sort_by_key(|(order, _)| *order);
    let mut steps: Vec<Step> = found.into_iter().map(|(_, mv)| Step::Move(mv)).collect();
    if goal.is_kept(balance) && !attack.gives_check {
        position.make_pass();
        if !path.has(position.key()) {
            steps.push(Step::Pass);
        }
        position.unmake_pass();
    }
    steps
}

/// Returns the kind of a move as a defence; `None` if it does not answer the attack. `balance` is that
/// after the move.
fn kind(
    position: &mut Position,
    mv: Move,
    attack: &Attack,
    goal: Goal,
    balance: i32,
) -> Option<DefenceKind> {
    let king = position.king(position.side_to_move());
    let threats = &attack.threats;
    let is = |test: &dyn Fn(&Move) -> bool| threats.iter().any(test);
    if mv.to() == attack.mv.to() || is(&|threat| threat.from() == Some(mv.to())) {
        return Some(DefenceKind::Cancel);
    }
    if attack.gives_check {
        // Every other legal move is a move of the king or stands in the way.
        return Some(match mv.from() == king {
            true => DefenceKind::Escape,
            false => DefenceKind::Intercept,
        });
    }
    if mv.from().is_some() && is(&|threat| mv.from() == Some(threat.to())) {
        return Some(DefenceKind::Escape);
    }
    let is_between = |threat: &Move| {
        let from = threat.from();
        let lines = from.map(|from| between(from, threat.to()));
        lines.is_some_and(|line| line.contains(mv.to())) || mv.to() == threat.to()
    };
    let blocks = is(&is_between);
    let undo = position.make(mv);
    let refuted = |threat: &Move| !goal.pays(position, *threat, balance);
    let protects = threats.iter().any(refuted);
    position.unmake(mv, undo);
    match (blocks, protects) {
        (true, _) => Some(DefenceKind::Intercept),
        (false, true) => Some(DefenceKind::Protect),
        (false, false) => None,
    }
}
