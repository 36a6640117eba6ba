//! The data that a player keeps from search to search.

use super::{
    history::History,
    last_search::LastSearch,
    move_judge::{MoveJudges, Sampler, SearchSample},
    options::{Reductions, SearchOptions},
    ponder_table::PonderTable,
    search_value::{SearchValue, TranspositionTable},
};
use crate::{
    eval::Evaluator,
    mate::MateSearch,
    rules::{Game, GameRules},
};
use std::collections::TryReserveError;

/// Size of a thread's mate search table, in positions.
const MATE_POSITIONS: usize = 1 << 15;

/// What one thread alone uses. It writes to its evaluator at every node, so this is aligned: threads that write
/// to one cache line, or to two lines that the processor fetches together, wait for each other.
#[repr(align(128))]
pub(super) struct ThreadMemory<E> {
    pub evaluator: E,
    pub mates: MateSearch,
}

/// Tables, histories and evaluators, kept from search to search.
pub(crate) struct SearchMemory<E, V: SearchValue> {
    pub(super) table: V::Transpositions,
    pub(super) ponder_table: PonderTable,
    pub(super) options: SearchOptions,
    pub(super) reductions: Box<Reductions>,
    pub(super) judges: MoveJudges,
    /// Takes samples of the first thread's moves, if they are wanted.
    pub(super) sampler: Option<Sampler>,
    pub(super) history: History,
    /// The memory of the main thread and of each helper.
    pub(super) threads: Vec<ThreadMemory<E>>,
    /// The last search, unless something has been forgotten since.
    pub(super) last: Option<LastSearch<V>>,
    /// The rules by which the tables are filled.
    rules: Option<GameRules>,
}

impl<E: Evaluator + Clone, V: SearchValue> SearchMemory<E, V> {
    /// Allocates the memory of a search with a table of `hash_mib` MiB and at least one thread.
    pub fn new(
        hash_mib: usize,
        threads: usize,
        evaluator: &E,
        options: SearchOptions,
    ) -> Result<Self, TryReserveError> {
        // Helpers look for mates only at deep nodes, in defence and after threats.
        let helpers_look =
            options.mate_search > 1 || options.mate_defence != 0 || options.mate_replay > 1;
        let threads = (0..threads.max(1)).map(|index| ThreadMemory {
            evaluator: evaluator.clone(),
            mates: match index == 0 || helpers_look {
                true => MateSearch::new(MATE_POSITIONS),
                false => MateSearch::default(),
            },
        });
        Ok(Self {
            table: V::Transpositions::new(hash_mib)?,
            ponder_table: PonderTable::default(),
            reductions: options.reductions(),
            judges: MoveJudges::new(&options),
            sampler: None,
            history: History::new()?,
            options,
            threads: threads.collect(),
            last: None,
            rules: None,
        })
    }

    /// Lets searches record best moves in the ponder table.
    pub fn begin_recording(&mut self) -> Result<(), TryReserveError> {
        self.ponder_table.record()
    }

    /// Lets searches only read the ponder table.
    pub fn end_recording(&mut self) {
        self.ponder_table.only_read();
    }

    /// Lets searches take samples.
    pub fn begin_sampling(&mut self, sampler: Sampler) {
        self.sampler = Some(sampler);
    }

    /// Returns the samples since the last call.
    pub fn take_samples(&mut self) -> Vec<SearchSample> {
        self.sampler.as_mut().map(Sampler::take).unwrap_or_default()
    }

    /// Replaces the evaluator of every thread.
    pub fn set_evaluator(&mut self, evaluator: &E) {
        for thread in &mut self.threads {
            thread.evaluator = evaluator.clone();
        }
        self.last = None;
    }

    /// Forgets what was found by other rules than those of a game. The worth of draws is that to the side to move, as
    /// for the search: the same position may be worth another value in a search for the other side.
    pub fn obey(&mut self, game: &Game) {
        let us = game.position().side_to_move();
        let rules = game.rules().with_draws_of(us);
        let last = self.rules.replace(rules);
        if last.is_some_and(|last| last != rules) {
            self.clear();
        }
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.ponder_table.clear();
        self.history.clear();
        for thread in &mut self.threads {
            thread.mates.clear();
        }
        self.last = None;
    }
}
