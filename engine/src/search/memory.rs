//! What a player carries from search to search.

use super::{
    history::History,
    options::{Reductions, SearchOptions},
    ponder_table::PonderTable,
    search_value::{SearchValue, TranspositionTable},
};
use crate::{eval::Evaluator, mate::MateSearch};
use std::collections::TryReserveError;

/// Positions that a thread's search for mates remembers.
const MATE_POSITIONS: usize = 1 << 15;

/// What a player carries from search to search.
pub(crate) struct SearchMemory<E, V: SearchValue> {
    pub(super) table: V::Transpositions,
    /// What was pondered.
    pub(super) ponder_table: PonderTable,
    pub(super) options: SearchOptions,
    pub(super) reductions: Box<Reductions>,
    pub(super) history: History,
    /// The searching thread's own first, then one for each helper.
    pub(super) evaluators: Vec<E>,
    /// As many.
    pub(super) mates: Vec<MateSearch>,
}

impl<E: Evaluator + Clone, V: SearchValue> SearchMemory<E, V> {
    /// Allocates a table of `hash_mib` MiB, for a search with `threads` threads, at least one.
    pub fn new(
        hash_mib: usize,
        threads: usize,
        evaluator: &E,
        options: SearchOptions,
    ) -> Result<Self, TryReserveError> {
        let mut mates = vec![MateSearch::default(); threads.max(1)];
        // At the root the searching thread looks for mates, alone unless its defence is looked at.
        let looking = match options.mate_search > 1 || options.mate_defence != 0 {
            true => mates.len(),
            false => 1,
        };
        mates[..looking].fill(MateSearch::new(MATE_POSITIONS));
        Ok(Self {
            table: V::Transpositions::new(hash_mib)?,
            ponder_table: PonderTable::default(),
            reductions: options.reductions(),
            history: History::new(&options)?,
            options,
            evaluators: vec![evaluator.clone(); threads.max(1)],
            mates,
        })
    }

    /// The searches from now on record best moves for those after them.
    pub fn begin_recording(&mut self) -> Result<(), TryReserveError> {
        self.ponder_table.record()
    }

    /// The searches from now on only read what was recorded.
    pub fn end_recording(&mut self) {
        self.ponder_table.only_read();
    }

    /// Makes every thread use another evaluator of the same kind.
    pub fn set_evaluator(&mut self, evaluator: &E) {
        self.evaluators.fill(evaluator.clone());
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.ponder_table.clear();
        self.history.clear();
        self.mates.iter_mut().for_each(MateSearch::clear);
    }
}
