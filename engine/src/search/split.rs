//! Work at split points: several threads search the siblings of a node's first move, once the owner
//! has searched the first move alone (YBWC* of Shimoyama).

use super::{
    move_loop::AlphaSource,
    node::{MoveLoopState, Node, NodeMove, PruningDecision},
    picker::{Picker, is_noisy},
    search_value::{SearchValue, TranspositionTable},
    searcher::Searcher,
    split_point::{SplitPoint, SplitSetup, SplitState},
    stack::STACK_OFFSET,
    thread_pool::ThreadPool,
};
use crate::{eval::Evaluator, rules::CheckInfo};
use std::{cell::Cell, mem, sync::Arc};

/// Alpha of a split point during the search of one of its moves.
struct SharedAlpha<'a, V: SearchValue> {
    pool: &'a ThreadPool<V>,
    split: &'a SplitPoint<V>,
    /// Other moves wait while this one is searched again.
    waiting: bool,
    /// This move is being searched again.
    is_research: Cell<bool>,
}

impl<V: SearchValue> AlphaSource<V> for SharedAlpha<'_, V> {
    fn alpha(&self) -> V {
        V::load(&self.split.alpha)
    }

    fn begin_research(&self) {
        if self.waiting && !self.is_research.replace(true) {
            self.split.begin_research();
        }
    }
}

impl<V: SearchValue> Drop for SharedAlpha<'_, V> {
    fn drop(&mut self) {
        if self.is_research.get() && self.split.end_research() {
            self.pool.wake_idle();
        }
    }
}

/// Leaves a split point when dropped, even by a panic, so that the owner does not wait forever.
struct SplitPointGuard<'a, V: SearchValue> {
    pool: &'a ThreadPool<V>,
    split: &'a SplitPoint<V>,
}

impl<V: SearchValue> Drop for SplitPointGuard<'_, V> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.pool.stop();
        }
        self.pool.leave(self.split);
    }
}

