//! Quiescence search: captures and promotions until the position is quiet, and in check all evasions.

use super::{
    numbers::quiescence as numbers,
    picker::{Picker, is_noisy},
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{DRAW, INFINITE, mated_in},
};
use crate::{
    eval::{Evaluator, see},
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets},
};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the value of the current node when only noisy moves follow. `depth` is 0 at the first
    /// ply and falls.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        window: (V, V),
        depth: i32,
        ply: usize,
    ) -> V {
        let options = self.options;
        let window = V::settle(window);
        let (mut alpha, beta) = window;
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

        // Transposition table cutoff
        let key = self.quiescence_key();
        let entry = self.probe_table(key, info);
        let table_value = entry.map(|entry| entry.value.recalled(ply));
        if let (Some(entry), Some(value)) = (entry, table_value)
            && (!PV || entry.depth >= PROVED)
            && entry.depth >= depth
            && value.decides(entry.bounds, window)
        {
            if PV
                && let Some(mv) = entry.mv
                && self.position.is_legal_given(mv, info)
            {
                self.end_pv(ply, mv);
            }
            return value;
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
        let mut evaluation = V::all(-INFINITE);
        let mut raw_evaluation = -INFINITE;
        let mut best = V::all(-INFINITE);
        if !in_check {
            (evaluation, raw_evaluation) = self.evaluate_with(entry.as_ref());
            evaluation = evaluation.corrected(self.correction(ply).0);
            let stand_pat = match (entry, table_value) {
                (Some(entry), Some(value)) => value.better_guess(entry.bounds, evaluation),
                _ => evaluation,
            };
            if stand_pat.all_at_least(beta) {
                if entry.is_none() {
                    self.keep_stand_pat((key, depth, ply), stand_pat, window, raw_evaluation);
                }
                return if beta.is_decided(window) || stand_pat.is_decided(window) {
                    stand_pat
                } else {
                    stand_pat.mixed(1, beta, 1).larger(beta)
                };
            }
            V::take(&mut best, &mut alpha, beta, stand_pat);
        }

        // Move loop
        let here = ply + STACK_OFFSET;
        let contexts = self.contexts(ply);
        let table_move = entry.and_then(|entry| entry.mv).filter(|&mv| {
            self.position.is_legal_given(mv, info) && (in_check || is_noisy(&self.position, mv))
        });
        let mut picker = Picker::quiescence(in_check, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        if options.quiescence_checks != 0 && depth == 0 && !in_check {
            picker.favour_checks(&targets);
        }
        let futility = evaluation.plus(options.margin(numbers::margin()));
        let last = self.stack[here - 1].context.to();
        let mut best_move = None;
        let mut move_count: i32 = 0;
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            move_count += 1;
            let key = self.position.key_after(mv);
            self.table.prefetch(key);
            let gives_check = targets.is_check(&self.position, mv);
            if options.quiescence_pruning != 0 && !best.is_lost(alpha) {
                let mut gains = false;
                if !in_check && !gives_check && Some(mv.to()) != last {
                    // Only few moves besides recaptures
                    if move_count > numbers::moves() {
                        continue;
                    }

                    // Delta pruning
                    let promotion = if mv.is_promotion() { 500 } else { 0 };
                    let hope = futility.plus(self.victim_value(mv) + promotion);
                    if alpha.all_at_least(hope) {
                        best = best.larger(hope.smaller(alpha));
                        continue;
                    }

                    // Captures that gain less than alpha asks for
                    let missing = alpha.lead(futility, alpha);
                    gains = missing > 0;
                    if gains && !see::gains_at_least(&self.position, mv, missing) {
                        best = best.larger(futility.smaller(alpha));
                        continue;
                    }
                }

                // Evasions and checks with a poor history
                if !is_noisy(&self.position, mv)
                    && (self.history).continuation(&self.position, mv, &contexts)
                        + (self.history).pawn(&self.position, mv, &contexts)
                        <= numbers::history()
                    && (in_check || move_count > numbers::moves())
                {
                    continue;
                }

                // Static exchange evaluation pruning
                if !gains
                    && !see::gains_at_least(&self.position, mv, -options.margin(numbers::loss()))
                {
                    continue;
                }
            }

            let (child, undo) = self.make_move(mv, key, ply, gives_check);
            self.stack[here].quiet = None;
            let value = if self.count_node() {
                V::all(DRAW)
            } else {
                let window = V::turned((alpha, beta));
                self.quiescence::<PV>(&child, window, depth - 1, ply + 1)
                    .negated()
            };
            self.unmake_move(mv, undo);
            if self.stopped {
                return V::all(DRAW);
            }

            // New best move, beta cutoff
            let taken = V::take(&mut best, &mut alpha, beta, value);
            if taken.raised {
                best_move = Some(mv);
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
            return V::all(mated_in(ply));
        }

        // A value far above beta is less certain than beta.
        if best.all_at_least(beta) && !best.is_decided(window) && !beta.is_decided(window) {
            best = best.mixed(1, beta, 1).larger(beta);
        }

        // Transposition table store
        self.table.put(
            key,
            TableEntry {
                mv: best_move,
                value: best.stored(ply),
                bounds: best.bounds(window, false),
                evaluation: raw_evaluation,
                depth: depth.max(-1),
                tt_pv: PV || entry.is_some_and(|entry| entry.tt_pv),
            },
        );
        best
    }
}
