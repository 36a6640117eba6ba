//! What is known of a node before any of its moves: its evaluation, and what the table holds.

use super::{
    Search,
    correction::Features,
    iterate::BEFORE_ROOT,
    value::{INFINITE, Value, clamp_evaluation},
    values::{Entry, Store, Values},
};
use crate::eval::Evaluator;

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// The evaluation corrected by what searches have taught, and where to learn more.
    #[inline]
    pub(super) fn corrected(&self, evaluation: V, ply: usize) -> (V, Option<Features>) {
        if self.options.correction_history == 0 {
            return (evaluation, None);
        }
        let last = self.frames[ply + BEFORE_ROOT - 1].context;
        let features = Features::of(&self.position, last);
        let weight = self.options.correction_weight;
        let correction = self.history.correction.of(&features, weight);
        (evaluation.corrected(correction), Some(features))
    }

    /// The static evaluation with each player's noise, and without any.
    #[inline]
    pub(super) fn evaluate(&mut self) -> (V, Value) {
        let raw = clamp_evaluation(self.evaluator.evaluate(&self.position));
        (V::evaluation(raw, self.noise, self.position.key()), raw)
    }

    /// The same, if possible from what the table holds.
    #[inline]
    pub(super) fn evaluation_of(&mut self, entry: Option<&Entry<V>>) -> (V, Value) {
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

    /// What the table holds of a position.
    #[inline(always)]
    pub(super) fn known(&self, key: u64) -> Option<Entry<V>> {
        if self.options.table != 0 {
            self.table.get(key)
        } else {
            None
        }
    }
}
