//! An evaluator of any kind behind a pointer.

use super::evaluator::Evaluator;
use crate::rules::{Move, Position};

/// An evaluator called through a pointer, so that code whose speed does not depend on the kind is
/// compiled only once.
pub(crate) struct Erased(Box<dyn CloneableEvaluator>);

/// An evaluator that can be cloned behind a pointer.
trait CloneableEvaluator: Evaluator {
    fn copy(&self) -> Box<dyn CloneableEvaluator>;
}

impl<E: Evaluator + Clone + 'static> CloneableEvaluator for E {
    fn copy(&self) -> Box<dyn CloneableEvaluator> {
        Box::new(self.clone())
    }
}

impl Erased {
    pub fn new(evaluator: &(impl Evaluator + Clone + 'static)) -> Self {
        Self(evaluator.copy())
    }
}

impl Clone for Erased {
    fn clone(&self) -> Self {
        Self((*self.0).copy())
    }
}

impl Evaluator for Erased {
    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, position: &Position, mv: Move) {
        self.0.push(position, mv);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.0.evaluate(position)
    }
}
