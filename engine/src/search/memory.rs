//! What a player carries from search to search.

use super::{
    history::History,
    options::{Reductions, SearchOptions},
    replies::Replies,
    values::{Store, Values},
};
use crate::eval::Evaluator;
use std::collections::TryReserveError;

/// What one thread carries from search to search; nobody else touches it.
pub(super) struct ThreadMemory<E> {
    pub history: History,
    pub evaluator: E,
}

/// What a player carries from search to search.
pub(crate) struct Memory<E, V: Values> {
    pub(super) table: V::Table,
    /// What was pondered.
    pub(super) replies: Replies,
    pub(super) options: SearchOptions,
    pub(super) reductions: Box<Reductions>,
    /// The searching thread's own first, then one for each helper.
    pub(super) threads: Vec<ThreadMemory<E>>,
}

impl<E: Evaluator + Clone, V: Values> Memory<E, V> {
    /// Allocates a table of `hash_mib` MiB, and histories for `threads` threads, at least one.
    pub fn new(
        hash_mib: usize,
        threads: usize,
        evaluator: &E,
        options: SearchOptions,
    ) -> Result<Self, TryReserveError> {
        let thread = |_| {
            Ok(ThreadMemory {
                history: History::new(&options)?,
                evaluator: evaluator.clone(),
            })
        };
        Ok(Self {
            table: V::Table::new(hash_mib)?,
            replies: Replies::default(),
            reductions: options.reductions(),
            options,
            threads: (0..threads.max(1))
                .map(thread)
                .collect::<Result<_, TryReserveError>>()?,
        })
    }

    /// The searches from now on record best moves for those after them.
    pub fn record_replies(&mut self) -> Result<(), TryReserveError> {
        self.replies.record()
    }

    /// The searches from now on only read what was recorded.
    pub fn read_replies(&mut self) {
        self.replies.only_read();
    }

    /// Makes every thread use another evaluator of the same kind.
    pub fn set_evaluator(&mut self, evaluator: &E) {
        for thread in &mut self.threads {
            thread.evaluator.clone_from(evaluator);
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.replies.clear();
        for thread in &mut self.threads {
            thread.history.clear();
        }
    }
}

#[cfg(test)]
impl<E> Memory<E, i32> {
    /// The evaluator of the searching thread.
    pub fn evaluator(&self) -> &E {
        &self.threads[0].evaluator
    }
}
