//! One move of a node of the vector search: the lanes that leave it out, extensions, reductions and
//! re-searches by the lanes that ask for them.

use super::{
    numbers::{self, PLY, reduction},
    vector_node::{LaneWindows, VectorNode},
};
use crate::{
    eval::{Evaluator, see},
    rules::{CheckInfo, Move},
    search::{
        lanes::{LaneSet, Lanes},
        picker::Picker,
        search_value::SearchValue,
        searcher::Searcher,
        stack::STACK_OFFSET,
        value::INFINITE,
    },
};

/// A move of a node before its search.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorMove {
    pub mv: Move,
    /// Key of the position after the move.
    pub key: u64,
    /// 1 for the first move of the node.
    pub move_count: usize,
    pub noisy: bool,
    pub gives_check: bool,
    /// Plies by which the move is searched deeper.
    pub extension: i32,
}

/// The lanes that do not search a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrunedLanes {
    /// Lanes that leave out this move.
    this: LaneSet,
    /// Lanes that leave out this move and all quiet moves after it.
    quiets: LaneSet,
}

impl PrunedLanes {
    /// Returns the lanes that leave the move out, but for those that are `losing` without it. When no
    /// open lane wants a quiet move any more, the picker leaves them out.
    #[inline(always)]
    pub fn lanes_but(self, losing: LaneSet, picker: &mut Picker, open: LaneSet) -> LaneSet {
        let quiets = self.quiets.except(losing);
        if quiets.covers(open) {
            picker.skip_quiets();
        }
        self.this.except(losing).or(quiets)
    }
}

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Returns the lanes for which a move other than the first is not worth a search.
    #[inline(always)]
    pub(super) fn pruned_lanes(
        &self,
        node: &VectorNode,
        candidate: &VectorMove,
        alpha: Lanes,
    ) -> PrunedLanes {
        let &VectorMove { mv, move_count, .. } = candidate;
        let depth = node.depth;
        let options = self.options;
        let reduced_depth = (depth - 1 - self.vector_reduction(depth, move_count) / PLY).max(0);
        let mut pruned = PrunedLanes {
            this: LaneSet::NONE,
            quiets: LaneSet::NONE,
        };
        if !candidate.noisy && !candidate.gives_check {
            // Late-move pruning
            if options.late_move_pruning != 0 && depth <= numbers::QUIET_DEPTH {
                let [base, factor] = numbers::LATE_MOVES;
                let enough = base + depth * depth * factor / 100;
                if move_count as i32 > enough {
                    pruned.quiets = LaneSet::ALL;
                    return pruned;
                }
                if move_count as i32 > enough / 2 && !node.improving {
                    pruned.quiets = LaneSet::ALL;
                }
            }

            // Futility pruning
            if options.futility != 0 && reduced_depth <= numbers::FUTILITY_DEPTH && !node.in_check {
                let [base, each] = numbers::FUTILITY;
                let margin = options.margin(base + each * reduced_depth);
                let hopeless = alpha.reaching(node.evaluation.plus(margin));
                pruned.quiets = pruned.quiets.or(hopeless);
            }

            // Static exchange evaluation pruning of quiet moves
            let loss = options.margin(numbers::EXCHANGE_QUIET * reduced_depth * reduced_depth);
            if options.exchange_pruning != 0
                && depth <= numbers::QUIET_DEPTH
                && !pruned.quiets.covers(alpha.open())
                && !see::gains_at_least(&self.position, mv, -loss)
            {
                pruned.this = LaneSet::ALL;
            }
        } else if options.exchange_pruning != 0
            && depth <= numbers::NOISY_DEPTH
            && !see::gains_at_least(
                &self.position,
                mv,
                -options.margin(numbers::EXCHANGE_NOISY * depth),
            )
        {
            // Static exchange evaluation pruning of captures and checks
            pruned.this = LaneSet::ALL;
        }
        pruned
    }

    /// Makes a move, searches it for the lanes whose alpha is not settled and takes it back; returns
    /// its values from the side that makes it, minus infinity for the other lanes.
    pub(super) fn search_lanes_of_move<const PV: bool>(
        &mut self,
        node: &VectorNode,
        candidate: &VectorMove,
        (alpha, beta): (Lanes, Lanes),
    ) -> Lanes {
        let &VectorMove {
            mv,
            key,
            move_count,
            noisy,
            gives_check,
            ..
        } = candidate;
        let &VectorNode {
            depth,
            ply,
            cut_node,
            ..
        } = node;
        let options = self.options;
        let reduced = self.vector_reduced_depth::<PV>(node, candidate);
        let (child, undo) = self.make_move(mv, key, ply, gives_check);
        self.stack[ply + STACK_OFFSET].quiet = (!noisy).then_some(mv);
        let stopping = self.count_node();
        let new_depth = depth - 1 + candidate.extension;
        let open = alpha.open();
        let mut value = Lanes::all(-INFINITE);
        if !stopping && options.cuts == 0 {
            // Plain minimax
            let window = (Lanes::all(-INFINITE), Lanes::all(INFINITE));
            self.pv[ply + 1].clear();
            value = self
                .vector_search::<true>(&child, window, new_depth, ply + 1, false)
                .negated();
        } else if !stopping {
            // The lanes that are not content with what they know.
            let mut asking = open;

            // Late-move reductions
            if let Some(reduced) = reduced {
                let window = Lanes::turned(Lanes::above(alpha));
                let found = self
                    .vector_search::<false>(&child, window, reduced, ply + 1, true)
                    .negated();
                asking = found.beating(alpha).and(open);
                value = found.smaller(alpha);
            }

            // Re-search to the full depth, with a null window
            if (!PV || move_count > 1 && options.scout != 0) && !asking.is_empty() {
                let low = alpha.closed(LaneSet::ALL.except(asking));
                let window = Lanes::turned(Lanes::above(low));
                let found = self
                    .vector_search::<false>(&child, window, new_depth, ply + 1, !cut_node)
                    .negated();
                value = found.within(asking, value);
                asking = asking.and(found.beating(alpha));
            }

            // Re-search with the full window
            if PV && !asking.is_empty() {
                self.pv[ply + 1].clear();
                let low = alpha.closed(LaneSet::ALL.except(asking));
                let window = Lanes::turned((low, beta));
                let found = self
                    .vector_search::<true>(&child, window, new_depth, ply + 1, false)
                    .negated();
                value = found.within(asking, value);
            }
        }
        self.unmake_move(mv, undo);
        value.within(open, Lanes::all(-INFINITE))
    }

    /// Returns the depth of the first search of a late move, if it is less than the full one. The move
    /// has not been made.
    #[inline(always)]
    fn vector_reduced_depth<const PV: bool>(
        &self,
        node: &VectorNode,
        candidate: &VectorMove,
    ) -> Option<i32> {
        let options = self.options;
        let &VectorMove {
            mv,
            move_count,
            noisy,
            gives_check,
            ..
        } = candidate;
        let &VectorNode { depth, ply, .. } = node;
        if options.late_move_reduction == 0
            || depth < 3
            || move_count <= 1 + usize::from(ply == 0)
            || noisy && move_count < 4
        {
            return None;
        }
        let [quiet_ply, noisy_ply] = reduction::HISTORY;
        let history = if noisy {
            PLY * self.history.capture(&self.position, mv) / noisy_ply
        } else {
            let butterfly = self.history.quiet(&self.position, mv);
            let continuation = self
                .history
                .continuation(&self.position, mv, &node.contexts);
            PLY * (2 * butterfly + continuation) / quiet_ply
        };
        let mut less = self.vector_reduction(depth, move_count);
        less -= reduction::PRINCIPAL * i32::from(node.is_principal);
        less += reduction::CUT_NODE * i32::from(node.cut_node);
        less -= reduction::CHECK * i32::from(gives_check || node.in_check);
        less -= reduction::NOISY * i32::from(noisy);
        less += reduction::NOT_IMPROVING * i32::from(!node.improving);
        less -= reduction::TT_PV * i32::from(node.tt_pv);
        less += reduction::NOISY_TABLE_MOVE * i32::from(node.noisy_table_move && !noisy);
        less += reduction::CUTS * i32::from(self.stack[ply + STACK_OFFSET + 1].cuts > 3);
        less -= history;
        let full = depth - 1 + candidate.extension;
        let reduced = (full - less / PLY).clamp(1, full.max(1));
        (reduced < full).then_some(reduced)
    }

    /// Returns the reduction of a late move before adjustments, in hundredths of a ply.
    #[inline(always)]
    fn vector_reduction(&self, depth: i32, move_count: usize) -> i32 {
        let product = self.reductions[depth.clamp(0, 63) as usize][move_count.min(63)];
        reduction::BASE + product * reduction::SCALE / 1024
    }

    /// Returns the lanes that know a value of the table's move from below, if they are half of the
    /// open ones and the move may be singular for them.
    #[inline(always)]
    pub(super) fn singular_lanes(
        &self,
        node: &VectorNode,
        mv: Move,
        windows: &LaneWindows,
    ) -> Option<LaneSet> {
        let options = self.options;
        if options.singular_extension == 0
            || node.depth < numbers::SINGULAR_DEPTH
            || Some(mv) != node.table_move
            || node.ply >= 2 * self.root_depth as usize
        {
            return None;
        }
        let (entry, value) = (node.entry?, node.table_value?);
        let asked = (windows.open().and(entry.bounds.lower_set())).except(value.mating());
        (entry.depth >= node.depth - 3 && !asked.is_empty() && asked.holds_half_of(windows.open()))
            .then_some(asked)
    }

    /// Searches the node without the table's move and returns the extension of that move: one ply where
    /// all others are clearly worse for most of the lanes that are asked. Multi-cut: lanes
    /// for which another move reaches beta as well leave the node. The result means nothing once the
    /// search is stopped.
    pub(super) fn vector_extension<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        node: &VectorNode,
        mv: Move,
        asked: LaneSet,
        windows: &mut LaneWindows,
    ) -> i32 {
        let &VectorNode {
            depth,
            ply,
            cut_node,
            ..
        } = node;
        let Some(value) = node.table_value else {
            return 0;
        };
        let here = ply + STACK_OFFSET;
        let margin = self.options.margin(numbers::SINGULAR_MARGIN * depth / 100);
        let goal = value.plus(-margin);
        let singular = Lanes::below(goal.closed_beta(LaneSet::ALL.except(asked)));
        self.stack[here].excluded = Some(mv);
        let others = self.vector_search::<false>(info, singular, (depth - 1) / 2, ply, cut_node);
        self.stack[here].excluded = None;
        if self.stopped {
            return 0;
        }
        let rivalled = others.beating(singular.0).and(asked);
        if asked.except(rivalled).holds_half_of(asked) {
            return 1;
        }
        if !PV {
            windows.leave(rivalled.and(goal.reaching(windows.beta)), goal);
        }
        0
    }
}
