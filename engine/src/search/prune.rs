//! Cuts that are made at a node before any of its moves is searched in full.

use super::{
    Bound, Search,
    history::Context,
    iterate::BEFORE_ROOT,
    picker::Picker,
    see,
    table::Entry,
    value::{DRAW, MATE_BOUND, Value, to_table},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, CheckTargets, Move, Visit},
};

/// Plies by which ProbCut searches less deep.
const PROBCUT_REDUCTION: i32 = 4;

/// What is known of a node before its moves are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prospect {
    pub alpha: Value,
    pub beta: Value,
    pub depth: i32,
    pub ply: usize,
    pub cut_node: bool,
    pub improving: bool,
    /// Static evaluation.
    pub evaluation: Value,
    /// The best guess at the value: the table's, or the evaluation.
    pub guess: Value,
    /// What the table holds.
    pub entry: Option<Entry>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
}

impl<E: Evaluator + Clone> Search<'_, E> {
    /// A value with which the node can be left at once. The side to move is not in check, and the
    /// node is not on the principal variation. Without a meaning when the search has been stopped.
    pub(super) fn prune(&mut self, info: &CheckInfo, node: &Prospect) -> Option<Value> {
        let options = self.options;
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
            if guess - margin >= beta && guess < MATE_BOUND {
                return Some(guess);
            }
        }
        // Razoring: so far below alpha that only captures can help.
        if options.razoring != 0
            && depth <= 3
            && guess + options.razoring_margin * depth + options.razoring_base < alpha
        {
            let value = self.quiescence::<false>(info, alpha, alpha + 1, 0, ply);
            if value <= alpha || self.stopped {
                return Some(value);
            }
        }
        // Null move: if even a pass keeps the value above beta, a move will.
        if options.null_move != 0
            && depth >= 3
            && guess >= beta
            && node.evaluation >= beta - 40 * depth + 200
            && self.frames[ply + BEFORE_ROOT - 1].context != Context::NONE
        {
            let value = self.null_move(node);
            if value >= beta || self.stopped {
                return Some(value.min(MATE_BOUND - 1));
            }
        }
        if options.probcut != 0 && depth >= 5 {
            return self.probcut(info, node);
        }
        None
    }

    fn null_move(&mut self, node: &Prospect) -> Value {
        let &Prospect {
            beta, depth, ply, ..
        } = node;
        let less =
            self.options.null_move_reduction + depth / 4 + ((node.guess - beta) / 250).min(3);
        self.frames[ply + BEFORE_ROOT].context = Context::NONE;
        self.position.make_pass();
        let child = CheckInfo::new(&self.position);
        self.visits.push(Visit {
            key: self.position.key(),
            side: self.position.side_to_move(),
            in_check: false,
        });
        let value = -self.alpha_beta::<false>(
            &child,
            -beta,
            -beta + 1,
            depth - less,
            ply + 1,
            !node.cut_node,
        );
        self.visits.pop();
        self.position.unmake_pass();
        value
    }

    /// ProbCut: a capture that holds a raised beta in a shallower search will hold beta.
    fn probcut(&mut self, info: &CheckInfo, node: &Prospect) -> Option<Value> {
        let &Prospect {
            beta, depth, ply, ..
        } = node;
        let raised = beta + self.options.probcut_margin - 50 * i32::from(node.improving);
        let reduced = depth - PROBCUT_REDUCTION;
        if raised >= MATE_BOUND {
            return None;
        }
        if let Some(entry) = node.entry
            && entry.depth >= reduced
            && entry.bound != Bound::Lower
            && entry.value < raised
        {
            return None;
        }
        let here = ply + BEFORE_ROOT;
        let contexts = [self.frames[here - 1].context, self.frames[here - 2].context];
        let table_move = node
            .table_move
            .filter(|&mv| super::picker::is_noisy(&self.position, mv));
        let mut picker = Picker::quiescence(false, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if !see::gains_at_least(&self.position, mv, raised - node.evaluation) {
                continue;
            }
            let in_check = targets.is_check(&self.position, mv);
            let context = Context::of(&self.position, mv);
            self.evaluator.push(&self.position, mv);
            let undo = self.position.make(mv);
            self.table.prefetch(self.position.key());
            self.frames[here].context = context;
            let child = CheckInfo::new(&self.position);
            self.visits.push(Visit {
                key: self.position.key(),
                side: self.position.side_to_move(),
                in_check,
            });
            let mut value = DRAW;
            if !self.visit_node() {
                value = -self.quiescence::<false>(&child, -raised, -raised + 1, 0, ply + 1);
                if value >= raised && !self.stopped {
                    value = -self.alpha_beta::<false>(
                        &child,
                        -raised,
                        -raised + 1,
                        reduced,
                        ply + 1,
                        !node.cut_node,
                    );
                }
            }
            self.visits.pop();
            self.position.unmake(mv, undo);
            self.evaluator.pop();
            if self.stopped {
                return Some(DRAW);
            }
            if value >= raised {
                self.table.put(
                    self.position.key(),
                    Entry {
                        mv: Some(mv),
                        value: to_table(value, ply),
                        evaluation: self.frames[here].raw_evaluation,
                        depth: reduced + 1,
                        bound: Bound::Lower,
                    },
                );
                return Some(value);
            }
        }
        None
    }
}
