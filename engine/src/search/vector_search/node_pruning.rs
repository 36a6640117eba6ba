//! Pruning of a whole node before any of its moves is searched in full, lane by lane.

use super::frame::{Frame, VectorNode};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, KeyHistoryEntry},
    search::{
        history::Context,
        lanes::{LaneSet, Lanes},
        picker::{Picker, is_noisy},
        search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
        searcher::Searcher,
        see,
        stack::STACK_OFFSET,
        value::{DECIDED, DRAW},
    },
};
use std::mem;

/// Plies by which ProbCut searches less deep.
const PROBCUT_REDUCTION: i32 = 4;

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Lets the lanes leave that need no search of the moves. The side to move is not in check and
    /// the node is not on the principal variation. The frame means nothing once the search is stopped.
    pub(super) fn prune_lanes(&mut self, info: &CheckInfo, node: &VectorNode, frame: &mut Frame) {
        let options = self.options;
        let &VectorNode {
            depth,
            ply,
            evaluation,
            ..
        } = node;
        // The table's value is a better guess than the static evaluation where its bound allows.
        let guess = match (node.entry, node.table_value) {
            (Some(entry), Some(value)) => value.better_guess(entry.bounds, evaluation),
            _ => evaluation,
        };
        let able = LaneSet::ALL.except(frame.beta.mating());

        // Reverse futility pruning: so far above beta that a quiet move will stay above.
        if options.reverse_futility != 0 && depth <= options.reverse_futility_depth {
            let margin = options.reverse_futility_margin;
            let others = guess.plus(-margin * depth);
            let improving = guess.plus(-margin * (depth - 1));
            let hope = improving.within(node.improving, others);
            let lanes = hope.reaching(frame.beta).except(guess.mating()).and(able);
            frame.leave(lanes, guess.larger(frame.beta));
            if frame.is_left() {
                return;
            }
        }

        // Razoring: so far below alpha that only captures can help.
        if options.razoring != 0 && depth <= 3 {
            let margin = options.razoring_margin * depth + options.razoring_base + 1;
            let hopeless = frame
                .alpha
                .reaching(guess.plus(margin))
                .and(able)
                .and(frame.open());
            if !hopeless.is_empty() {
                let alpha = frame.alpha.closed(LaneSet::ALL.except(hopeless));
                let value = self.vector_leaf::<false>(info, Lanes::above(alpha), ply);
                if self.stopped {
                    return;
                }
                frame.leave(frame.alpha.reaching(value).and(hopeless), value);
                if frame.is_left() {
                    return;
                }
            }
        }

        // Null-move pruning: if even a pass keeps the value above beta, a move will.
        if options.null_move != 0
            && depth >= 3
            && self.stack[ply + STACK_OFFSET - 1].context != Context::NONE
        {
            let floor = frame.beta.plus(options.null_move_margin - 40 * depth);
            let lanes = guess
                .reaching(frame.beta)
                .and(evaluation.reaching(floor))
                .and(able)
                .and(frame.open());
            if !lanes.is_empty() {
                let value = self.pass(node, guess, frame, lanes);
                if self.stopped {
                    return;
                }
                // A mate after a pass need not exist after a move.
                let proved = Lanes::from_lanes(|lane| match value.lane(lane) {
                    value if value < DECIDED => value,
                    _ => frame.beta.lane(lane),
                });
                frame.leave(value.reaching(frame.beta).and(lanes), proved);
                if frame.is_left() {
                    return;
                }
            }
        }

        // ProbCut
        if options.probcut != 0 && depth >= 5 {
            self.probcut_lanes(info, node, frame, able);
        }
    }

    /// Returns the value of the node for some lanes when its side to move passes.
    fn pass(&mut self, node: &VectorNode, guess: Lanes, frame: &Frame, lanes: LaneSet) -> Lanes {
        let &VectorNode { depth, ply, .. } = node;
        let options = self.options;
        let closed = LaneSet::ALL.except(lanes);
        let beta = frame.beta.closed_beta(closed);
        let surplus = guess.within(lanes, Lanes::all(DECIDED)).least_above(beta);
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
        let window = Lanes::turned(Lanes::below(beta));
        let value =
            self.vector_search::<false>(&child, window, depth - reduction, ply + 1, !node.cut_node);
        self.key_history.pop();
        self.after_null_move = before;
        self.position.unmake_pass();
        value.negated()
    }

    /// ProbCut: a capture that holds a raised beta in a shallower search will hold beta.
    fn probcut_lanes(
        &mut self,
        info: &CheckInfo,
        node: &VectorNode,
        frame: &mut Frame,
        able: LaneSet,
    ) {
        let &VectorNode { depth, ply, .. } = node;
        let margin = self.options.probcut_margin - 50 * i32::from(node.mostly_improving);
        let reduced = depth - PROBCUT_REDUCTION;
        let raised = frame.beta.plus(margin);
        let mut lanes = frame.open().and(able).except(raised.mating());
        if let Some(entry) = node.entry
            && entry.depth >= reduced
        {
            let short = raised.beating(entry.value).and(entry.bounds.upper_set());
            lanes = lanes.except(short);
        }
        if lanes.is_empty() {
            return;
        }
        let here = ply + STACK_OFFSET;
        let contexts = self.contexts(ply);
        let table_move = node.table_move.filter(|&mv| is_noisy(&self.position, mv));
        let mut picker = Picker::quiescence(false, table_move, contexts);
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            let goal = raised.closed_beta(LaneSet::ALL.except(lanes));
            let gain = goal.most_above(node.evaluation);
            if !see::gains_at_least(&self.position, mv, gain) {
                continue;
            }
            let gives_check = node.targets.is_check(&self.position, mv);
            let (child, undo) = self.make_move(mv, ply, gives_check);
            self.stack[here].quiet = None;
            let mut value = Lanes::all(DRAW);
            let mut passing = LaneSet::NONE;
            if !self.count_node() {
                let window = Lanes::turned(Lanes::below(goal));
                value = self.vector_leaf::<false>(&child, window, ply + 1).negated();
                passing = value.reaching(goal).and(lanes);
                if !passing.is_empty() && !self.stopped {
                    let goal = goal.closed_beta(LaneSet::ALL.except(passing));
                    let window = Lanes::turned(Lanes::below(goal));
                    let other = !node.cut_node;
                    value = self
                        .vector_search::<false>(&child, window, reduced, ply + 1, other)
                        .negated();
                    passing = value.reaching(goal).and(passing);
                }
            }
            self.unmake_move(mv, undo);
            if self.stopped {
                return;
            }
            if !passing.is_empty() {
                let goal = goal.closed_beta(LaneSet::ALL.except(passing));
                self.table.put(
                    self.position.key(),
                    TableEntry {
                        mv: Some(mv),
                        value: value.stored(ply),
                        evaluation: self.stack[here].raw_evaluation,
                        depth: (reduced + 1).min(PROVED - 1),
                        bounds: value.bounds(Lanes::below(goal), false),
                        tt_pv: node.tt_pv,
                    },
                );
                frame.leave(passing, value);
                lanes = lanes.except(passing);
                if lanes.is_empty() {
                    return;
                }
            }
        }
    }
}
