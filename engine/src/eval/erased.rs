//! An evaluator of whichever kind.

use super::evaluator::Evaluator;
use crate::rules::{Move, Position};

/// Calls an evaluator through a pointer, so that code which does not depend on the kind for its
/// speed is compiled once for all kinds.
pub(crate) struct Erased(Box<dyn Copying>);

trait Copying: Evaluator {
    fn copy(&self) -> Box<dyn Copying>;
}

impl<E: Evaluator + Clone + 'static> Copying for E {
    fn copy(&self) -> Box<dyn Copying> {
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
