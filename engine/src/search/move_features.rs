//! The features of a late move, by which judges of moves decide.

use super::{
    move_judge::{DISTANCES, GROUPS, KINDS, MoveFeatures, NODES, PIECES, step},
    node::{Node, NodeMove},
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
};
use crate::{
    eval::{Evaluator, see},
    rules::{PieceKind, Position, Square},
};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the features of a move that is about to be made. `plies` is its reduction.
    #[inline(never)]
    pub(super) fn move_features(
        &self,
        node: &Node<V>,
        node_move: &NodeMove,
        alpha: V,
        history: i32,
        plies: i32,
    ) -> MoveFeatures {
        let position = &self.position;
        let &NodeMove { mv, move_count, .. } = node_move;
        let us = position.side_to_move();
        let kind = move_kind(position, node, node_move);
        let by_kind = |value: usize, count: usize| value.min(count - 1) * KINDS + kind;
        let node_kind = 2 * match (node.all_node, node.cut_node) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        } + usize::from(node.tt_pv);
        let by_node = |value: usize, count: usize| value.min(count - 1) * NODES + node_kind;
        let table_move = match (node.table_move, node.noisy_table_move) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        };
        let table_beats = (node.table_value).is_some_and(|value| !alpha.all_at_least(value));
        let before = &self.stack[node.ply + STACK_OFFSET - 1];
        let answer = match (before.noisy.is_some(), before.context.to()) {
            (true, Some(to)) if to == mv.to() => 3,
            (true, _) => 2,
            (false, Some(to)) if to == mv.to() => 1,
            (false, _) => 0,
        };
        let piece = match (mv.from(), mv.dropped()) {
            (Some(from), _) => 2 * position.piece(from).kind().index(),
            (None, Some(kind)) => 2 * kind.index() + 1,
            (None, None) => 0,
        };
        let by_distance = |king: Option<Square>| {
            let distance = king.map_or(0, |king| distance(king, mv.to()));
            distance.min(DISTANCES - 1) * PIECES * 2 + piece
        };
        let hands = [us, !us].map(|color| {
            let hand = position.hand(color);
            PieceKind::HAND.map(|kind| hand.count(kind)).iter().sum()
        });
        let gap = node.evaluation.lead(alpha, alpha);
        GROUPS.features([
            by_kind(node.depth.max(0) as usize, 16),
            by_kind(node_kind, NODES),
            by_node(table_move + 3 * usize::from(table_beats), 6),
            by_kind(usize::from(node.threatened), 2),
            by_kind((plies + 1).max(0) as usize, 10),
            by_kind(
                usize::from(node.improving) + 2 * usize::from(node.opponent_worsening),
                4,
            ),
            by_kind(step(gap, self.options.margin(80).max(1), 16), 16),
            by_kind(exchange(position, node_move), 4),
            by_kind(step(history, 2_500, 16), 16),
            by_kind(order(move_count), 16),
            by_node(
                self.stack[node.ply + STACK_OFFSET + 1].cuts.max(0) as usize,
                4,
            ),
            by_node(order(before.move_count), 16),
            by_kind(answer, 4),
            by_distance(position.king(!us)),
            by_distance(position.king(us)),
            by_kind(hands.iter().sum(), 16),
            by_kind((node.correction / 12) as usize, 8),
        ])
    }
}

/// Returns the kind of a move.
fn move_kind<V: SearchValue>(position: &Position, node: &Node<V>, node_move: &NodeMove) -> usize {
    let &NodeMove {
        mv,
        noisy,
        gives_check,
        ..
    } = node_move;
    let is_king = (mv.from()).is_some_and(|from| position.piece(from).kind() == PieceKind::King);
    match (node.in_check, noisy, gives_check) {
        (true, true, _) => 0,
        (true, false, _) => 1,
        (false, true, false) => 2,
        (false, true, true) => 3,
        (false, false, true) => 4,
        (false, false, false) if mv.is_drop() => 5,
        (false, false, false) if is_king => 6,
        (false, false, false) => 7,
    }
}

/// Returns the step of the outcome of captures on the destination: a loss of more than a lance, a loss, none, a
/// gain.
fn exchange(position: &Position, node_move: &NodeMove) -> usize {
    /// A loss that no pawn explains, in centipawns.
    const LOSS: i32 = 400;
    let gains = |least| see::gains_at_least(position, node_move.mv, least);
    match (gains(0), node_move.noisy) {
        (true, true) if gains(1) => 3,
        (true, _) => 2,
        (false, _) if gains(-LOSS) => 1,
        (false, _) => 0,
    }
}

/// Returns the step of the number of a move.
fn order(move_count: usize) -> usize {
    match move_count {
        0..=8 => move_count,
        9..=11 => 9,
        12..=15 => 10,
        16..=23 => 11,
        24..=31 => 12,
        32..=47 => 13,
        48..=79 => 14,
        _ => 15,
    }
}

/// Returns the number of king's moves between two squares.
fn distance(one: Square, other: Square) -> usize {
    let files = one.file().abs_diff(other.file());
    files.max(one.rank().abs_diff(other.rank()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_moves_rise_by_steps() {
        let steps: Vec<usize> = (1..200).map(order).collect();
        assert!(steps.is_sorted() && steps[0] == 1 && steps.ends_with(&[15]));
    }
}
