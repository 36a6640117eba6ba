//! Static evaluation at a node, and the probe of the transposition table.

use super::{
    history::Features,
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::{STACK_OFFSET, StackEntry},
    value::{INFINITE, MATE, Value, clamp_evaluation},
};
use crate::{eval::Evaluator, rules::CheckInfo};

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Sets the static evaluation of the node at `ply`, which is the current one. In check, the one of
    /// two plies before stays valid; in a search for singular moves, the node's own does. Returns the
    /// features from which correction history may learn.
    #[inline]
    pub(super) fn evaluate_node(
        &mut self,
        entry: Option<&TableEntry<V>>,
        tt_pv: bool,
        ply: usize,
    ) -> Option<Features> {
        let here = ply + STACK_OFFSET;
        if self.stack[here].in_check {
            let StackEntry {
                evaluation, score, ..
            } = self.stack[here - 2];
            let node = &mut self.stack[here];
            (node.evaluation, node.score) = (evaluation, score);
            (node.raw_evaluation, node.correction) = (-INFINITE, 0);
            return None;
        }
        if self.stack[here].excluded.is_some() {
            return None;
        }
        let (evaluation, raw) = self.evaluate_with(entry);
        if entry.is_none() {
            self.keep_evaluation(raw, tt_pv);
        }
        let (correction, features) = self.correction(ply);
        let node = &mut self.stack[here];
        node.evaluation = evaluation.corrected(correction);
        node.score = clamp_evaluation(raw + correction);
        node.raw_evaluation = raw;
        node.correction = correction;
        features
    }

    /// Stores the static evaluation of the current node, which the table does not have. Stored at once, it
    /// is not lost when the node is left early.
    #[inline]
    pub(super) fn keep_evaluation(&self, evaluation: Value, tt_pv: bool) {
        self.table.put(
            self.position.key(),
            TableEntry {
                mv: None,
                value: V::all(INFINITE),
                bounds: V::at_most(),
                evaluation,
                depth: 0,
                tt_pv,
            },
        );
    }

    /// Stores the value of a quiescence node that cuts by standing pat, which the table does not have: the node's
    /// key, depth and ply, its value and window, and its evaluation without noise.
    #[inline]
    pub(super) fn keep_stand_pat(
        &self,
        (key, depth, ply): (u64, i32, usize),
        stand_pat: V,
        window: (V, V),
        evaluation: Value,
    ) {
        self.table.put(
            key,
            TableEntry {
                mv: None,
                value: stand_pat.stored(ply),
                bounds: stand_pat.bounds(window, false),
                evaluation,
                depth: depth.max(-1),
                tt_pv: false,
            },
        );
    }

    /// Returns the correction of the static evaluation by correction history, with the features to
    /// learn from.
    #[inline]
    pub(super) fn correction(&self, ply: usize) -> (Value, Option<Features>) {
        if self.options.correction_history == 0 {
            return (0, None);
        }
        let last = self.stack[ply + STACK_OFFSET - 1].context;
        let features = Features::of(&self.position, last);
        let weight = self.options.correction_weight;
        let correction = self.history.correction.of(&features, weight);
        (correction, Some(features))
    }

    /// Returns the static evaluation with each player's noise, and the one without noise.
    #[inline]
    pub(super) fn evaluate(&mut self) -> (V, Value) {
        let raw = clamp_evaluation(self.evaluator.evaluate(&self.position));
        (V::evaluation(raw, self.noise, self.position.key()), raw)
    }

    /// Like [`Searcher::evaluate`], but takes the evaluation from a table entry that has one.
    #[inline]
    pub(super) fn evaluate_with(&mut self, entry: Option<&TableEntry<V>>) -> (V, Value) {
        match entry {
            Some(entry) if entry.evaluation != -INFINITE => {
                let key = self.position.key();
                (
                    V::evaluation(entry.evaluation, self.noise, key),
                    entry.evaluation,
                )
            }
            _ => self.evaluate(),
        }
    }

    /// Returns the entry of the transposition table for the current node by its key, if the table is in use.
    /// `info` is the node's.
    #[inline(always)]
    pub(super) fn probe_table(&self, key: u64, info: &CheckInfo) -> Option<TableEntry<V>> {
        if self.options.table == 0 {
            return None;
        }
        let entry = self
            .table
            .get(key)
            .filter(|entry| entry.depth < PROVED || self.is_believed(entry, info))?;
        Some(match self.options.table {
            1 => entry,
            _ => TableEntry { mv: None, ..entry }.if_exact(),
        })
    }

    /// Tells whether the proof of a mate in the table is one here. It has a move; where that is illegal, it is another
    /// position's. The position may have come at an earlier ply, from which the mate was in time.
    fn is_believed(&self, proof: &TableEntry<V>, info: &CheckInfo) -> bool {
        let is_legal = (proof.mv).is_some_and(|mv| self.position.is_legal_given(mv, info));
        is_legal && !self.is_too_late((MATE - proof.value.lane(0)) as u16)
    }
}
