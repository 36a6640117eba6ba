//! Quiescence search of all lanes: captures and promotions until the position is quiet, and in check
//! all evasions.

use super::{
    numbers::QUIESCENCE_MARGIN,
    vector_node::{BestMoves, LaneWindows},
};
use crate::{
    eval::{Evaluator, exchange_value, see},
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets},
    search::{
        lanes::{LaneSet, Lanes},
        picker::{Picker, is_noisy},
        search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
        searcher::Searcher,
        stack::STACK_OFFSET,
        value::{DRAW, INFINITE, mated_in},
    },
};

impl<E: Evaluator + Clone> Searcher<'_, E, Lanes> {
    /// Returns the values of the current node when only noisy moves follow. `depth` is 0 at the first
    /// ply and falls.
    pub(super) fn vector_quiescence<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (Lanes, Lanes),
        depth: i32,
        ply: usize,
    ) -> Lanes {
        let options = self.options;
        let window = Lanes::settle(window);
        let in_check = !info.checkers.is_empty();
        self.stack[ply + STACK_OFFSET].in_check = in_check;
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }

        // Repetition, maximum ply, declaration by an entering king
        if let Some(value) = self.value_at_end(in_check, ply) {
            return value;
        }

        // Transposition table: the lanes that it decides leave
        let key = self.quiescence_key();
        let entry = self.probe_table(key, info);
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        let mut windows = LaneWindows::new(window);
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || entry.depth >= PROVED)
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

        // Mate in one
        if options.quiescence_mate != 0
            && depth == 0
            && !in_check
            && entry.is_none()
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            if PV {
                self.end_pv(ply, mv);
            }
            return self.store_mate(mv, ply, 1);
        }

        // Stand pat
        let mut evaluation = Lanes::all(-INFINITE);
        let mut raw_evaluation = -INFINITE;
        let mut best = Lanes::all(-INFINITE);
        if !in_check {
            (evaluation, raw_evaluation) = self.evaluate_with(entry.as_ref());
            let stand_pat = match (entry, table_value) {
                (Some(entry), Some(value)) => value.better_guess(entry.bounds, evaluation),
                _ => evaluation,
            };
            if stand_pat.all_at_least(windows.beta) {
                if entry.is_none() {
                    let window = windows.window();
                    self.keep_stand_pat((key, depth, ply), stand_pat, window, raw_evaluation);
                }
                return windows.result(stand_pat);
            }
            Lanes::take(&mut best, &mut windows.alpha, windows.beta, stand_pat);
        }

        // Move loop
        let contexts = self.contexts(ply);
        let table_move = entry.and_then(|entry| entry.mv).filter(|&mv| {
            self.position.is_legal_given(mv, info) && (in_check || is_noisy(&self.position, mv))
        });
        let mut picker = Picker::quiescence(in_check, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        if options.quiescence_checks != 0 && depth == 0 && !in_check {
            picker.favour_checks(&targets);
        }
        let futility = evaluation.plus(options.margin(QUIESCENCE_MARGIN));
        let mut best_moves = BestMoves::default();
        let mut move_count: i32 = 0;
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            move_count += 1;
            let key = self.position.key_after(mv);
            let gives_check = targets.is_check(&self.position, mv);
            let mut alpha = windows.alpha;
            let losing = best.losing();
            if options.quiescence_pruning != 0 && !losing.covers(windows.open()) {
                let mut pruned = LaneSet::NONE;
                // Delta pruning
                if !in_check && !gives_check {
                    let gain = match self.position.piece(mv.to()).get() {
                        Some((_, kind)) => exchange_value(kind),
                        None => 0,
                    };
                    let promotion = if mv.is_promotion() { 500 } else { 0 };
                    let hope = futility.plus(gain + promotion);
                    pruned = alpha.reaching(hope).except(losing).and(windows.open());
                    best = best.larger(hope).within(pruned, best);
                }

                // Late evasions, static exchange evaluation pruning
                let is_late_evasion = in_check && move_count > 3 && !is_noisy(&self.position, mv);
                if !pruned.covers(windows.open()) {
                    self.table.prefetch(key);
                    if is_late_evasion || !see::gains_at_least(&self.position, mv, 0) {
                        pruned = LaneSet::ALL.except(losing);
                    }
                }
                if pruned.covers(windows.open()) {
                    continue;
                }
                alpha = alpha.closed(pruned);
            }

            let (child, undo) = self.make_move(mv, key, ply, gives_check);
            let value = if self.count_node() {
                Lanes::all(DRAW)
            } else {
                let window = Lanes::turned((alpha, windows.beta));
                let value = self
                    .vector_quiescence::<PV>(&child, window, depth - 1, ply + 1)
                    .negated();
                value.within(alpha.open(), Lanes::all(-INFINITE))
            };
            self.unmake_move(mv, undo);
            if self.stopped {
                return Lanes::all(DRAW);
            }

            // New best move, beta cutoff
            let before = windows.alpha;
            let taken = Lanes::take(&mut best, &mut windows.alpha, windows.beta, value);
            if taken.raised {
                best_moves.choose(mv, value.beating(before).and(before.open()));
                if PV {
                    self.update_pv(ply, mv);
                }
            }
            if taken.cut {
                break;
            }
        }

        // Checkmate
        if in_check && move_count == 0 {
            return windows.result(Lanes::all(mated_in(ply)));
        }

        // Transposition table store
        self.table.put(
            key,
            TableEntry {
                mv: best_moves.of_most_lanes(),
                value: best.stored(ply),
                bounds: best.bounds(windows.window(), false),
                evaluation: raw_evaluation,
                depth: depth.max(-1),
                tt_pv: PV || entry.is_some_and(|entry| entry.tt_pv),
            },
        );
        windows.result(best)
    }
}
