//! Static evaluation at a node, and the probe of the transposition table.

use super::{
    history::Features,
    search_value::{SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    stack::STACK_OFFSET,
    value::{INFINITE, Value, clamp_evaluation},
};
use crate::eval::Evaluator;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Returns the evaluation after correction history, with the features to learn from.
    #[inline]
    pub(super) fn corrected(&self, evaluation: V, ply: usize) -> (V, Option<Features>) {
        if self.options.correction_history == 0 {
            return (evaluation, None);
        }
        let last = self.stack[ply + STACK_OFFSET - 1].context;
        let features = Features::of(&self.position, last);
        let weight = self.options.correction_weight;
        let correction = self.history.correction.of(&features, weight);
        (evaluation.corrected(correction), Some(features))
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

    /// Returns the entry of the transposition table for a key, if the table is in use.
    #[inline(always)]
    pub(super) fn probe_table(&self, key: u64) -> Option<TableEntry<V>> {
        if self.options.table != 0 {
            self.table.get(key)
        } else {
            None
        }
    }
}
