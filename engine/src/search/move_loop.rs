//! One move of the move loop: pruning, late-move reductions and re-searches.

use super::{
    history::Context,
    move_judge::{self, MoveFeatures},
    node::{Node, NodeMove, PruningDecision},
    numbers::{PLY, history as history_numbers, move_pruning, reduction},
    search_value::SearchValue,
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{DECIDED, INFINITE},
};
use crate::{
    eval::{Evaluator, exchange_value, see},
    rules::{CheckInfo, Move},
};

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
    /// Decides whether a move other than the first is worth a search. `has_raised` tells whether a move
    /// before has raised alpha.
    #[inline(always)]
    pub(super) fn pruning_decision(
        &self,
        node: &Node<V>,
        node_move: &NodeMove,
        alpha: V,
        has_raised: bool,
    ) -> PruningDecision<V> {
        let &NodeMove {
            mv,
            move_count,
            noisy,
            gives_check,
            gain,
            ..
        } = node_move;
        let options = self.options;
        let depth = node.depth;
        let mut less = self.reduction(node, move_count, alpha);
        less += reduction::tt_pv_pruning() * i32::from(node.tt_pv);
        let mut reduced_depth = depth - 1 - less / PLY;

        // Late-move pruning
        let enough = (move_pruning::late_moves() + depth * depth) >> i32::from(!node.improving);
        let search = if options.late_move_pruning != 0 && move_count as i32 >= enough {
            PruningDecision::SearchWithoutQuiets
        } else {
            PruningDecision::Search
        };

        if noisy || gives_check {
            let history = if noisy {
                self.history.capture(&self.position, mv)
            } else {
                0
            };

            // Futility pruning of captures
            if options.futility != 0
                && !gives_check
                && !node.in_check
                && reduced_depth < move_pruning::capture_depth()
            {
                let margin = options.margin(
                    move_pruning::capture_base()
                        + move_pruning::capture_margin() * reduced_depth
                        + move_pruning::capture_history() * history / 1024,
                );
                let hope = node.evaluation.plus(margin + self.victim_value(mv));
                if alpha.all_at_least(hope) {
                    return PruningDecision::Skip;
                }
            }

            // Static exchange evaluation pruning of captures and checks
            let loss = (move_pruning::exchange_noisy() * depth + history / 31)
                .clamp(0, move_pruning::exchange_noisy_most() * depth);
            let least = -options.margin(loss);
            if options.exchange_pruning != 0
                && gain < least
                && !see::gains_at_least(&self.position, mv, least)
            {
                return PruningDecision::Skip;
            }
        } else {
            // History pruning
            let position = &self.position;
            let mut history = (self.history).continuation(position, mv, &node.contexts)
                + self.history.pawn(position, mv, &node.contexts);
            if options.history_pruning != 0 && history < -move_pruning::history() * depth {
                return PruningDecision::Skip;
            }

            // Futility pruning
            history += 2 * self.history.quiet(position, mv);
            reduced_depth += history / move_pruning::history_ply();
            if options.futility != 0
                && !node.in_check
                && reduced_depth < move_pruning::futility_depth()
            {
                let base = futility_base(has_raised);
                let margin = options.margin(base + move_pruning::futility_margin() * reduced_depth);
                let mut hope = node.evaluation.plus(margin);
                if self.judges.judges_margins()
                    && depth >= move_judge::LEAST_PRUNING_DEPTH
                    && hope.lead(alpha, alpha).abs() <= move_judge::NEAR_MARGIN
                    && let Some((_, features)) =
                        self.futility_features(node, node_move, alpha, has_raised)
                {
                    hope = hope.plus(self.judges.more_margin(&features));
                }
                if alpha.all_at_least(hope) {
                    return PruningDecision::Futile(hope.smaller(alpha));
                }
            }

            // Static exchange evaluation pruning of quiet moves. Prefetched here, the child's entry arrives
            // while the exchanges are judged.
            let reduced_depth = reduced_depth.max(0);
            let loss = move_pruning::exchange_quiet() * reduced_depth * reduced_depth;
            if options.exchange_pruning != 0
                && !see::gains_at_least(&self.position, mv, -options.margin(loss))
            {
                return PruningDecision::Skip;
            }
        }
        search
    }

    /// Returns the hope of a quiet move above alpha by the usual margin of futility pruning, and the features for a
    /// learned one; nothing where its depth is not pruned.
    #[inline(never)]
    pub(super) fn futility_features(
        &self,
        node: &Node<V>,
        node_move: &NodeMove,
        alpha: V,
        has_raised: bool,
    ) -> Option<(i32, MoveFeatures)> {
        let &NodeMove { mv, move_count, .. } = node_move;
        let position = &self.position;
        let mut less = self.reduction(node, move_count, alpha);
        less += reduction::tt_pv_pruning() * i32::from(node.tt_pv);
        let history = (self.history).continuation(position, mv, &node.contexts)
            + self.history.pawn(position, mv, &node.contexts)
            + 2 * self.history.quiet(position, mv);
        let depth = node.depth - 1 - less / PLY + history / move_pruning::history_ply();
        (depth < move_pruning::futility_depth()).then(|| {
            let base = futility_base(has_raised);
            let margin = base + move_pruning::futility_margin() * depth;
            let hope = node.evaluation.plus(self.options.margin(margin));
            let features = self.move_features(node, node_move, alpha, history, depth);
            (hope.lead(alpha, alpha), features)
        })
    }

    /// Makes a move, searches it and takes it back; returns its value from the side that makes it.
    /// `best` is the best value so far, `has_raised` tells whether a move before has raised alpha.
    #[inline(always)]
    pub(super) fn search_move<const PV: bool>(
        &mut self,
        node: &Node<V>,
        node_move: NodeMove,
        (best, has_raised): (V, bool),
        source: &impl AlphaSource<V>,
    ) -> V {
        let NodeMove {
            mv,
            key,
            move_count,
            noisy,
            gives_check,
            extension,
            ..
        } = node_move;
        let &Node {
            depth,
            ply,
            cut_node,
            ..
        } = node;
        if !PV && let Some(value) = self.refuted_by_replay(node, mv) {
            return value;
        }
        let options = self.options;
        let history = self.move_history(node, mv, noisy);
        let features = (self.examines_reductions
            && depth >= move_judge::LEAST_DEPTH
            && move_count > 1)
            .then(|| {
                let low = source.alpha();
                let less = self.adjusted_reduction::<PV>(node, &node_move, low, history);
                self.move_features(node, &node_move, low, history, less / PLY)
            });
        let victim = self.position.piece(mv.to()).index();
        let moved = Context::of(&self.position, mv);
        let (child, undo) = self.make_move(mv, key, ply, gives_check);
        let here = ply + STACK_OFFSET;
        let is_table_move = node.table_move == Some(mv);
        let extended = self.stack[here - 1].extended + extension.max(0);
        let entry = &mut self.stack[here];
        entry.extended = extended;
        entry.quiet = (!noisy).then_some(mv);
        entry.noisy = noisy.then_some(victim);
        (entry.move_count, entry.is_table_move) = (move_count, is_table_move);
        (entry.history, entry.reduction) = (history, 0);
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
            let scouts = !PV || options.scout != 0;
            if full && scouts {
                let mut less = self.adjusted_reduction::<PV>(node, &node_move, low, history);
                if let Some(features) = &features {
                    less -= self.judges.less_reduction(features);
                }

                // Late-move reductions
                if options.late_move_reduction != 0 && depth >= 2 && move_count > 1 {
                    let most = new_depth + i32::from(!node.all_node) + i32::from(PV && !has_raised);
                    let reduced = (new_depth - less / PLY).min(most).max(1);
                    if let Some(features) = features {
                        let depths = (reduced, new_depth);
                        self.sample_reduction(&child, node, low, depths, features);
                    }
                    self.stack[here].reduction = new_depth - reduced;
                    let window = V::turned(V::above(low));
                    value = (self.alpha_beta::<false>(&child, window, reduced, ply + 1, true))
                        .negated();
                    self.stack[here].reduction = 0;
                    full = !self.stopped && !low.all_at_least(value);
                    if !full {
                        value = value.smaller(low);
                    } else if reduced < new_depth {
                        // A surprising move is searched deeper, a poor one less deep.
                        let surplus = value.lead(best, low);
                        new_depth += i32::from(surplus > reduction::deeper() + 2 * new_depth);
                        new_depth -= i32::from(surplus < reduction::shallower());
                        full = new_depth > reduced;
                        if !noisy {
                            let bonus = history_numbers::beat_alpha();
                            (self.history).update_continuation(moved, &node.contexts, bonus);
                        }
                    } else {
                        new_depth -= i32::from(value.lead(best, low) < reduction::shallower());
                        full = false;
                    }
                } else if options.late_move_reduction != 0 {
                    let less = less + reduction::unknown() * i32::from(node.table_move.is_none());
                    new_depth -= i32::from(less > reduction::one());
                    new_depth -= i32::from(less > reduction::two() && new_depth > 1);
                }
            }

            // Re-search to the full depth, with a null window
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
                // The table's move does not drop into quiescence.
                if is_table_move && self.root_depth > 8 {
                    new_depth = new_depth.max(1);
                }
                let window = (source.alpha(), node.beta);
                value = match self.search_near_table_value(&child, window, new_depth, ply + 1) {
                    Some(value) => value,
                    None => (self)
                        .alpha_beta::<true>(&child, V::turned(window), new_depth, ply + 1, false)
                        .negated(),
                };
            }
        }

        self.unmake_move(mv, undo);
        value
    }

    /// Searches the current node, the child of one on the principal variation, in a narrow window around its
    /// value in the table (Shimoyama, section 10). `window` and the value are those of the parent. Returns
    /// `None` if no such window is asked for, or if it does not hold the value.
    #[inline(always)]
    fn search_near_table_value(
        &mut self,
        child: &CheckInfo,
        (alpha, beta): (V, V),
        depth: i32,
        ply: usize,
    ) -> Option<V> {
        /// Plies of a usual game.
        const USUAL_END: i32 = 120;
        let margin = self.options.node_window;
        if margin == 0 || V::LANES > 1 {
            return None;
        }
        let entry = self.probe_table(self.position.key(), child)?;
        let expected = -entry.value.lane(0);
        if expected.abs() >= DECIDED {
            return None;
        }
        let progress = (self.position.ply() as i32).min(USUAL_END);
        let margin = margin + margin * progress / USUAL_END;
        let low = (expected - margin).max(alpha.lane(0));
        let high = (expected + margin).min(beta.lane(0));
        if low >= high {
            return None;
        }
        let window = V::turned((V::all(low), V::all(high)));
        let found = self
            .alpha_beta::<true>(child, window, depth, ply, false)
            .negated();
        let value = found.lane(0);
        let is_below = value <= low && low > alpha.lane(0);
        let is_above = value >= high && high < beta.lane(0);
        if (is_below || is_above) && !self.stopped {
            self.pv[ply].clear();
            return None;
        }
        Some(found)
    }

    /// Returns the remaining depth of a node after a move of this value has raised alpha: with a better move
    /// at hand, the others are searched less deep.
    #[inline(always)]
    pub(super) fn depth_after_raise(&self, depth: i32, value: V, window: (V, V)) -> i32 {
        let reduces = self.options.late_move_reduction != 0
            && depth > 2
            && depth < 14
            && !value.is_decided(window);
        depth - 2 * i32::from(reduces)
    }

    /// Returns the value of the piece that a move captures.
    #[inline(always)]
    pub(super) fn victim_value(&self, mv: Move) -> i32 {
        let victim = self.position.piece(mv.to()).get();
        victim.map_or(0, |(_, kind)| exchange_value(kind))
    }

    /// Returns the history of a move, by which it is reduced.
    #[inline(always)]
    fn move_history(&self, node: &Node<V>, mv: Move, noisy: bool) -> i32 {
        let position = &self.position;
        if noisy {
            reduction::victim() * self.victim_value(mv) + self.history.capture(position, mv)
                - reduction::history_noisy()
        } else {
            2 * self.history.quiet(position, mv)
                + (self.history).continuation(position, mv, &node.contexts)
                - reduction::history_quiet()
        }
    }

    /// Returns by how much a window lessens reductions: the more, the wider beside the root's.
    #[inline(always)]
    fn window_reduction(&self, window: i32) -> i32 {
        match window {
            1 => self.null_window_reduction,
            _ => reduction_by_window(window, self.root_window),
        }
    }

    /// Sets the width of the window at the root.
    pub(super) fn set_root_window(&mut self, width: i32) {
        self.root_window = width.max(1);
        self.null_window_reduction = reduction_by_window(1, self.root_window);
    }

    /// Returns the reduction of a late move before adjustments, in 1/1024 plies.
    #[inline(always)]
    fn reduction(&self, node: &Node<V>, move_count: usize, alpha: V) -> i32 {
        let depth = node.depth.clamp(0, 63) as usize;
        let scale = self.reductions[depth][move_count.min(63)];
        let window = node.beta.lead(alpha, alpha);
        let mut less = scale + reduction::base();
        less -= self.window_reduction(window);
        less += scale * reduction::not_improving() / 512 * i32::from(!node.improving);
        less
    }

    /// Returns the reduction of a move, in 1/1024 plies.
    #[inline(always)]
    fn adjusted_reduction<const PV: bool>(
        &self,
        node: &Node<V>,
        node_move: &NodeMove,
        alpha: V,
        history: i32,
    ) -> i32 {
        let &NodeMove { mv, move_count, .. } = node_move;
        let cut = i32::from(node.cut_node);
        let mut less = self.reduction(node, move_count, alpha);
        if node.tt_pv {
            less -= reduction::tt_pv() - reduction::tt_pv_pruning()
                + reduction::tt_pv_node() * i32::from(PV);
            if let (Some(entry), Some(value)) = (node.entry, node.table_value) {
                let is_above = !alpha.all_at_least(value);
                less -= reduction::tt_pv_value() * i32::from(is_above);
                let is_deep = i32::from(entry.depth >= node.depth);
                less -= is_deep * (reduction::tt_pv_depth() + reduction::tt_pv_depth_cut() * cut);
            }
        }
        less += reduction::every() - reduction::each_before() * move_count.min(64) as i32;
        less -= node.correction * reduction::correction();
        less += cut
            * (reduction::cut_node()
                + reduction::cut_node_unknown() * i32::from(node.table_move.is_none()));
        less += reduction::noisy_table_move() * i32::from(node.noisy_table_move);
        if self.stack[node.ply + STACK_OFFSET + 1].cuts > reduction::cuts() {
            less +=
                reduction::after_cuts() + reduction::after_cuts_all() * i32::from(node.all_node);
        }
        less -= reduction::table_move() * i32::from(node.table_move == Some(mv));
        less - history / 8 * reduction::history() / 1024
    }
}

#[inline(always)]
fn reduction_by_window(window: i32, root: i32) -> i32 {
    window.min(root) * reduction::window() / root
}

/// Margin of futility pruning at a reduced depth of 0. `has_raised` tells whether a move before has raised alpha.
#[inline(always)]
fn futility_base(has_raised: bool) -> i32 {
    if has_raised {
        move_pruning::futility_base_raised()
    } else {
        move_pruning::futility_base()
    }
}
