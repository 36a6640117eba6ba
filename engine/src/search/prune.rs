//! Pruning of a whole node before any of its moves is searched in full.

use super::{
    history::Context,
    node::Node,
    numbers::{null_move, probcut, razoring, reverse_futility},
    picker::{Picker, is_noisy},
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{DECIDED, DRAW},
};
use crate::{
    eval::{Evaluator, see},
    rules::{CheckInfo, CheckTargets, KeyHistoryEntry},
};
use std::mem;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns a value with which the node can be left at once. The node is not on the principal
    /// variation. `guess` is the best guess at its value: the table's value or the static evaluation.
    /// The value means nothing once the search is stopped.
    #[inline(always)]
    pub(super) fn prune(
        &mut self,
        info: &CheckInfo,
        node: &mut Node<V>,
        alpha: V,
        guess: V,
    ) -> Option<V> {
        let options = self.options;
        let &mut Node {
            beta, depth, ply, ..
        } = node;
        let window = (alpha, beta);
        if !node.in_check {
            // Reverse futility pruning: so far above beta that a quiet move will stay above.
            if options.reverse_futility != 0
                && !node.tt_pv
                && depth < reverse_futility::depth()
                && (node.table_move.is_none() || node.noisy_table_move)
                && guess.all_at_least(beta)
                && !guess.is_decided(window)
                && (guess.plus(-self.reverse_futility_margin(node))).all_at_least(beta)
            {
                return Some(guess.mixed(1, beta, 2).larger(beta));
            }

            // Razoring: so far below alpha that only captures can help.
            if options.razoring != 0
                && alpha.all_at_least(guess.plus(
                    options.margin(razoring::base() + razoring::margin() * depth * depth) + 1,
                ))
            {
                let value = self.leaf::<false>(info, V::above(alpha), ply);
                if alpha.all_at_least(value) || self.stopped {
                    return Some(value.smaller(alpha));
                }
            }

            // Null-move pruning: if even a pass keeps the value above beta, a move will. After a pass, which
            // leaves `Context::NONE`, there is no second one.
            let margin = null_move::margin() - null_move::margin_depth() * depth;
            if options.null_move != 0
                && node.cut_node
                && guess.all_at_least(beta)
                && (node.evaluation).all_at_least(beta.plus(options.margin(margin)))
                && ply >= self.null_move_from
                && self.stack[ply + STACK_OFFSET - 1].context != Context::NONE
                && let Some(value) = self.null_move_pruning(info, node)
            {
                return Some(value);
            }
            node.improving |= node.evaluation.all_at_least(beta);

            // ProbCut
            if options.probcut != 0
                && depth >= probcut::depth()
                && let Some(value) = self.probcut(info, node)
            {
                return Some(value);
            }
        }

        // ProbCut by the table's bound alone
        let raised = beta.plus(options.margin(probcut::table_margin()));
        if options.probcut != 0
            && let (Some(entry), Some(value)) = (node.entry, node.table_value)
            && entry.depth >= depth - probcut::table_depth()
            && V::holds_from_below(entry.bounds, window)
            && value.all_at_least(raised.blanked(window))
            && !value.is_decided(window)
        {
            return Some(raised);
        }
        None
    }

    /// Returns the margin by which a guess must exceed beta for reverse futility pruning.
    #[inline(always)]
    fn reverse_futility_margin(&self, node: &Node<V>) -> i32 {
        let is_unknown = node.table_move.is_none() && node.cut_node;
        let each =
            reverse_futility::margin() - reverse_futility::unknown_cut() * i32::from(is_unknown);
        let mut margin = each * node.depth;
        margin -= 2 * each * i32::from(node.improving);
        margin -= each / 3 * i32::from(node.opponent_worsening);
        margin += self.stack[node.ply + STACK_OFFSET - 1].history / reverse_futility::history();
        self.options.margin(margin) + node.correction / 2
    }

    /// Returns a value of at least beta, if the side to move can pass.
    fn null_move_pruning(&mut self, info: &CheckInfo, node: &mut Node<V>) -> Option<V> {
        let &mut Node {
            beta, depth, ply, ..
        } = node;
        let reduced = depth - null_move::reduction() - depth / 3;
        let value = self.search_null_move(node, reduced);
        if self.stopped {
            return Some(V::all(DRAW));
        }
        if !value.all_at_least(beta) {
            node.threatened = value.is_lost(node.alpha);
            self.look_for_threat(node, value);
            return None;
        }
        if self.null_move_from == 0 && depth >= null_move::verified() {
            // Verification: a search of the same depth without passes near the node
            self.null_move_from = ply + 3 * reduced.max(0) as usize / 4;
            let verified = self.alpha_beta::<false>(info, V::below(beta), reduced, ply, false);
            self.null_move_from = 0;
            if self.stopped {
                return Some(V::all(DRAW));
            }
            if !verified.all_at_least(beta) {
                return None;
            }
        }
        // A mate after a pass need not exist after a move.
        Some(V::from_lanes(|lane| {
            let (value, beta) = (value.lane(lane), beta.lane(lane));
            if value < DECIDED {
                value.max(beta)
            } else {
                beta
            }
        }))
    }

    /// Returns the value of the node when its side to move passes.
    fn search_null_move(&mut self, node: &Node<V>, depth: i32) -> V {
        let &Node { beta, ply, .. } = node;
        let extended = self.stack[ply + STACK_OFFSET - 1].extended;
        let here = &mut self.stack[ply + STACK_OFFSET];
        here.extended = extended;
        here.context = Context::NONE;
        (here.quiet, here.noisy) = (None, None);
        (here.move_count, here.is_table_move) = (0, false);
        (here.history, here.reduction) = (0, 0);
        self.position.make_pass();
        self.table.prefetch(self.position.key());
        let child = CheckInfo::new(&self.position);
        // A pass ends every cycle.
        let before = mem::replace(&mut self.after_null_move, self.key_history.len());
        (self.key_history).push(KeyHistoryEntry::known(&self.position, false));
        let window = V::turned(V::below(beta));
        let value = self.alpha_beta::<false>(&child, window, depth, ply + 1, false);
        self.key_history.pop();
        self.after_null_move = before;
        self.position.unmake_pass();
        value.negated()
    }

    /// ProbCut: a capture that holds a raised beta in a shallower search will hold beta.
    fn probcut(&mut self, info: &CheckInfo, node: &Node<V>) -> Option<V> {
        let &Node {
            alpha,
            beta,
            depth,
            ply,
            ..
        } = node;
        let margin = probcut::margin() - probcut::improving() * i32::from(node.improving);
        let margin = self.options.margin(margin);
        let raised = beta.plus(margin).blanked((alpha, beta));
        if raised.is_decided((alpha, beta)) {
            return None;
        }
        if let (Some(entry), Some(value)) = (node.entry, node.table_value)
            && value.falls_short(entry.bounds, raised)
        {
            return None;
        }
        let surplus = node.evaluation.lead(beta, alpha) / probcut::surplus();
        let reduced = (depth - probcut::reduction() - surplus).clamp(0, depth);
        let window = V::turned(V::below(raised));
        let gain = -node.evaluation.lead(raised, alpha);
        let here = ply + STACK_OFFSET;
        let table_move = node.table_move.filter(|&mv| is_noisy(&self.position, mv));
        let mut picker = Picker::quiescence(false, table_move, node.contexts);
        let targets = CheckTargets::new(&self.position);
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if !see::gains_at_least(&self.position, mv, gain) {
                continue;
            }
            let in_check = targets.is_check(&self.position, mv);
            let victim = self.position.piece(mv.to()).index();
            let key = self.position.key_after(mv);
            self.table.prefetch(key);
            let (child, undo) = self.make_move(mv, key, ply, in_check);
            let extended = self.stack[here - 1].extended;
            let entry = &mut self.stack[here];
            entry.extended = extended;
            (entry.quiet, entry.noisy) = (None, Some(victim));
            (entry.move_count, entry.is_table_move) = (0, false);
            (entry.history, entry.reduction) = (0, 0);
            let mut value = V::all(DRAW);
            if !self.count_node() {
                value = self.leaf::<false>(&child, window, ply + 1).negated();
                if reduced > 0 && value.all_at_least(raised) && !self.stopped {
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
                        tt_pv: node.tt_pv,
                    },
                );
                return Some(if value.is_decided((alpha, beta)) {
                    value
                } else {
                    value.plus(-margin)
                });
            }
        }
        None
    }
}
