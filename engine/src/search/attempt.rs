//! One move of a node: whether it deserves a search, how deep, and what comes of it.

use super::{
    Search,
    history::MOST as MOST_HISTORY,
    iterate::BEFORE_ROOT,
    node::{Node, TriedMove, Verdict},
    see,
    value::INFINITE,
    values::Values,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

/// One ply in the unit of reductions.
const PLY: i32 = 100;

/// The node one of whose moves is searched.
pub(super) trait Place<V> {
    /// Asked anew before each search: where several threads work, it rises meanwhile.
    fn alpha(&self) -> V;

    /// The move has turned out better than alpha, and is searched again to learn by how much.
    fn contest(&self);
}

/// A node that one thread searches alone, by its alpha.
pub(super) struct Alone<V>(pub V);

impl<V: Copy> Place<V> for Alone<V> {
    #[inline(always)]
    fn alpha(&self) -> V {
        self.0
    }

    #[inline(always)]
    fn contest(&self) {}
}

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// Whether a move that is not the first deserves a search at all.
    #[inline(always)]
    pub(super) fn verdict(
        &self,
        node: &Node<V>,
        mv: Move,
        number: usize,
        noisy: bool,
        gives_check: bool,
        alpha: V,
    ) -> Verdict {
        let depth = node.depth;
        let options = self.options;
        let reduced_depth = (depth - 1 - self.reduction(depth, number) / PLY).max(0);
        if !noisy && !gives_check {
            // Late moves at low depth: the history has had its say.
            if options.late_move_pruning != 0 && depth <= 8 {
                let enough =
                    options.late_move_base + depth * depth * options.late_move_factor / 100;
                if number as i32 > enough >> i32::from(!node.improving) {
                    return Verdict::SkipQuiets;
                }
            }
            if options.history_pruning != 0
                && depth <= 6
                && self.history.quiet(&self.position, mv, node.contexts)
                    < -options.history_pruning_margin * depth
            {
                return Verdict::Skip;
            }
            // Futility: the evaluation is so low that a quiet move cannot raise it.
            if options.futility != 0
                && reduced_depth <= 6
                && !node.in_check
                && alpha.mostly_at_least(
                    (node.evaluation)
                        .plus(options.futility_base + options.futility_margin * reduced_depth),
                    alpha,
                    options.lane_dissent,
                )
            {
                return Verdict::SkipQuiets;
            }
            let loss = options.exchange_quiet * reduced_depth * reduced_depth;
            if options.exchange_pruning != 0
                && depth <= 8
                && !see::gains_at_least(&self.position, mv, -loss)
            {
                return Verdict::Skip;
            }
        } else if options.exchange_pruning != 0
            && depth <= 6
            && !see::gains_at_least(&self.position, mv, -options.exchange_noisy * depth)
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Checks are extended by one ply (papers 000 and 003) when they cost nothing.
    #[inline(always)]
    pub(super) fn check_extension(&self, node: &Node<V>, mv: Move, gives_check: bool) -> i32 {
        if gives_check
            && self.options.check_extension != 0
            && see::gains_at_least(&self.position, mv, 0)
        {
            i32::from(node.ply < 2 * self.root_depth as usize)
        } else {
            0
        }
    }

    /// The value of a move from the side that makes it, once it is made, searched and taken back.
    #[inline(always)]
    pub(super) fn search_move<const PV: bool>(
        &mut self,
        node: &Node<V>,
        tried: TriedMove,
        place: &impl Place<V>,
    ) -> V {
        let TriedMove {
            mv,
            number,
            noisy,
            gives_check,
            extension,
        } = tried;
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
        let (child, undo) = self.step_down(mv, ply, gives_check);
        let here = ply + BEFORE_ROOT;
        self.frames[here].quiet = (!noisy).then_some(mv);
        let stopping = self.visit_node();

        let mut new_depth = depth - 1 + extension;
        let mut value = V::all(-INFINITE);
        if !stopping && options.cuts == 0 {
            let window = (V::all(-INFINITE), V::all(INFINITE));
            self.pv[ply + 1].clear();
            value = self
                .alpha_beta::<true>(&child, window, new_depth, ply + 1, false)
                .negated();
        } else if !stopping {
            let mut full = !PV || number > 1;
            let mut low = place.alpha();
            if options.late_move_reduction != 0
                && depth >= 3
                && number > 1 + usize::from(ply == 0)
                && !(noisy && number < 4)
            {
                let mut less = self.reduction(depth, number);
                less -= options.reduction_principal * i32::from(PV);
                less += options.reduction_cut * i32::from(cut_node);
                less -= options.reduction_check * i32::from(gives_check || node.in_check);
                less -= options.reduction_noisy * i32::from(noisy);
                less += options.reduction_declining * i32::from(!node.improving);
                less -= options.reduction_once_principal * i32::from(node.once_principal);
                less += options.reduction_table_noisy * i32::from(node.noisy_table_move && !noisy);
                less += options.reduction_cuts * i32::from(self.frames[here + 1].cuts > 3);
                less -= history;
                let reduced = (new_depth - less / PLY).clamp(1, new_depth.max(1));
                if reduced < new_depth {
                    let window = V::turned(V::above(low));
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, true))
                        .negated();
                    full = !low.mostly_at_least(value, low, self.options.lane_dissent);
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
            let scouts = !PV || options.scout != 0;
            while full && scouts {
                low = place.alpha();
                let window = V::turned(V::above(low));
                value = (self.alpha_beta::<false>(&child, window, new_depth, ply + 1, !cut_node))
                    .negated();
                // A brother may have raised alpha meanwhile: better than what was is not enough.
                full = !self.stopped && value.any_above(low) && place.alpha().any_above(low);
            }
            if PV && (number == 1 || full && !scouts || value.any_above(low)) {
                self.pv[ply + 1].clear();
                place.contest();
                value = self.search_in_window(&child, node, place.alpha(), new_depth);
            }
        }

        self.step_up(mv, undo);
        value
    }

    /// Hundredths of a ply by which a late move is searched less deep.
    #[inline(always)]
    fn reduction(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.reductions[depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// The value of a child on the principal variation, from the node's side.
    ///
    /// With `node_aspiration` the window is first a narrow one around what the table predicts for
    /// the child (paper 003, section 10), within that of the node.
    fn search_in_window(&mut self, child: &CheckInfo, node: &Node<V>, alpha: V, depth: i32) -> V {
        let ply = node.ply + 1;
        let whole = V::turned((alpha, node.beta));
        if self.options.node_aspiration != 0
            && depth >= 3
            && let Some(entry) = self.known(self.position.key())
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
                // What it is above, or below, is known now.
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
