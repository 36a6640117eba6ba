//! Pruning of a whole node before any of its moves is searched in full.

use super::{
    history::Context,
    picker::{Picker, is_noisy},
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    see,
    stack::STACK_OFFSET,
    value::{DECIDED, DRAW},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, CheckTargets, KeyHistoryEntry, Move},
};
use std::mem;

/// Plies by which ProbCut searches less deep.
const PROBCUT_REDUCTION: i32 = 4;

/// A node before its move loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct PruningNode<V: SearchValue> {
    pub alpha: V,
    pub beta: V,
    pub depth: i32,
    pub ply: usize,
    pub cut_node: bool,
    pub improving: bool,
    /// Static evaluation.
    pub evaluation: V,
    /// The best guess at the value: the table's value or the static evaluation.
    pub guess: V,
    /// The entry of the transposition table.
    pub entry: Option<TableEntry<V>>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns a value with which the node can be left at once. The side to move is not in check
    /// and the node is not on the principal variation. The value means nothing once the search is
    /// stopped.
    pub(super) fn prune(&mut self, info: &CheckInfo, node: &PruningNode<V>) -> Option<V> {
        let options = self.options;
        let &PruningNode {
            alpha,
            beta,
            depth,
            ply,
            guess,
            ..
        } = node;

        // Reverse futility pruning: so far above beta that a quiet move will stay above.
        if options.reverse_futility != 0 && depth <= options.reverse_futility_depth {
            let margin = options.reverse_futility_margin * (depth - i32::from(node.improving));
            if guess.plus(-margin).all_at_least(beta) && !guess.has_mate((alpha, beta)) {
                return Some(guess.larger(beta));
            }
        }

        // Razoring: so far below alpha that only captures can help.
        if options.razoring != 0
            && depth <= 3
            && alpha.all_at_least(
                guess.plus(options.razoring_margin * depth + options.razoring_base + 1),
            )
        {
            let value = self.leaf::<false>(info, V::above(alpha), ply);
            if alpha.all_at_least(value) || self.stopped {
                return Some(value.smaller(alpha));
            }
        }

        // Null-move pruning: if even a pass keeps the value above beta, a move will.
        if options.null_move != 0
            && depth >= 3
            && guess.all_at_least(beta)
            && (node.evaluation).all_at_least(beta.plus(options.null_move_margin - 40 * depth))
            && self.stack[ply + STACK_OFFSET - 1].context != Context::NONE
        {
            let value = self.search_null_move(node);
            if value.all_at_least(beta) || self.stopped {
                // A mate after a pass need not exist after a move.
                return Some(V::from_lanes(|lane| {
                    let (value, beta) = (value.lane(lane), beta.lane(lane));
                    if value < DECIDED {
                        value.max(beta)
                    } else {
                        beta
                    }
                }));
            }
        }

        // ProbCut
        if options.probcut != 0 && depth >= 5 {
            return self.probcut(info, node);
        }
        None
    }

    /// Returns the value of the node when its side to move passes.
    fn search_null_move(&mut self, node: &PruningNode<V>) -> V {
        let &PruningNode {
            beta, depth, ply, ..
        } = node;
        let surplus = node.guess.least_above(beta);
        let options = self.options;
        let surplus = (surplus / options.null_move_surplus).min(3);
        let reduction = options.null_move_reduction + depth / 4 + surplus;
        self.stack[ply + STACK_OFFSET].context = Context::NONE;
        self.stack[ply + STACK_OFFSET].quiet = None;
        self.position.make_pass();
        let child = CheckInfo::new(&self.position);
        // A pass ends every cycle.
        let before = mem::replace(&mut self.after_null_move, self.key_history.len());
        self.key_history.push(KeyHistoryEntry {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: false,
        });
        let window = V::turned(V::below(beta));
        let depth = depth - reduction;
        let value = self.alpha_beta::<false>(&child, window, depth, ply + 1, !node.cut_node);
        self.key_history.pop();
        self.after_null_move = before;
        self.position.unmake_pass();
        value.negated()
    }

    /// ProbCut: a capture that holds a raised beta in a shallower search will hold beta.
    fn probcut(&mut self, info: &CheckInfo, node: &PruningNode<V>) -> Option<V> {
        let &PruningNode {
            beta, depth, ply, ..
        } = node;
        let margin = self.options.probcut_margin - 50 * i32::from(node.improving);
        let raised = beta.plus(margin).blanked((node.alpha, beta));
        let reduced = depth - PROBCUT_REDUCTION;
        if raised.has_mate((node.alpha, beta)) {
            return None;
        }
        if let Some(entry) = node.entry
            && entry.depth >= reduced
            && entry.value.falls_short(entry.bounds, raised)
        {
            return None;
        }
        let window = V::turned(V::below(raised));
        let gain = raised.most_above(node.evaluation);
        let here = ply + STACK_OFFSET;
        let contexts = self.contexts(ply);
        let table_move = node.table_move.filter(|&mv| is_noisy(&self.position, mv));
        let mut picker = Picker::quiescence(false, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if !see::gains_at_least(&self.position, mv, gain) {
                continue;
            }
            let in_check = targets.is_check(&self.position, mv);
            let (child, undo) = self.make_move(mv, ply, in_check);
            self.stack[here].quiet = None;
            let mut value = V::all(DRAW);
            if !self.count_node() {
                value = self.leaf::<false>(&child, window, ply + 1).negated();
                if value.all_at_least(raised) && !self.stopped {
                    let other = !node.cut_node;
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, other))
                        .negated();
                }
            }
            self.unmake_move(mv, undo);
            if self.stopped {
                return Some(V::all(DRAW));
            }
            if value.all_at_least(raised) {
                self.table.put(
                    self.position.key(),
                    TableEntry {
                        mv: Some(mv),
                        value: value.stored(ply),
                        evaluation: self.stack[here].raw_evaluation,
                        depth: (reduced + 1).min(PROVED - 1),
                        bounds: value.bounds(V::below(raised), false),
                        tt_pv: node.entry.is_some_and(|entry| entry.tt_pv),
                    },
                );
                return Some(value);
            }
        }
        None
    }
}
