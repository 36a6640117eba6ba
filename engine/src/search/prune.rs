//! Cuts that are made at a node before any of its moves is searched in full.

use super::{
    Search,
    history::Context,
    iterate::BEFORE_ROOT,
    mates::PROVED,
    picker::Picker,
    see,
    value::{DECIDED, DRAW},
    values::{Entry, Store, Values},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, CheckTargets, Move, Visit},
};
use std::mem;

/// Plies by which ProbCut searches less deep.
const PROBCUT_REDUCTION: i32 = 4;

/// What is known of a node before its moves are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prospect<V: Values> {
    pub alpha: V,
    pub beta: V,
    pub depth: i32,
    pub ply: usize,
    pub cut_node: bool,
    pub improving: bool,
    /// Static evaluation.
    pub evaluation: V,
    /// The best guess at the value: the table's, or the evaluation.
    pub guess: V,
    /// What the table holds.
    pub entry: Option<Entry<V>>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
}

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// A value with which the node can be left at once. The side to move is not in check, and the
    /// node is not on the principal variation. Without a meaning when the search has been stopped.
    pub(super) fn prune(&mut self, info: &CheckInfo, node: &Prospect<V>) -> Option<V> {
        let options = self.options;
        let dissent = options.lane_dissent;
        let &Prospect {
            alpha,
            beta,
            depth,
            ply,
            guess,
            ..
        } = node;
        // Reverse futility: so far above beta that a quiet move will stay above.
        if options.reverse_futility != 0 && depth <= options.reverse_futility_depth {
            let margin = options.reverse_futility_margin * (depth - i32::from(node.improving));
            if guess.plus(-margin).mostly_at_least(beta, alpha, dissent)
                && !guess.has_mate((alpha, beta))
            {
                return Some(guess.larger(beta));
            }
        }
        // Razoring: so far below alpha that only captures can help.
        if options.razoring != 0
            && depth <= 3
            && alpha.mostly_at_least(
                guess.plus(options.razoring_margin * depth + options.razoring_base + 1),
                alpha,
                dissent,
            )
        {
            let value = self.quiescence::<false>(info, V::above(alpha), 0, ply);
            if alpha.mostly_at_least(value, alpha, dissent) || self.stopped {
                return Some(value.smaller(alpha));
            }
        }
        // Null move: if even a pass keeps the value above beta, a move will.
        if options.null_move != 0
            && depth >= 3
            && guess.mostly_at_least(beta, alpha, dissent)
            && (node.evaluation).mostly_at_least(
                beta.plus(options.null_move_margin - 40 * depth),
                alpha,
                dissent,
            )
            && self.frames[ply + BEFORE_ROOT - 1].context != Context::NONE
        {
            let value = self.null_move(node);
            if value.mostly_at_least(beta, alpha, dissent) || self.stopped {
                // A mate that follows a pass need not follow a move.
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
        if options.probcut != 0 && depth >= 5 {
            return self.probcut(info, node);
        }
        None
    }

    fn null_move(&mut self, node: &Prospect<V>) -> V {
        let &Prospect {
            beta, depth, ply, ..
        } = node;
        let surplus = node.guess.least_above(beta);
        let options = self.options;
        let surplus = (surplus / options.null_move_surplus).min(3);
        let less = options.null_move_reduction + depth / 4 + surplus;
        self.frames[ply + BEFORE_ROOT].context = Context::NONE;
        self.frames[ply + BEFORE_ROOT].quiet = None;
        self.position.make_pass();
        let child = CheckInfo::new(&self.position);
        // No cycle goes through a pass.
        let before = mem::replace(&mut self.after_pass, self.visits.len());
        self.visits.push(Visit {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: false,
        });
        let window = V::turned(V::below(beta));
        let value = self.alpha_beta::<false>(&child, window, depth - less, ply + 1, !node.cut_node);
        self.visits.pop();
        self.after_pass = before;
        self.position.unmake_pass();
        value.negated()
    }

    /// ProbCut: a capture that holds a raised beta in a shallower search will hold beta.
    fn probcut(&mut self, info: &CheckInfo, node: &Prospect<V>) -> Option<V> {
        let &Prospect {
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
        let here = ply + BEFORE_ROOT;
        let contexts = self.contexts(ply);
        let table_move = node
            .table_move
            .filter(|&mv| super::picker::is_noisy(&self.position, mv));
        let mut picker = Picker::quiescence(false, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if !see::gains_at_least(&self.position, mv, gain) {
                continue;
            }
            let in_check = targets.is_check(&self.position, mv);
            let (child, undo) = self.step_down(mv, ply, in_check);
            self.frames[here].quiet = None;
            let mut value = V::all(DRAW);
            if !self.visit_node() {
                value = self
                    .quiescence::<false>(&child, window, 0, ply + 1)
                    .negated();
                if value.all_at_least(raised) && !self.stopped {
                    let other = !node.cut_node;
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, other))
                        .negated();
                }
            }
            self.step_up(mv, undo);
            if self.stopped {
                return Some(V::all(DRAW));
            }
            if value.all_at_least(raised) {
                self.table.put(
                    self.position.key(),
                    Entry {
                        mv: Some(mv),
                        value: value.stored(ply),
                        evaluation: self.frames[here].raw_evaluation,
                        depth: (reduced + 1).min(PROVED - 1),
                        bounds: value.bounds(V::below(raised), false),
                        principal: node.entry.is_some_and(|entry| entry.principal),
                    },
                );
                return Some(value);
            }
        }
        None
    }
}