impl<'a, E: Evaluator + Clone, V: SearchValue> Searcher<'a, E, V> {
    /// Returns the pool if other threads should take some of this node's moves.
    #[inline(always)]
    pub(super) fn pool_for(&self, node: &Node<V>, move_count: usize) -> Option<&'a ThreadPool<V>> {
        self.pool
            .filter(|pool| {
                node.depth >= self.options.split_depth
                    && (pool.has_idle() || node.depth >= self.options.split_early)
            })
            .filter(|pool| {
                !node.cut_node
                    || move_count as i32 >= self.options.split_patience
                    || pool.has_many()
            })
            // Helpers do not know which root moves are ruled out.
            .filter(|_| node.ply > 0 || self.ruled_out.is_empty())
    }

    /// Searches the rest of a node's moves together with idle threads. `info` is the node's.
    // Inlined, it would enlarge every stack frame of the main search by a split point.
    #[inline(never)]
    #[cold]
    pub(super) fn split<const PV: bool>(
        &mut self,
        pool: &ThreadPool<V>,
        node: &Node<V>,
        info: &CheckInfo,
        picker: &Picker,
        alpha: V,
        move_loop: MoveLoopState<V>,
    ) -> MoveLoopState<V> {
        let is_root = node.ply == 0;
        let setup = SplitSetup {
            parent: self.split.clone(),
            is_pv: PV,
            node: *node,
            info: *info,
            position: self.position.clone(),
            key_history: self.key_history[self.root_length..].to_vec(),
            after_null_move: self.after_null_move,
            null_move_from: self.null_move_from,
            stack: self.stack[..node.ply + STACK_OFFSET + 3].to_vec(),
            root_depth: self.root_depth,
            root_window: self.root_window,
        };
        let pv = if PV {
            self.pv[node.ply].clone()
        } else {
            Vec::new()
        };
        let state = SplitState {
            picker: picker.clone(),
            alpha,
            move_loop,
            pv,
        };
        let split = Arc::new(SplitPoint::new(setup, state));
        if is_root {
            self.root_split = Some(Arc::clone(&split));
        }
        pool.open(&split);
        let outer = self.split.replace(Arc::clone(&split));
        self.work::<PV>(pool, &split);
        while let Some(other) = pool.find(Some(&split)) {
            if Arc::ptr_eq(&other, &split) {
                self.work::<PV>(pool, &split);
            } else {
                self.help(pool, &other);
            }
        }
        self.split = outer;
        self.stopped = self.has_to_return(pool);
        if is_root {
            self.report_root_improvement();
            self.root_split = None;
        }
        let state = split.state();
        if PV {
            self.pv[node.ply].clone_from(&state.pv);
        }
        state.move_loop
    }

    /// Works at a split point of another thread and then returns to the own node.
    pub(super) fn help(&mut self, pool: &ThreadPool<V>, split: &Arc<SplitPoint<V>>) {
        let membership = SplitPointGuard { pool, split };
        let setup = &split.setup;
        let spare = self.spare_evaluators.pop();
        let mut evaluator = spare.unwrap_or_else(|| self.evaluator.clone());
        evaluator.reset(&setup.position);
        mem::swap(self.evaluator, &mut evaluator);
        let position = mem::replace(&mut self.position, setup.position.clone());
        // A helpful master works below its own node, so that the history up to there stays the same.
        let length = self.key_history.len();
        self.key_history.truncate(self.root_length);
        self.key_history.extend_from_slice(&setup.key_history);
        let after_null_move = mem::replace(&mut self.after_null_move, setup.after_null_move);
        self.stack[..setup.stack.len()].copy_from_slice(&setup.stack);
        self.root_depth = setup.root_depth;
        self.set_root_window(setup.root_window);
        let null_move_from = mem::replace(&mut self.null_move_from, setup.null_move_from);
        let outer = self.split.replace(Arc::clone(split));
        self.stopped = false;

        self.poll();
        if setup.is_pv {
            self.work::<true>(pool, split);
        } else {
            self.work::<false>(pool, split);
        }
        self.publish(pool);

        self.split = outer;
        self.stopped = self.has_to_return(pool);
        self.key_history.truncate(length);
        self.after_null_move = after_null_move;
        self.null_move_from = null_move_from;
        self.position = position;
        mem::swap(self.evaluator, &mut evaluator);
        self.spare_evaluators.push(evaluator);
        drop(membership);
    }

    /// Searches moves of the split point whose position this thread is at, until no move is left or
    /// the remaining ones have to wait.
    fn work<const PV: bool>(&mut self, pool: &ThreadPool<V>, split: &Arc<SplitPoint<V>>) {
        while let Some((node, node_move, so_far)) = self.next_move(split) {
            let source = SharedAlpha {
                pool,
                split,
                waiting: self.options.split_waiting != 0,
                is_research: Cell::new(false),
            };
            if self.root_split.is_some() && split.setup.node.ply == 0 {
                self.note_root_move(node_move.mv, node_move.move_count);
            }
            let value = self.search_move::<PV>(&node, node_move, so_far, &source);
            if self.stopped {
                return;
            }
            self.record_value::<PV>(pool, split, node_move, value);
        }
    }

    /// Takes the next move of a split point that is worth a search. Returns the node at its present depth
    /// and the best value so far with it, and whether a move has raised alpha.
    fn next_move(&self, split: &SplitPoint<V>) -> Option<(Node<V>, NodeMove, (V, bool))> {
        let SplitSetup { node, info, .. } = &split.setup;
        let mut state = split.state();
        let node = Node {
            depth: state.move_loop.depth,
            ..*node
        };
        let SplitState {
            picker,
            alpha,
            move_loop,
            ..
        } = &mut *state;
        while !split.is_cut() && !split.is_researching() {
            let Some(mv) = picker.next(&self.position, info, self.history) else {
                split.exhaust();
                return None;
            };
            if Some(mv) == node.excluded {
                continue;
            }
            move_loop.move_count += 1;
            let move_count = move_loop.move_count;
            let key = self.position.key_after(mv);
            self.table.prefetch(key);
            let node_move = NodeMove {
                mv,
                key,
                move_count,
                noisy: is_noisy(&self.position, mv),
                gives_check: node.targets.is_check(&self.position, mv),
                gain: picker.gain(),
                extension: 0,
            };
            let has_raised = move_loop.best_move.is_some();
            if node.ply > 0 && !move_loop.best.is_lost(*alpha) {
                match self.pruning_decision(&node, &node_move, *alpha, has_raised) {
                    PruningDecision::Search => {}
                    PruningDecision::SearchWithoutQuiets => picker.skip_quiets(),
                    PruningDecision::Skip => continue,
                    PruningDecision::Futile(hope) => {
                        move_loop.best = move_loop.best.larger(hope);
                        continue;
                    }
                }
            }
            return Some((node, node_move, (move_loop.best, has_raised)));
        }
        None
    }

    /// Records the value of a move at its split point, and ends the work there after a cutoff.
    pub(super) fn record_value<const PV: bool>(
        &mut self,
        pool: &ThreadPool<V>,
        split: &Arc<SplitPoint<V>>,
        node_move: NodeMove,
        value: V,
    ) {
        let NodeMove { mv, noisy, .. } = node_move;
        let &Node {
            ply, alpha, beta, ..
        } = &split.setup.node;
        let window = (alpha, beta);
        let value = match ply {
            0 => self.unless_mated(mv, value, V::load(&split.alpha)),
            _ => value,
        };
        let mut state = split.state();
        if split.is_cut() {
            return;
        }
        let SplitState {
            alpha, move_loop, ..
        } = &mut *state;
        let taken = V::take(&mut move_loop.best, alpha, beta, value);
        let cuts = taken.cut;
        alpha.store(&split.alpha);
        if taken.raised {
            move_loop.best_move = Some(mv);
            if PV {
                state.pv.clear();
                state.pv.push(mv);
                state.pv.extend_from_slice(&self.pv[ply + 1]);
                if ply == 0 {
                    pool.announce_root_improvement();
                }
            }
        }
        if cuts {
            split.mark_cut();
        } else {
            let move_loop = &mut state.move_loop;
            if taken.raised {
                move_loop.depth = self.depth_after_raise(move_loop.depth, value, window);
            }
            move_loop.searched_moves.add(mv, noisy);
        }
        drop(state);
        if cuts {
            pool.cut(split);
        }
        self.report_root_improvement();
    }

    /// Reports a better root move, if there is one and this thread owns the split point at the root.
    pub(super) fn report_root_improvement(&mut self) {
        if let Some(pool) = self.pool
            && let Some(split) = &self.root_split
            && pool.take_root_improvement()
        {
            let state = split.state();
            self.pv[0].clone_from(&state.pv);
            let value = state.move_loop.best;
            let beta = split.setup.node.beta;
            drop(state);
            self.report_new_best(value, beta);
        }
    }

    /// Tells whether the current node's search is useless, by a limit or by a cutoff above.
    fn has_to_return(&self, pool: &ThreadPool<V>) -> bool {
        pool.is_stopped() || self.split.as_ref().is_some_and(|split| split.is_cut())
    }
}
