//! The main search: principal variation search (Scout) with the parts that papers 000 and 003 list.

use super::{
    extension::Singularity,
    history::bonus,
    move_loop::UnsharedAlpha,
    node::{MoveLoopState, Node, NodeMove, PruningDecision, SearchedMoves},
    picker::{Picker, is_noisy},
    prune::PruningNode,
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
        let mut depth = depth;
        let in_check = !info.checkers.is_empty();
        let is_root = ply == 0;
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if !is_root {
            // Repetition
            if let Some(value) = self.repetition(ply) {
                return V::all(value);
            }

            // Maximum ply
            if ply >= MAX_PLY {
                return if in_check {
                    V::all(DRAW)
                } else {
                    self.evaluate().0
                };
            }

            // Declaration by an entering king
            if self.can_declare(in_check) {
                return V::all(mate_in(ply + 1));
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

        // Transposition table cutoff
        let (mut alpha, beta) = window;
        let here = ply + STACK_OFFSET;
        let excluded = self.stack[here].excluded;
        let key = self.position.key();
        let entry = if excluded.is_some() {
            None
        } else {
            self.probe_table(key)
        };
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || !is_root && entry.depth >= PROVED)
            && entry.depth >= depth
            && value.decides(entry.bounds, window)
        {
            if PV
                && let Some(mv) = entry.mv
                && self.position.is_legal_given(mv, info)
            {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
            }
            if options.table_reward != 0
                && value.all_at_least(window.1)
                && let Some(mv) = entry.mv
                && self.position.is_legal_given(mv, info)
                && !is_noisy(&self.position, mv)
            {
                let contexts = self.contexts(ply);
                self.history
                    .update_quiet(&self.position, mv, contexts, bonus(options, depth));
            }
            return value;
        }

        // Hash move: of the table, of the last iteration, or of the ponder table
        let mut table_move = entry
            .and_then(|entry| entry.mv)
            .or_else(|| self.best_so_far(is_root))
            .or_else(|| self.ponder_table.get(key))
            .filter(|&mv| self.position.is_legal_given(mv, info));

        // Mate in one
        if !is_root
            && !in_check
            && entry.is_none()
            && excluded.is_none()
            && options.mate_in_one != 0
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            if PV {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
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
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
                if is_root {
                    self.report_new_best(value, beta);
                }
            }
            return value;
        }

        // Static evaluation
        let (evaluation, raw_evaluation) = if in_check {
            (V::all(-INFINITE), -INFINITE)
        } else if excluded.is_some() {
            let raw = self.stack[here].raw_evaluation;
            (V::evaluation(raw, self.noise, key), raw)
        } else {
            self.evaluate_with(entry.as_ref())
        };
        let (evaluation, features) = if in_check {
            (evaluation, None)
        } else {
            self.corrected(evaluation, ply)
        };
        self.stack[here].raw_evaluation = raw_evaluation;
        self.stack[here].evaluation = evaluation;
        self.stack[here + 2].killers = [None; 2];
        self.stack[here + 2].cuts = 0;
        if is_root {
            self.stack[here + 1].cuts = 0;
        }
        self.stack[here + 1].excluded = None;
        let improving = !in_check && evaluation.is_above_in_sum(self.stack[here - 2].evaluation);

        // The table's value is a better guess than the static evaluation where its bound allows.
        let guess = match (entry, table_value) {
            (Some(entry), Some(value)) if !in_check => value.better_guess(entry.bounds, evaluation),
            _ => evaluation,
        };

        // Reverse futility pruning, razoring, null-move pruning, ProbCut
        if !PV && !in_check && excluded.is_none() && !beta.has_mate(window) {
            let node = PruningNode {
                alpha,
                beta,
                depth,
                ply,
                cut_node,
                improving,
                evaluation,
                guess,
                entry,
                table_move,
            };
            if let Some(value) = self.prune(info, &node) {
                return value;
            }
        }

        if table_move.is_none() && excluded.is_none() && depth >= 4 {
            if PV && options.internal_deepening != 0 {
                // Recursive iterative deepening: a shallower search finds a first move.
                self.alpha_beta::<PV>(info, window, depth - 2, ply, cut_node);
                if self.stopped {
                    return V::all(DRAW);
                }
                let found = self.probe_table(key).and_then(|entry| entry.mv);
                table_move = found.filter(|&mv| self.position.is_legal_given(mv, info));
            } else if (PV || cut_node) && options.internal_reduction != 0 {
                // Internal iterative reductions
                depth -= 1;
            }
        }

        // Move loop
        let node = Node {
            depth,
            ply,
            beta,
            cut_node,
            in_check,
            improving,
            evaluation,
            contexts: self.contexts(ply),
            noisy_table_move: table_move.is_some_and(|mv| is_noisy(&self.position, mv)),
            tt_pv: PV || entry.is_some_and(|entry| entry.tt_pv),
            excluded,
            targets: CheckTargets::new(&self.position),
        };
        let killers = if options.killers != 0 {
            self.stack[here].killers
        } else {
            [None; 2]
        };
        let mut picker = Picker::new(in_check, table_move, killers, node.contexts);
        picker.favour_checks(&node.targets, options.check_reward);
        if options.exchange_order == 0 {
            picker.ignore_exchanges();
        }
        let mut best = V::all(-INFINITE);
        let mut best_move = None;
        let mut searched_moves = SearchedMoves::default();
        let mut move_count = 0;

        while let Some(mv) = picker.next(&self.position, info, self.history) {
            if Some(mv) == excluded || is_root && self.ruled_out.contains(&mv) {
                continue;
            }
            move_count += 1;
            // Prefetched here, the child's entry arrives while the move is judged.
            self.table.prefetch(self.position.key_after(mv));
            let noisy = is_noisy(&self.position, mv);
            let gives_check = node.targets.is_check(&self.position, mv);

            // Late-move, history, futility and SEE pruning
            if !is_root && !best.is_lost(alpha) {
                match self.pruning_decision(&node, mv, move_count, noisy, gives_check, alpha) {
                    PruningDecision::Search => {}
                    PruningDecision::Skip => continue,
                    PruningDecision::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Singular extensions, check extensions
            let extension = if !is_root
                && options.singular_extension != 0
                && depth >= options.singular_depth
                && Some(mv) == table_move
                && let (Some(entry), Some(value)) = (entry, table_value)
                && entry.depth >= depth - 3
                && V::holds_from_below(entry.bounds, window)
                && !value.has_mate(window)
                && ply < 2 * self.root_depth as usize
            {
                let singularity = self.singular_extension::<PV>(info, &node, mv, value, window);
                if self.stopped {
                    return V::all(DRAW);
                }
                match singularity {
                    Singularity::Extension(plies) => plies,
                    Singularity::Cut(value) => return value,
                }
            } else {
                self.check_extension(&node, mv, gives_check)
            };

            // Late-move reductions and re-searches
            let node_move = NodeMove {
                mv,
                move_count,
                noisy,
                gives_check,
                extension,
            };
            let mut value = self.search_move::<PV>(&node, node_move, &UnsharedAlpha(alpha));
            if self.stopped {
                return V::all(DRAW);
            }
            if is_root {
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
                    break;
                }
            }
            searched_moves.add(mv, noisy);

            // Young brothers wait: other threads may take moves once the first has been searched.
            if let Some(pool) = self.pool_for(&node, move_count) {
                let state = MoveLoopState {
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
                    move_count,
                    best,
                    best_move,
                    searched_moves,
                } = end;
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

        // Killers and histories
        if best.all_at_least(beta)
            && let Some(mv) = best_move
        {
            self.stack[here].cuts += 1;
            self.reward(mv, &node, here, &searched_moves);
        }
        if best_move.is_none() && excluded.is_none() && !is_root {
            self.reward_previous(ply, depth);
        }

        // Correction history
        // With some moves excluded or ruled out, the result is not the value of the position.
        let is_whole = excluded.is_none() && (!is_root || self.ruled_out.is_empty());
        if !in_check
            && is_whole
            && !best_move.is_some_and(|mv| is_noisy(&self.position, mv))
            && let Some(features) = features
            && let Some(error) = best.error(evaluation, beta, best_move.is_some())
        {
            self.history.correction.learn(&features, error, depth);
        }

        // Transposition table store
        if is_whole {
            self.ponder_table.put(key, best_move, depth);
            self.table.put(
                key,
                TableEntry {
                    mv: best_move,
                    value: best.stored(ply),
                    bounds: best.bounds(window, PV),
                    evaluation: raw_evaluation,
                    // The largest depth is kept for proved mates.
                    depth: depth.min(PROVED - 1),
                    tt_pv: node.tt_pv,
                },
            );
        }
        best
    }

    /// Sets the principal variation of a ply to a move and the variation of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&tail[0]);
    }

    /// Rewards the move that led to `ply`, if it is quiet, because it leaves no good answer.
    pub(super) fn reward_previous(&mut self, ply: usize, depth: i32) {
        let percent = self.options.reply_reward;
        let last = &self.stack[ply + STACK_OFFSET - 1];
        if percent != 0
            && let Some(mv) = last.quiet
        {
            let bonus = bonus(self.options, depth) * percent / 100;
            let mover = !self.position.side_to_move();
            (self.history).update_made(mover, mv, last.context, self.contexts(ply - 1), bonus);
        }
    }

    /// Rewards the move that made a node fail high and penalises the moves searched before it.
    fn reward(&mut self, mv: Move, node: &Node<V>, here: usize, searched: &SearchedMoves) {
        let bonus = bonus(self.options, node.depth);
        let malus = -bonus * self.options.history_blame / 100;
        let position = &self.position;
        let history = self.history;
        if is_noisy(position, mv) {
            history.update_capture(position, mv, bonus);
        } else {
            let killers = &mut self.stack[here].killers;
            if killers[0] != Some(mv) {
                killers[1] = killers[0];
                killers[0] = Some(mv);
            }
            history.update_quiet(position, mv, node.contexts, bonus);
            for &other in searched.quiets().iter().flatten() {
                history.update_quiet(position, other, node.contexts, malus);
            }
        }
        for &other in searched.noisy().iter().flatten() {
            history.update_capture(position, other, malus);
        }
    }
}
