//! The vector search (Tohske, section 4): one principal variation search that carries a value and
//! a window for each virtual player, a lane.
//!
//! Every decision that depends on values is a lane's own. A lane that leaves a node, because of the
//! table, of pruning or of a cut, keeps the value with which it leaves and is settled: it has no
//! window in the rest of the node. The others go on, and the node is left when no lane is open. What a
//! lane would not do alone is done without it, so that its value is that of a search of its own with
//! the same order of moves. Common to all lanes are the order of the moves, the depth, which follows the lanes that
//! need most, and whether the evaluation improves, which half of the lanes decide.

mod leaf;
mod moves;
mod node_pruning;
mod numbers;
mod quiescence;
mod root;
mod vector_node;

use super::{
    lanes::{LaneSet, Lanes},
    node::SearchedMoves,
    picker::{Picker, is_noisy},
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{DRAW, INFINITE, mate_in, mated_in},
};
use crate::{
    eval::Evaluator,
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets},
};
use moves::VectorMove;
use vector_node::{BestMoves, LaneWindows, VectorNode};

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Returns the fail-soft values of the current node from its side to move. `info` is the node's.
    /// The values of settled lanes mean nothing.
    pub(super) fn vector_search<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (Lanes, Lanes),
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Lanes {
        if self.stopped {
            return Lanes::all(DRAW);
        }

        // Quiescence search at the horizon
        let options = self.options;
        if depth <= 0 {
            return self.vector_leaf::<PV>(info, window, ply);
        }

        let mut window = Lanes::settle(window);
        let mut depth = depth;
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
                let (narrowed, closed) = Lanes::narrowed(window, mated_in(ply), mate_in(ply + 1));
                if closed {
                    return narrowed.0;
                }
                window = narrowed;
            }
        }

        // Transposition table: the lanes that it decides leave
        let here = ply + STACK_OFFSET;
        self.stack[here].in_check = in_check;
        let excluded = self.stack[here].excluded;
        let key = self.position.key();
        let entry = if excluded.is_some() {
            None
        } else {
            self.probe_table(key, info)
        };
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        let mut windows = LaneWindows::new(window);
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || !is_root && entry.depth >= PROVED)
            && entry.depth >= depth
        {
            windows.leave(value.decided(entry.bounds, window), value);
            if windows.is_left() {
                if PV
                    && let Some(mv) = entry.mv
                    && self.position.is_legal_given(mv, info)
                {
                    self.end_pv(ply, mv);
                }
                return windows.result(value);
            }
        }

        // Hash move: of the table, or of the ponder table; at the root, the move of most lanes
        let favourites = self.favourites(is_root, info);
        let table_move = (favourites.first().map(|&(mv, _)| mv))
            .or_else(|| entry.and_then(|entry| entry.mv))
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
                    self.record_votes(mv, value, window);
                }
            }
            return value;
        }

        // Static evaluation
        let is_principal = PV && 2 * windows.open().count() as usize >= self.lane_count;
        let (evaluation, raw_evaluation) = if in_check {
            // Kept for the node two plies below, which compares with the last evaluation that there was.
            (self.stack[here - 2].evaluation, -INFINITE)
        } else if excluded.is_some() {
            let raw = self.stack[here].raw_evaluation;
            (Lanes::evaluation(raw, self.noise, key), raw)
        } else {
            let evaluated = self.evaluate_with(entry.as_ref());
            if entry.is_none() {
                self.keep_evaluation(evaluated.1, is_principal);
            }
            evaluated
        };
        self.stack[here].raw_evaluation = raw_evaluation;
        self.stack[here].evaluation = evaluation;
        self.stack[here + 2].cuts = 0;
        if is_root {
            self.stack[here + 1].cuts = 0;
        }
        self.stack[here + 1].excluded = None;
        let improving = !in_check
            && (evaluation.beating(self.stack[here - 2].evaluation)).holds_half_of(windows.open());
        let mut node = VectorNode {
            depth,
            ply,
            cut_node,
            in_check,
            improving,
            evaluation,
            contexts: self.contexts(ply),
            entry,
            table_value,
            table_move,
            noisy_table_move: table_move.is_some_and(|mv| is_noisy(&self.position, mv)),
            is_principal,
            tt_pv: is_principal || entry.is_some_and(|entry| entry.tt_pv),
            targets: CheckTargets::new(&self.position),
        };

        // Reverse futility pruning, razoring, null-move pruning
        if !PV && !in_check && excluded.is_none() {
            self.prune_lanes(info, &node, &mut windows);
            if windows.is_left() {
                return windows.result(Lanes::all(-INFINITE));
            }
            if self.stopped {
                return Lanes::all(DRAW);
            }
        }

        // Internal iterative reductions
        if table_move.is_none()
            && excluded.is_none()
            && depth >= numbers::INTERNAL_REDUCTION_DEPTH
            && (PV || cut_node)
            && options.internal_reduction != 0
        {
            depth -= 1;
            node.depth = depth;
        }

        // Move loop
        let mut picker = Picker::new(in_check, table_move, node.contexts);
        picker.favour_checks(&node.targets);
        let mut best = Lanes::all(-INFINITE);
        let mut best_moves = BestMoves::default();
        let mut searched_moves = SearchedMoves::default();
        let mut move_count = 0;
        let mut favourites_left = favourites.iter().copied();
        loop {
            // At the root, each lane begins with its own move, as a search of its own does.
            let favourite = favourites_left.next();
            let next = match favourite {
                Some((mv, _)) => Some(mv),
                None => picker.next(&self.position, info, self.history),
            };
            let Some(mv) = next else { break };
            if Some(mv) == excluded {
                continue;
            }
            move_count = match favourite {
                Some(_) => 1,
                None => move_count + 1,
            };
            // Prefetched here, the child's entry arrives while the move is judged.
            let key = self.position.key_after(mv);
            self.table.prefetch(key);
            let mut candidate = VectorMove {
                mv,
                key,
                move_count,
                noisy: is_noisy(&self.position, mv),
                gives_check: node.targets.is_check(&self.position, mv),
                extension: 0,
            };

            // Late-move, history, futility and SEE pruning
            let mut alpha = windows.alpha;
            if is_root {
                alpha = alpha.closed(match favourite {
                    Some((_, lanes)) => LaneSet::ALL.except(lanes),
                    None => (favourites.iter())
                        .find(|(other, _)| *other == mv)
                        .map_or(LaneSet::NONE, |&(_, lanes)| lanes),
                });
                if alpha.open().is_empty() {
                    continue;
                }
            } else {
                let pruned = self.pruned_lanes(&node, &candidate, alpha);
                let pruned = pruned.lanes_but(best.losing(), &mut picker, windows.open());
                if pruned.covers(windows.open()) {
                    continue;
                }
                alpha = alpha.closed(pruned);
            }

            // Singular extensions
            candidate.extension = match self.singular_lanes(&node, mv, &windows) {
                Some(asked) if !is_root && excluded.is_none() => {
                    let extension =
                        self.vector_extension::<PV>(info, &node, mv, asked, &mut windows);
                    if self.stopped {
                        return Lanes::all(DRAW);
                    }
                    if windows.is_left() {
                        return windows.result(best);
                    }
                    alpha = alpha.closed(windows.left());
                    extension
                }
                _ => 0,
            };

            // Late-move reductions and re-searches
            let mut value =
                self.search_lanes_of_move::<PV>(&node, &candidate, (alpha, windows.beta));
            if self.stopped {
                return Lanes::all(DRAW);
            }
            if is_root {
                value = self.unless_mated(mv, value, alpha);
            }

            // New best moves, beta cutoff
            let before = alpha;
            let taken = Lanes::take(&mut best, &mut windows.alpha, windows.beta, value);
            if taken.raised {
                best_moves.choose(mv, value.beating(before).and(before.open()));
                if PV {
                    self.update_pv(ply, mv);
                }
            }
            if is_root {
                self.record_votes(mv, value, (before, windows.beta));
            }
            if taken.cut {
                break;
            }
            searched_moves.add(mv, candidate.noisy);
        }

        // Checkmate, or no legal move beside the excluded one
        if move_count == 0 {
            return windows.result(if excluded.is_some() {
                windows.alpha
            } else {
                Lanes::all(mated_in(ply))
            });
        }

        // Histories
        let best_move = best_moves.of_most_lanes();
        if best.all_at_least(windows.beta)
            && let Some(mv) = best_move
        {
            self.stack[here].cuts += 1;
            self.reward(mv, node.rewarded(), move_count, &searched_moves);
        }
        if best_move.is_none() && excluded.is_none() && !is_root {
            self.reward_last_move_by(numbers::LAST_MOVE_WEIGHT, node.rewarded());
        }

        // Transposition table store
        if excluded.is_none() {
            self.ponder_table.put(key, best_move, depth);
            self.table.put(
                key,
                TableEntry {
                    mv: best_move,
                    value: best.stored(ply),
                    bounds: best.bounds(windows.window(), PV),
                    evaluation: raw_evaluation,
                    // The largest depth is kept for proved mates.
                    depth: depth.min(PROVED - 1),
                    tt_pv: node.tt_pv,
                },
            );
        }
        windows.result(best)
    }
}
