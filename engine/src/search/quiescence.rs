//! Quiescence: captures and promotions until the position is quiet; in check, every evasion.

use super::{
    Bound, Search,
    alphabeta::cuts,
    history::Context,
    iterate::BEFORE_ROOT,
    picker::Picker,
    see,
    table::Entry,
    value::{DRAW, INFINITE, MATE_BOUND, MAX_PLY, Value, from_table, mate_in, mated_in, to_table},
};
use crate::{
    eval::{Evaluator, exchange_value},
    mate::mate_in_one,
    rules::{CheckInfo, CheckTargets, Visit},
};

impl<E: Evaluator + Clone> Search<'_, E> {
    /// The value of the current node when only noisy moves are played from here on. `depth` is 0
    /// at the first ply, and falls.
    pub(super) fn quiescence<const PV: bool>(
        &mut self,
        info: &CheckInfo,
        alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
    ) -> Value {
        let options = self.options;
        let mut alpha = alpha;
        let in_check = !info.checkers.is_empty();
        if PV {
            self.pv[ply].clear();
            self.selective_depth = self.selective_depth.max(ply);
        }
        if let Some(value) = self.repetition(ply) {
            return value;
        }
        if ply >= MAX_PLY {
            return if in_check { DRAW } else { self.evaluate() };
        }
        if self.can_declare(in_check) {
            return mate_in(ply + 1);
        }

        let key = self.position.key();
        let entry = self.table.get(key);
        let table_value = entry.map(|entry| from_table(entry.value, ply));
        if !PV
            && let (Some(entry), Some(value)) = (entry, table_value)
            && entry.depth >= depth
            && cuts(entry.bound, value, alpha, beta)
        {
            return value;
        }

        if options.quiescence_mate != 0
            && depth == 0
            && !in_check
            && entry.is_none()
            && let Some(mv) = mate_in_one(&self.position, info)
        {
            if PV {
                self.pv[ply + 1].clear();
                self.update_pv(ply, mv);
            }
            return self.remember_mate(mv, ply);
        }

        let mut evaluation = -INFINITE;
        let mut raw_evaluation = -INFINITE;
        let mut best = -INFINITE;
        if !in_check {
            raw_evaluation = match entry {
                Some(entry) if entry.evaluation != -INFINITE => entry.evaluation,
                _ => self.evaluate(),
            };
            evaluation = self.corrected(raw_evaluation, ply).0;
            best = match (entry, table_value) {
                (Some(entry), Some(value))
                    if value.abs() < MATE_BOUND
                        && cuts(entry.bound, value, evaluation, evaluation + 1) =>
                {
                    value
                }
                _ => evaluation,
            };
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }

        let here = ply + BEFORE_ROOT;
        let contexts = [self.frames[here - 1].context, self.frames[here - 2].context];
        let table_move = entry.and_then(|entry| entry.mv).filter(|&mv| {
            (in_check || super::picker::is_noisy(&self.position, mv))
                && self.position.is_legal_given(mv, info)
        });
        let mut picker = Picker::quiescence(in_check, table_move, contexts);
        let targets = CheckTargets::new(&self.position);
        if options.quiescence_checks != 0 && depth == 0 && !in_check {
            picker = picker.with_checks(&targets);
        }
        let futility = evaluation + 150;
        let mut best_move = None;
        let mut number = 0;
        while let Some(mv) = picker.next(&self.position, info, self.history) {
            number += 1;
            let gives_check = targets.is_check(&self.position, mv);
            if best > -MATE_BOUND {
                if !in_check && !gives_check {
                    let gain = match self.position.piece(mv.to()).get() {
                        Some((_, kind)) => exchange_value(kind),
                        None => 0,
                    };
                    let promotion = if mv.is_promotion() { 500 } else { 0 };
                    if futility + gain + promotion <= alpha {
                        best = best.max(futility + gain + promotion);
                        continue;
                    }
                }
                if in_check && number > 3 && !super::picker::is_noisy(&self.position, mv) {
                    continue;
                }
                if !see::gains_at_least(&self.position, mv, 0) {
                    continue;
                }
            }
            let context = Context::of(&self.position, mv);
            self.evaluator.push(&self.position, mv);
            let undo = self.position.make(mv);
            self.table.prefetch(self.position.key());
            self.frames[here].context = context;
            let child = CheckInfo::new(&self.position);
            self.visits.push(Visit {
                key: self.position.key(),
                side: self.position.side_to_move(),
                in_check: gives_check,
            });
            let value = if self.visit_node() {
                DRAW
            } else {
                -self.quiescence::<PV>(&child, -beta, -alpha, depth - 1, ply + 1)
            };
            self.visits.pop();
            self.position.unmake(mv, undo);
            self.evaluator.pop();
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.update_pv(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        if in_check && number == 0 {
            return mated_in(ply);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.table.put(
            key,
            Entry {
                mv: best_move,
                value: to_table(best, ply),
                evaluation: raw_evaluation,
                depth: depth.max(-1),
                bound,
            },
        );
        best
    }
}
