//! Extensions: moves that are searched deeper than their siblings.

use super::{
    node::Node, search_value::SearchValue, searcher::Searcher, see, stack::STACK_OFFSET,
    value::DRAW,
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
        let options = self.options;
        let &Node {
            depth,
            ply,
            beta,
            cut_node,
            ..
        } = node;
        let here = ply + STACK_OFFSET;
        let margin = options.singular_margin * depth / 100;
        let singular = V::below(value.plus(-margin).blanked(window));
        self.stack[here].excluded = Some(mv);
        let killers = self.stack[here].killers;
        let others = self.alpha_beta::<false>(info, singular, (depth - 1) / 2, ply, cut_node);
        self.stack[here].excluded = None;
        self.stack[here].killers = killers;
        if self.stopped {
            return Singularity::Cut(V::all(DRAW));
        }
        if !others.any_above(singular.0) {
            // Double extension
            let far = V::below(singular.1.plus(-margin - 20).blanked(window));
            let by_far = !PV && !others.any_above(far.0);
            Singularity::Extension(1 + i32::from(by_far && options.double_extension != 0))
        } else if singular.1.all_at_least(beta) {
            Singularity::Cut(singular.1)
        } else if options.negative_extension != 0 && (cut_node || value.all_at_least(beta)) {
            Singularity::Extension(-options.negative_extension)
        } else {
            Singularity::Extension(0)
        }
    }

    /// Extends a check by one ply (papers 000 and 003) when it loses no material.
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
}
