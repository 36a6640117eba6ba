//! What tests of evaluators need: one under their eyes, and a search for it to follow.

use super::{Evaluator, Noise};
use crate::{
    rules::{Game, Move, Position},
    search::{Control, Limits, Memory, SearchOptions, search},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
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

/// Searches a position, and compares every value with that of an evaluator which starts afresh there. How many
/// they were.
///
/// # Panics
/// Two values differ.
pub(crate) fn compared_with_fresh<E: Evaluator + Clone>(
    evaluator: &E,
    game: &Game,
    nodes: u64,
) -> usize {
    let (mut fresh, compared) = (evaluator.clone(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&compared);
    let checked = Watched {
        inner: evaluator.clone(),
        evaluate: move |follows: &mut E, position: &Position| {
            fresh.reset(position);
            let value = follows.evaluate(position);
            assert_eq!(value, fresh.evaluate(position), "{position}");
            count.fetch_add(1, Ordering::Relaxed);
            value
        },
    };
    search_with(&checked, game, nodes);
    compared.load(Ordering::Relaxed)
}

/// Searches the position of a game on one thread.
fn search_with<E: Evaluator + Clone>(evaluator: &E, game: &Game, nodes: u64) {
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
