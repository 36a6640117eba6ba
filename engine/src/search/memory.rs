//! What a player carries from search to search.

use super::{
    history::History,
    options::{Reductions, SearchOptions},
    table::Table,
};
use crate::eval::Evaluator;
use std::collections::TryReserveError;

/// What one thread carries from search to search; nobody else touches it.
pub(super) struct ThreadMemory<E> {
    pub history: History,
    pub evaluator: E,
}

/// What a player carries from search to search.
pub(crate) struct Memory<E> {
    pub(super) table: Table,
    pub(super) options: SearchOptions,
    pub(super) reductions: Box<Reductions>,
    /// The searching thread's own first, then one for each helper.
    pub(super) threads: Vec<ThreadMemory<E>>,
}

impl<E: Evaluator + Clone> Memory<E> {
    /// Allocates a table of `hash_mib` MiB, and histories for `threads` threads, at least one.
    pub fn new(
        hash_mib: usize,
        threads: usize,
        evaluator: &E,
        options: SearchOptions,
    ) -> Result<Self, TryReserveError> {
        let thread = |_| ThreadMemory {
            history: History::new(&options),
            evaluator: evaluator.clone(),
        };
        Ok(Self {
            table: Table::new(hash_mib)?,
            reductions: options.reductions(),
            options,
            threads: (0..threads.max(1)).map(thread).collect(),
        })
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
        for thread in &mut self.threads {
            thread.history.clear();
        }
    }
}

impl<E> Memory<E> {
    /// The evaluator of the searching thread.
    pub fn evaluator(&self) -> &E {
        &self.threads[0].evaluator
    }
}
