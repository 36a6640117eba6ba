//! Extensions: the table's move is searched deeper than its siblings where they are clearly worse.

use super::{
    node::Node, numbers::singular, search_value::SearchValue, searcher::Searcher,
    stack::STACK_OFFSET, value::DRAW,
};
use crate::{
    eval::Evaluator,
    rules::{CheckInfo, Move},
};

/// Result of the search without the table's move.
pub(super) enum Singularity<V> {
    /// Plies by which the table's move is extended; negative where other moves are as good.
    Extension(i32),
    /// Multi-cut: another move reaches beta as well, so that the node is left with this value.
    Cut(V),
}

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the value of a move that is worth the search for its singularity: the table's move with
    /// a reliable value.
    #[inline(always)]
    pub(super) fn may_be_singular(&self, node: &Node<V>, mv: Move, window: (V, V)) -> Option<V> {
        let (entry, value) = node.entry.zip(node.table_value)?;
        let is_worth = node.table_move == Some(mv)
            && node.ply > 0
            && self.options.singular_extension != 0
            && node.depth >= singular::depth() + i32::from(node.tt_pv)
            && entry.depth >= node.depth - 3
            && V::holds_from_below(entry.bounds, window)
            && !value.is_decided(window)
            && self.stack[node.ply + STACK_OFFSET - 1].extended
                < self.root_depth * singular::most_percent() / 100
            && node.ply < 2 * self.root_depth as usize;
        is_worth.then_some(value)
    }

    /// Searches the node without the table's move, whose value is `value`, and extends that move
    /// when all others are clearly worse. The result means nothing once the search is stopped.
    #[inline(always)]
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        node: &Node<V>,
        mv: Move,
        value: V,
        window: (V, V),
    ) -> Singularity<V> {
        let &Node {
            depth,
            ply,
            beta,
            cut_node,
            tt_pv,
            ..
        } = node;
        let here = ply + STACK_OFFSET;
        let each = singular::margin() + singular::margin_tt_pv() * i32::from(tt_pv && !PV);
        let margin = self.options.margin(each * depth / 100);
        let singular = V::below(value.plus(-margin).blanked(window));
        self.stack[here].excluded = Some(mv);
        let others = self.alpha_beta::<false>(info, singular, (depth - 1) / 2, ply, cut_node);
        self.stack[here].excluded = None;
        if self.stopped {
            return Singularity::Cut(V::all(DRAW));
        }
        if !others.any_above(singular.0) {
            // Double and triple extensions
            let pv = i32::from(PV);
            let quiet = i32::from(!node.noisy_table_move);
            let double = singular::double() + singular::double_pv() * pv
                - singular::double_quiet() * quiet
                - node.correction / 2;
            let triple = singular::triple() + singular::triple_pv() * pv
                - singular::triple_quiet() * quiet
                + singular::triple_tt_pv() * i32::from(tt_pv)
                - node.correction / 2;
            let is_far = |margin: i32| {
                let far = singular.1.plus(-self.options.margin(margin));
                !others.any_above(V::below(far.blanked(window)).0)
            };
            let further = if self.stack[here - 1].extended < singular::most() {
                i32::from(is_far(double)) + i32::from(is_far(triple))
            } else {
                0
            };
            Singularity::Extension(1 + further)
        } else if others.all_at_least(beta) && !others.is_decided(window) {
            Singularity::Cut(others)
        } else if value.all_at_least(beta) {
            Singularity::Extension(-singular::not_singular())
        } else if cut_node {
            Singularity::Extension(-singular::not_singular_cut())
        } else {
            Singularity::Extension(0)
        }
    }
}
