//! The main search: principal variation search (Scout) with the parts that Tohske and Shimoyama list.

use super::{
    extension::Singularity,
    move_judge::LEAST_ORDER_DEPTH,
    move_loop::UnsharedAlpha,
    node::{MoveLoopState, Node, NodeMove, PruningDecision, SearchedMoves},
    numbers::{hindsight, internal_reduction},
    picker::{Picker, is_noisy},
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{DRAW, INFINITE, MAX_PLY, mate_in, mated_in},
};
use crate::{
    eval::Evaluator,
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets, Move},
};
use std::mem;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the fail-soft value of the current node from its side to move. `info` is the node's.
    pub(super) fn alpha_beta<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (V, V),
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> V {
        if self.stopped {
            return V::all(DRAW);
        }

        // Quiescence search at the horizon
        let options = self.options;
        if depth <= 0 {
            return self.leaf::<PV>(info, window, ply);
        }

        let mut window = V::settle(window);
        let mut depth = depth.min(MAX_PLY as i32 - 2);
        let in_check = !info.checkers.is_empty();
        let is_root = ply == 0;
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if !is_root {
            // Repetition, maximum ply, declaration by an entering king
            if let Some(value) = self.value_at_end(in_check, ply) {
                return value;
            }

            // Mate distance pruning
            if options.mate_distance != 0 {
                let (narrowed, closed) = V::narrowed(window, mated_in(ply), mate_in(ply + 1));
                if closed {
                    return narrowed.0;
                }
                window = narrowed;
            }
        }

        let (mut alpha, beta) = window;
        let here = ply + STACK_OFFSET;
        let excluded = self.stack[here].excluded;
        self.stack[here].in_check = in_check;
        self.stack[here + 1].excluded = None;
        self.stack[here + 2].cuts = 0;
        if is_root {
            self.stack[here + 1].cuts = 0;
        }
        let parent_reduction = mem::take(&mut self.stack[here - 1].reduction);

        // Transposition table lookup
        let key = self.position.key();
        let entry = if excluded.is_some() {
            None
        } else {
            self.probe_table(key, info)
        };
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        let tt_pv = if excluded.is_some() {
            self.stack[here].tt_pv
        } else {
            PV || entry.is_some_and(|entry| entry.tt_pv)
        };
        self.stack[here].tt_pv = tt_pv;

        // Transposition table cutoff: a value above beta has to come from a larger depth, and one that
        // the kind of the node makes unlikely is searched again where that is cheap.
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || !is_root && entry.depth >= PROVED)
            && entry.depth >= depth + i32::from(value.any_above(beta) && entry.depth < PROVED)
            && value.decides(entry.bounds, window)
            && (depth > 5 || entry.depth >= PROVED || cut_node == value.all_at_least(beta))
        {
            let mv = entry
                .mv
                .filter(|&mv| self.position.is_legal_given(mv, info));
            if PV && let Some(mv) = mv {
                self.end_pv(ply, mv);
            }
            if value.all_at_least(beta)
                && let Some(mv) = mv
            {
                self.reward_table_move(mv, depth, ply);
            }
            return value;
        }

        // Hash move: of the last iteration, of the table, or of the ponder table
        let table_move = self
            .best_so_far(is_root)
            .or_else(|| entry.and_then(|entry| entry.mv))
            .or_else(|| self.ponder_table.get(key))
            .filter(|&mv| self.position.is_legal_given(mv, info));
        let is_table_move_noisy = table_move.is_some_and(|mv| is_noisy(&self.position, mv));

        // Mate in one
        if !is_root
            && !in_check
            && entry.is_none_or(|entry| entry.depth < 0)
            && excluded.is_none()
            && options.mate_in_one != 0
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            if PV {
                self.end_pv(ply, mv);
            }
            return self.store_mate(mv, ply, 1);
        }

        // Proof-number search for a longer mate
        if (is_root || !in_check)
            && excluded.is_none()
            && options.mate_search > i32::from(!is_root)
            && (is_root || depth >= options.mate_search_depth)
            && let Some((mv, plies)) = self.find_mate(depth, is_root)
        {
            let value = self.store_mate(mv, ply, plies);
            if PV {
                self.end_pv(ply, mv);
                if is_root {
                    self.report_new_best(value, beta);
                }
            }
            return value;
        }

        // Static evaluation
        let features = self.evaluate_node(entry.as_ref(), tt_pv, ply);
        let evaluation = self.stack[here].evaluation;
        let score = self.stack[here].score;
        let contexts = self.contexts(ply);

        // The table's value is a better guess than the static evaluation where its bound allows.
        let guess = match (entry, table_value) {
            (Some(entry), Some(value)) if !in_check => value.better_guess(entry.bounds, evaluation),
            _ => evaluation,
        };
        let improving = !in_check && score > self.stack[here - 2].score;
        let opponent_worsening = !in_check && score > -self.stack[here - 1].score;
        if !in_check && excluded.is_none() {
            // Hindsight: the parent's reduction was too large, or too small.
            if parent_reduction >= hindsight::deeper() && !opponent_worsening {
                depth += 1;
            }
            if parent_reduction >= 1
                && depth >= 2
                && score + self.stack[here - 1].score > hindsight::shallower()
            {
                depth -= 1;
            }
        }

        let mut node = Node {
            depth,
            ply,
            alpha,
            beta,
            cut_node,
            all_node: !PV && !cut_node,
            in_check,
            improving,
            opponent_worsening,
            evaluation,
            correction: self.stack[here].correction.abs(),
            contexts,
            excluded,
            entry,
            table_value,
            table_move,
            noisy_table_move: is_table_move_noisy,
            tt_pv,
            threatened: false,
            targets: CheckTargets::NONE,
        };

        // Reverse futility pruning, razoring, null-move pruning, ProbCut
        if !PV
            && excluded.is_none()
            && !beta.is_decided(window)
            && let Some(value) = self.prune(info, &mut node, alpha, guess)
        {
            return value;
        }

        // Internal iterative reductions
        if !node.all_node
            && !in_check
            && table_move.is_none()
            && excluded.is_none()
            && node.depth >= internal_reduction::depth()
            && parent_reduction <= 3
            && options.internal_reduction != 0
        {
            node.depth -= 1;
        }

        // Move loop
        node.targets = CheckTargets::new(&self.position);
        let mut picker = Picker::new(in_check, table_move, contexts);
        picker.favour_checks(&node.targets);
        if let Some(order) = self.judges.order()
            && node.depth >= LEAST_ORDER_DEPTH
        {
            picker.learn(order, self.stack[here - 1].noisy.is_some());
        }
        let mut best = V::all(-INFINITE);
        let mut best_move = None;
        let mut searched_moves = SearchedMoves::default();
        let mut move_count = 0;
        let mut order_sample = match self.samples_order {
            true => self.begin_order_sample(&node),
            false => None,
        };

        let mut unlisted = 0;

        while let Some(mv) = (picker.next(&self.position, info, self.history)).or_else(|| {
            is_root
                .then(|| self.next_unlisted(table_move, &mut unlisted))
                .flatten()
        }) {
            if Some(mv) == excluded || is_root && self.ruled_out.contains(&mv) {
                continue;
            }
            if let Some(stages) = &mut order_sample {
                self.note_stage(info, &node, mv, stages);
            }
            move_count += 1;
            let key = self.position.key_after(mv);
            self.table.prefetch(key);
            let mut node_move = NodeMove {
                mv,
                key,
                move_count,
                noisy: is_noisy(&self.position, mv),
                gives_check: node.targets.is_check(&self.position, mv),
                gain: picker.gain(),
                extension: 0,
            };

            // Late-move, history, futility and SEE pruning
            if !is_root && !best.is_lost(alpha) {
                let has_raised = best_move.is_some();
                if self.samples_margins {
                    self.sample_margin(&node, &node_move, alpha, has_raised);
                    if self.stopped {
                        return V::all(DRAW);
                    }
                }
                match self.pruning_decision(&node, &node_move, alpha, has_raised) {
                    PruningDecision::Search => {}
                    PruningDecision::SearchWithoutQuiets => picker.skip_quiets(),
                    PruningDecision::Skip => continue,
                    PruningDecision::Futile(hope) => {
                        best = best.larger(hope);
                        continue;
                    }
                }
            }

            // Singular extensions
            if let Some(value) = self.may_be_singular(&node, mv, window) {
                let singularity = self.singular_extension::<PV>(info, &node, mv, value, window);
                if self.stopped {
                    return V::all(DRAW);
                }
                match singularity {
                    Singularity::Extension(plies) => node_move.extension = plies,
                    Singularity::Cut(value) => return value,
                }
                if node_move.extension > 0 {
                    node.depth += 1;
                }
            }

            if is_root {
                self.note_root_move(mv, move_count);
            }

            // Late-move reductions and re-searches
            let has_raised = best_move.is_some();
            let nodes_before = self.nodes;
            let mut value =
                self.search_move::<PV>(&node, node_move, (best, has_raised), &UnsharedAlpha(alpha));
            if self.stopped {
                return V::all(DRAW);
            }
            if is_root {
                self.root_effort.add(mv, self.nodes - nodes_before);
                value = self.unless_mated(mv, value, alpha);
            }

            // New best move, beta cutoff
            let taken = V::take(&mut best, &mut alpha, beta, value);
            if taken.raised {
                best_move = Some(mv);
                if PV {
                    self.update_pv(ply, mv);
                    if is_root {
                        self.report_new_best(value, beta);
                    }
                }
                if taken.cut {
                    self.stack[here].cuts += i32::from(PV || node_move.extension < 2);
                    break;
                }
                node.depth = self.depth_after_raise(node.depth, value, window);
            }
            searched_moves.add(mv, node_move.noisy);

            // Young brothers wait: other threads may take moves once the first has been searched.
            if let Some(pool) = self.pool_for(&node, move_count) {
                let state = MoveLoopState {
                    depth: node.depth,
                    move_count,
                    best,
                    best_move,
                    searched_moves,
                };
                let end = self.split::<PV>(pool, &node, info, &picker, alpha, state);
                if self.stopped {
                    return V::all(DRAW);
                }
                MoveLoopState {
                    depth: node.depth,
                    move_count,
                    best,
                    best_move,
                    searched_moves,
                } = end;
                self.stack[here].cuts += i32::from(best.all_at_least(beta));
                break;
            }
        }

        // Checkmate, or no legal move beside the excluded one
        if move_count == 0 {
            return if excluded.is_some() {
                alpha
            } else {
                V::all(mated_in(ply))
            };
        }

        // A value far above beta is less certain than beta.
        if best.all_at_least(beta) && !best.is_decided(window) && !beta.is_decided(window) {
            best = best.mixed(node.depth, beta, 1);
        }

        // Histories
        match best_move {
            Some(mv) => {
                if let Some(stages) = order_sample
                    && best.all_at_least(beta)
                {
                    self.end_order_sample(&node, mv, *stages);
                }
                // A best move among the searched ones is the best of a node on the principal variation.
                self.reward(mv, (&node).into(), move_count, &searched_moves);
            }
            None if excluded.is_none() && !is_root => self.reward_last_move(&node, best),
            None => {}
        }
        if best_move.is_none() && node.depth > 3 {
            node.tt_pv |= self.stack[here - 1].tt_pv;
        }

        // Correction history
        // With some moves excluded or ruled out, the result is not the value of the position.
        let is_whole = excluded.is_none() && (!is_root || self.ruled_out.is_empty());
        if is_whole
            && !best_move.is_some_and(|mv| is_noisy(&self.position, mv))
            && let Some(features) = features
            && let Some(error) = best.error(evaluation, beta, best_move.is_some())
        {
            self.history.correction.learn(&features, error, node.depth);
        }

        // Transposition table store
        if is_whole {
            self.ponder_table.put(key, best_move, node.depth);
            self.table.put(
                key,
                TableEntry {
                    mv: best_move,
                    value: best.stored(ply),
                    bounds: best.bounds(window, PV),
                    evaluation: self.stack[here].raw_evaluation,
                    // The largest depth is kept for proved mates.
                    depth: node.depth.min(PROVED - 1),
                    tt_pv: node.tt_pv,
                },
            );
        }
        best
    }

    /// Sets the principal variation of a ply to a move after which nothing was searched.
    pub(super) fn end_pv(&mut self, ply: usize, mv: Move) {
        self.pv[ply + 1].clear();
        self.update_pv(ply, mv);
    }

    /// Sets the principal variation of a ply to a move and the variation of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&tail[0]);
    }
}
