//! Pruning of a whole node before any of its moves is searched in full, lane by lane.

use super::{
    numbers,
    vector_node::{LaneWindows, VectorNode},
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, KeyHistoryEntry},
    search::{
        history::Context,
        lanes::{LaneSet, Lanes},
        search_value::SearchValue,
        searcher::Searcher,
        stack::STACK_OFFSET,
        value::DECIDED,
    },
};
use std::mem;

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Lets the lanes leave that need no search of the moves. The side to move is not in check and
    /// the node is not on the principal variation. The windows mean nothing once the search is stopped.
    pub(super) fn prune_lanes(
        &mut self,
        info: &CheckInfo,
        node: &VectorNode,
        windows: &mut LaneWindows,
    ) {
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
        let able = LaneSet::ALL.except(windows.beta.mating());

        // Reverse futility pruning: so far above beta that a quiet move will stay above.
        if options.reverse_futility != 0 && depth <= numbers::REVERSE_FUTILITY_DEPTH {
            let margin = options.margin(numbers::REVERSE_FUTILITY);
            let hope = guess.plus(-margin * (depth - i32::from(node.improving)));
            let lanes = hope.reaching(windows.beta).except(guess.mating()).and(able);
            windows.leave(lanes, guess.larger(windows.beta));
            if windows.is_left() {
                return;
            }
        }

        // Razoring: so far below alpha that only captures can help.
        if options.razoring != 0 && depth <= numbers::RAZORING_DEPTH {
            let [base, each] = numbers::RAZORING;
            let margin = options.margin(base + each * depth) + 1;
            let hopeless = windows
                .alpha
                .reaching(guess.plus(margin))
                .and(able)
                .and(windows.open());
            if !hopeless.is_empty() {
                let alpha = windows.alpha.closed(LaneSet::ALL.except(hopeless));
                let value = self.vector_leaf::<false>(info, Lanes::above(alpha), ply);
                if self.stopped {
                    return;
                }
                windows.leave(windows.alpha.reaching(value).and(hopeless), value);
                if windows.is_left() {
                    return;
                }
            }
        }

        // Null-move pruning: if even a pass keeps the value above beta, a move will.
        if options.null_move != 0
            && depth >= 3
            && self.stack[ply + STACK_OFFSET - 1].context != Context::NONE
        {
            let [base, each] = numbers::NULL_MOVE_MARGIN;
            let floor = windows.beta.plus(options.margin(base - each * depth));
            let lanes = guess
                .reaching(windows.beta)
                .and(evaluation.reaching(floor))
                .and(able)
                .and(windows.open());
            if !lanes.is_empty() {
                let value = self.pass(node, guess, windows, lanes);
                if self.stopped {
                    return;
                }
                // A mate after a pass need not exist after a move.
                let proved = Lanes::from_lanes(|lane| match value.lane(lane) {
                    value if value < DECIDED => value,
                    _ => windows.beta.lane(lane),
                });
                windows.leave(value.reaching(windows.beta).and(lanes), proved);
            }
        }
    }

    /// Returns the value of the node for some lanes when its side to move passes.
    fn pass(
        &mut self,
        node: &VectorNode,
        guess: Lanes,
        windows: &LaneWindows,
        lanes: LaneSet,
    ) -> Lanes {
        let &VectorNode { depth, ply, .. } = node;
        let options = self.options;
        let closed = LaneSet::ALL.except(lanes);
        let beta = windows.beta.closed_beta(closed);
        let surplus = guess.within(lanes, Lanes::all(DECIDED)).least_above(beta);
        let surplus = (surplus / options.margin(numbers::NULL_MOVE_SURPLUS)).min(3);
        let reduction = numbers::NULL_MOVE_REDUCTION + depth / 4 + surplus;
        self.stack[ply + STACK_OFFSET].context = Context::NONE;
        self.stack[ply + STACK_OFFSET].quiet = None;
        self.position.make_pass();
        let child = CheckInfo::new(&self.position);
        // A pass ends every cycle.
        let before = mem::replace(&mut self.after_null_move, self.key_history.len());
        (self.key_history).push(KeyHistoryEntry::known(&self.position, false));
        let window = Lanes::turned(Lanes::below(beta));
        let value =
            self.vector_search::<false>(&child, window, depth - reduction, ply + 1, !node.cut_node);
        self.key_history.pop();
        self.after_null_move = before;
        self.position.unmake_pass();
        value.negated()
    }
}
