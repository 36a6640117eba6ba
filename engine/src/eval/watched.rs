//! What tests of evaluators need: one under their eyes, and a search for it to follow.

use super::{Evaluator, Noise};
use crate::{
    rules::{Game, Move, Position},
    search::{Control, Limits, Memory, SearchOptions, search},
};

/// Follows a search as `inner` does; what it is asked for, `evaluate` answers.
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

/// Searches the position of a game on one thread.
pub(crate) fn search_with<E: Evaluator + Clone>(evaluator: &E, game: &Game, nodes: u64) {
    let mut memory =
        Memory::<_, i32>::new(1, 1, evaluator, SearchOptions::default()).expect("a megabyte");
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let control = Control::new();
    control.apply(&limits);
    search(
        game,
        &game.legal_moves(),
        &limits,
        &control,
        &mut memory,
        (&Noise::new(0.0, 0).expect("no noise"), 1),
        &mut |_| (),
    );
}
