//! A mate search whose table grows, within the limits of a question.

use super::{
    parts::MateParts,
    proof_number::{Mate, MateLimits, MateSearch, POLL_INTERVAL},
};
use crate::rules::Position;
use std::collections::TryReserveError;

/// Entries of the first table. Most problems need no more, and a large table takes longer to clear than
/// they take to solve.
const FIRST_TABLE: usize = 1 << 12;

/// Factor by which each further table is larger.
const GROWTH: usize = 16;

/// State of a solver at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateProgress {
    /// Positions searched so far.
    pub nodes: u64,
    /// Length of the mate found so far, in plies.
    pub plies: Option<u16>,
}

/// Reason why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The caller ended the search.
    Ended,
    /// All positions of the limit were searched.
    Nodes,
    /// There is no mate within the longest line that the solver follows.
    TooLong,
    /// The system lacks memory for the smallest table.
    Memory,
    /// A mate was proved, but the moves of the proof contradict each other.
    Contradiction,
}

/// A search whose table grows, with the limits of the question.
pub struct Solver<'a> {
    search: MateSearch,
    /// Entries of the table.
    size: usize,
    /// Entries of the largest table.
    most: usize,
    nodes: u64,
    limit: u64,
    found: Option<u16>,
    /// Reason of the last missing result.
    gap: Gap,
    /// Number of positions at which the caller is asked again between two short searches.
    next_poll: u64,
    is_over: &'a mut dyn FnMut(MateProgress) -> bool,
}

impl<'a> Solver<'a> {
    /// Creates a search whose table has at most `mib` MiB, of at most `limit` positions; `is_over` ends it.
    ///
    /// # Errors
    /// The system lacks memory for the first table.
    pub fn new(
        mib: usize,
        limit: u64,
        is_over: &'a mut dyn FnMut(MateProgress) -> bool,
    ) -> Result<Self, TryReserveError> {
        let most = (mib << 20) / MateSearch::POSITION_BYTES;
        let size = FIRST_TABLE.min(most);
        Ok(Self {
            search: MateSearch::try_new(size, MateParts::BEST)?,
            size,
            most,
            nodes: 0,
            limit,
            found: None,
            gap: Gap::Ended,
            next_poll: 0,
            is_over,
        })
    }

    /// Number of positions searched so far.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Reason of the last missing result.
    pub const fn gap(&self) -> Gap {
        self.gap
    }

    /// Notes the length of a mate that was found, for the progress.
    pub const fn note(&mut self, plies: u16) {
        self.found = Some(plies);
    }

    /// Searches for a mate in at most `plies` until it is found or disproved, or `budget` positions
    /// are searched.
    pub fn settle(&mut self, position: &mut Position, plies: u16, budget: u64) -> Mate {
        let end = self.nodes.saturating_add(budget).min(self.limit);
        if self.nodes >= self.next_poll {
            self.next_poll = self.nodes + POLL_INTERVAL;
            if self.is_over() {
                return Mate::Unknown;
            }
        }
        loop {
            // A table with as many entries as positions visited holds nearly all of them.
            let round = match self.size == self.most {
                true => u64::MAX,
                false => self.size as u64,
            };
            let limits = MateLimits {
                plies,
                positions: round.min(end.saturating_sub(self.nodes)),
            };
            let mut ended = false;
            let (before, found) = (self.nodes, self.found);
            let (mate, visited) = self.search.search_within(position, limits, &mut |visited| {
                ended = (self.is_over)(MateProgress {
                    nodes: before + visited,
                    plies: found,
                });
                ended
            });
            self.nodes += visited;
            if mate != Mate::Unknown {
                return mate;
            }
            if ended || self.nodes >= end {
                self.gap = match ended {
                    true => Gap::Ended,
                    false => Gap::Nodes,
                };
                return Mate::Unknown;
            }
            self.grow();
        }
    }

    /// Begins with a larger table, unless memory is lacking.
    fn grow(&mut self) {
        let size = (self.size * GROWTH).min(self.most);
        match MateSearch::try_new(size, MateParts::BEST) {
            Ok(search) => (self.search, self.size) = (search, size),
            Err(_) => self.most = self.size,
        }
    }

    /// Returns a mate in at most `plies`: one that the table knows, or one that is searched for.
    pub fn mate(&mut self, position: &mut Position, plies: u16) -> Mate {
        match self.search.known_mate(position, plies) {
            Some(mate) => mate,
            None => self.settle(position, plies, u64::MAX),
        }
    }

    /// Tells whether the caller ends the search.
    pub fn is_over(&mut self) -> bool {
        let over = (self.is_over)(MateProgress {
            nodes: self.nodes,
            plies: self.found,
        });
        if over {
            self.gap = Gap::Ended;
        }
        over
    }
}
