//! One move of the move loop: pruning, late-move reductions and re-searches.

use super::{
    history::MOST as MOST_HISTORY,
    node::{Node, NodeMove, PruningDecision},
    search_value::SearchValue,
    searcher::Searcher,
    see,
    stack::STACK_OFFSET,
    value::INFINITE,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

/// One ply in the unit of reductions.
const PLY: i32 = 100;

/// Alpha of the node whose moves are searched.
pub(super) trait AlphaSource<V> {
    /// Returns the present alpha, which other threads may raise between two calls.
    fn alpha(&self) -> V;

    /// Announces that a move has beaten alpha and is searched again with a full window.
    fn begin_research(&self);
}

/// Alpha of a node that one thread searches alone.
pub(super) struct UnsharedAlpha<V>(pub V);

impl<V: Copy> AlphaSource<V> for UnsharedAlpha<V> {
    #[inline(always)]
    fn alpha(&self) -> V {
        self.0
    }

    #[inline(always)]
    fn begin_research(&self) {}
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Decides whether a move other than the first is worth a search.
    #[inline(always)]
    pub(super) fn pruning_decision(
        &self,
        node: &Node<V>,
        mv: Move,
        move_count: usize,
        noisy: bool,
        gives_check: bool,
        alpha: V,
    ) -> PruningDecision {
        let depth = node.depth;
        let options = self.options;
        let reduced_depth = (depth - 1 - self.reduction(depth, move_count) / PLY).max(0);
        if !noisy && !gives_check {
            // Late-move pruning
            if options.late_move_pruning != 0 && depth <= 8 {
                let enough =
                    options.late_move_base + depth * depth * options.late_move_factor / 100;
                if move_count as i32 > enough >> i32::from(!node.improving) {
                    return PruningDecision::SkipQuiets;
                }
            }

            // History pruning
            if options.history_pruning != 0
                && depth <= 6
                && self.history.quiet(&self.position, mv, node.contexts)
                    < -options.history_pruning_margin * depth
            {
                return PruningDecision::Skip;
            }

            // Futility pruning
            if options.futility != 0
                && reduced_depth <= 6
                && !node.in_check
                && alpha.all_at_least(
                    (node.evaluation)
                        .plus(options.futility_base + options.futility_margin * reduced_depth),
                )
            {
                return PruningDecision::SkipQuiets;
            }

            // Static exchange evaluation pruning of quiet moves
            let loss = options.exchange_quiet * reduced_depth * reduced_depth;
            if options.exchange_pruning != 0
                && depth <= 8
                && !see::gains_at_least(&self.position, mv, -loss)
            {
                return PruningDecision::Skip;
            }
        } else if options.exchange_pruning != 0
            && depth <= 6
            && !see::gains_at_least(&self.position, mv, -options.exchange_noisy * depth)
        {
            // Static exchange evaluation pruning of captures and checks
            return PruningDecision::Skip;
        }
        PruningDecision::Search
    }

    /// Makes a move, searches it and takes it back; returns its value from the side that makes it.
    #[inline(always)]
    pub(super) fn search_move<const PV: bool>(
        &mut self,
        node: &Node<V>,
        node_move: NodeMove,
        source: &impl AlphaSource<V>,
    ) -> V {
        let NodeMove {
            mv,
            move_count,
            noisy,
            gives_check,
            extension,
        } = node_move;
        let &Node {
            depth,
            ply,
            cut_node,
            ..
        } = node;
        let options = self.options;
        let history = if noisy {
            options.reduction_capture * self.history.capture(&self.position, mv) / MOST_HISTORY
        } else {
            PLY * self.history.quiet(&self.position, mv, node.contexts) / options.reduction_history
        };
        let (child, undo) = self.make_move(mv, ply, gives_check);
        let here = ply + STACK_OFFSET;
        self.stack[here].quiet = (!noisy).then_some(mv);
        let stopping = self.count_node();

        let mut new_depth = depth - 1 + extension;
        let mut value = V::all(-INFINITE);
        if !stopping && options.cuts == 0 {
            // Plain minimax
            let window = (V::all(-INFINITE), V::all(INFINITE));
            self.pv[ply + 1].clear();
            value = self
                .alpha_beta::<true>(&child, window, new_depth, ply + 1, false)
                .negated();
        } else if !stopping {
            let mut full = !PV || move_count > 1;
            let mut low = source.alpha();

            // Late-move reductions
            if options.late_move_reduction != 0
                && depth >= 3
                && move_count > 1 + usize::from(ply == 0)
                && !(noisy && move_count < 4)
            {
                let mut less = self.reduction(depth, move_count);
                less -= options.reduction_principal * i32::from(PV);
                less += options.reduction_cut * i32::from(cut_node);
                less -= options.reduction_check * i32::from(gives_check || node.in_check);
                less -= options.reduction_noisy * i32::from(noisy);
                less += options.reduction_not_improving * i32::from(!node.improving);
                less -= options.reduction_tt_pv * i32::from(node.tt_pv);
                less += options.reduction_table_noisy * i32::from(node.noisy_table_move && !noisy);
                less += options.reduction_cuts * i32::from(self.stack[here + 1].cuts > 3);
                less -= history;
                let reduced = (new_depth - less / PLY).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    let window = V::turned(V::above(low));
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, true))
                        .negated();
                    full = !low.all_at_least(value);
                    if !full {
                        value = value.smaller(low);
                    } else if options.research_depth != 0 && ply > 0 {
                        let surprise = value.most_above(low);
                        new_depth += i32::from(surprise > 40 + 2 * new_depth);
                        new_depth -= i32::from(surprise < 8);
                        full = new_depth > reduced;
                    }
                }
            }

            // Re-search to the full depth, with a null window
            let scouts = !PV || options.scout != 0;
            while full && scouts {
                low = source.alpha();
                let window = V::turned(V::above(low));
                value = (self.alpha_beta::<false>(&child, window, new_depth, ply + 1, !cut_node))
                    .negated();
                // A sibling may have raised alpha meanwhile, which the value has to beat as well.
                full = !self.stopped && value.any_above(low) && source.alpha().any_above(low);
            }

            // Re-search with the full window
            if PV && (move_count == 1 || full && !scouts || value.any_above(low)) {
                self.pv[ply + 1].clear();
                source.begin_research();
                value = self.search_in_window(&child, node, source.alpha(), new_depth);
            }
        }

        self.unmake_move(mv, undo);
        value
    }

    /// Returns the reduction of a late move before adjustments, in hundredths of a ply.
    #[inline(always)]
    fn reduction(&self, depth: i32, move_count: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][move_count.min(63)])
    }

    /// Returns the value of a child on the principal variation, from the node's side.
    ///
    /// With `node_aspiration` the first window is a narrow one around the value that the table
    /// predicts for the child (paper 003, section 10), within the node's window.
    fn search_in_window(&mut self, child: &CheckInfo, node: &Node<V>, alpha: V, depth: i32) -> V {
        let ply = node.ply + 1;
        let whole = V::turned((alpha, node.beta));
        if self.options.node_aspiration != 0
            && depth >= 3
            && let Some(entry) = self.probe_table(self.position.key())
            && entry.depth >= depth - 3
        {
            let predicted = entry.value.recalled(ply);
            let window = self.options.node_window;
            let narrow = (
                predicted.plus(-window).larger(whole.0),
                predicted.plus(window).smaller(whole.1),
            );
            let is_inside = predicted.any_above(whole.0) && whole.1.any_above(predicted);
            if V::LANES == 1 && is_inside && !predicted.has_mate(whole) {
                let is_known = |value: V, window: (V, V)| {
                    let inside = value.any_above(window.0) && window.1.any_above(value);
                    let outside = !value.any_above(whole.0) || !whole.1.any_above(value);
                    inside || outside
                };
                let value = self.alpha_beta::<true>(child, narrow, depth, ply, false);
                if self.stopped || is_known(value, narrow) {
                    return value.negated();
                }
                // The value is now known to lie on one side of the narrow window.
                let rest = if value.any_above(narrow.0) {
                    (narrow.0, whole.1)
                } else {
                    (whole.0, narrow.1)
                };
                self.pv[ply].clear();
                let value = self.alpha_beta::<true>(child, rest, depth, ply, false);
                if self.stopped || is_known(value, rest) {
                    return value.negated();
                }
                self.pv[ply].clear();
            }
        }
        self.alpha_beta::<true>(child, whole, depth, ply, false)
            .negated()
    }
}
