//! The last search of a player: a search of the same question goes on where it ended.

use super::{limits::Limits, line::Line, value::Value};
use crate::rules::{Game, Move};

/// The last iteration that a search has finished, and what it has found since.
#[derive(Clone, Debug)]
pub(super) struct FinishedIteration<V> {
    pub depth: i32,
    pub value: V,
    /// Mean square of the root's values.
    pub mean_square: Value,
    /// The last line, which may be of the iteration that was broken off.
    pub line: Line,
}

/// A search with its question.
#[derive(Debug)]
pub(super) struct LastSearch<V> {
    game: Game,
    search_moves: Vec<Move>,
    /// Number of moves that it ranked.
    ranked: u32,
    finished: FinishedIteration<V>,
}

impl<V> LastSearch<V> {
    pub fn new(game: &Game, limits: &Limits, finished: FinishedIteration<V>) -> Self {
        Self {
            game: game.clone(),
            search_moves: limits.search_moves.clone(),
            ranked: ranked(limits),
            finished,
        }
    }

    /// Returns the iteration after which a search of this question goes on. A search to no greater depth
    /// begins anew, so that it visits the nodes that it is asked for.
    pub fn finished(
        self,
        game: &Game,
        limits: &Limits,
        most_depth: u32,
    ) -> Option<FinishedIteration<V>> {
        // Moves that the last search has not ranked would be missing until a whole deep iteration is over.
        let is_same = self.game == *game
            && self.search_moves == limits.search_moves
            && self.ranked == ranked(limits);
        Some(self.finished).filter(|finished| is_same && (finished.depth as u32) < most_depth)
    }
}

fn ranked(limits: &Limits) -> u32 {
    limits.multi_pv.unwrap_or(1)
}
