//! An evaluator for tests whose values the test computes.

use crate::{
    eval::Evaluator,
    rules::{Move, Position},
};

/// An evaluator that follows a search like `inner` and returns the values of `evaluate`.
#[derive(Clone)]
pub(crate) struct Watched<E, F> {
    pub inner: E,
    pub evaluate: F,
}

impl<E: Evaluator, F: FnMut(&mut E, &Position) -> i32 + Send> Evaluator for Watched<E, F> {
    fn reset(&mut self, position: &Position) {
        self.inner.reset(position);
    }

    fn push(&mut self, position: &Position, mv: Move) {
        self.inner.push(position, mv);
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        (self.evaluate)(&mut self.inner, position)
    }
}
