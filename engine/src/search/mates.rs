//! Mates by checks alone, found without a search of the node.

use super::{
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    value::{INFINITE, mate_in},
};
use crate::{eval::Evaluator, mate::Mate, rules::Move};
use std::mem;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Looks for a mate by checks alone: its first move, and its plies. At the root the effort is a small
    /// share of what the search has cost so far; elsewhere it grows with the depth.
    /// Called for the nodes that `mate_search` names.
    pub(super) fn find_mate(&mut self, depth: i32, is_root: bool) -> Option<(Move, usize)> {
        /// Nodes of the search for each position at the root.
        const SHARE: u64 = 64;
        /// Plies of depth more, from which on the effort stays the same.
        const DOUBLINGS: i32 = 6;
        let options = self.options;
        let limit = if is_root {
            if !self.can_mate_at_root() {
                return None;
            }
            self.nodes / SHARE
        } else {
            let doublings = (depth - options.mate_search_depth).clamp(0, DOUBLINGS);
            (options.mate_search_nodes as u64) << doublings
        };
        self.find_mate_within(limit)
    }

    /// The value of a move of the root that is better than `alpha`, unless the other side is found to mate
    /// by checks after it: a line of checks is easily longer than the search is deep.
    pub(super) fn unless_mated(&mut self, mv: Move, value: V, alpha: V) -> V {
        if self.options.mate_defence == 0
            || !value.any_above(alpha)
            || value.has_mate((alpha, V::all(INFINITE)))
        {
            return value;
        }
        let undo = self.position.make(mv);
        let key = self.position.key();
        // Where the position has occurred before, what was found there has come to nothing.
        let is_new = self.key_history.iter().all(|entry| entry.key != key);
        let limit = match is_new {
            true => self.nodes * self.options.mate_defence as u64 / 100,
            false => 0,
        };
        let value = match self.find_mate_within(limit) {
            Some((answer, plies)) => self.store_mate(answer, 1, plies).negated(),
            None => value,
        };
        self.position.unmake(mv, undo);
        value
    }

    /// Looks for a mate by checks alone, at no more than `limit` positions.
    fn find_mate_within(&mut self, limit: u64) -> Option<(Move, usize)> {
        /// Positions of a mate search that take as long as a node with an evaluation.
        const POSITIONS_A_NODE: u64 = 3;
        // The last node is one of the search, which then ends.
        let left = self.node_limit.saturating_sub(self.nodes + 1);
        let limit = limit.min(left.saturating_mul(POSITIONS_A_NODE));
        if limit == 0 {
            return None;
        }
        let mut mates = mem::take(self.mates);
        let mut position = self.position.clone();
        let before = self.nodes;
        let (mate, visited) = mates.search(&mut position, limit, &mut |visited| {
            self.nodes = before + visited / POSITIONS_A_NODE;
            self.poll();
            self.stopped
        });
        self.nodes = before + visited / POSITIONS_A_NODE;
        *self.mates = mates;
        match mate {
            Mate::In { mv, plies } => Some((mv, usize::from(plies))),
            Mate::None | Mate::Unknown => None,
        }
    }

    /// Whether a mate at the root is worth looking for. Where its position has occurred before, it is
    /// not: what was found there has come to nothing, and perpetual check loses.
    fn can_mate_at_root(&self) -> bool {
        let key = self.position.key();
        let times = self
            .key_history
            .iter()
            .filter(|entry| entry.key == key)
            .count();
        self.ruled_out.is_empty() && times <= 1
    }

    /// Notes in the table that `mv` mates within so many plies; returns the node's value.
    pub(super) fn store_mate(&self, mv: Move, ply: usize, plies: usize) -> V {
        let value = V::all(mate_in(ply + plies));
        self.table.put(
            self.position.key(),
            TableEntry {
                mv: Some(mv),
                value: value.stored(ply),
                bounds: V::exact(),
                evaluation: -INFINITE,
                depth: PROVED,
                tt_pv: false,
            },
        );
        value
    }
}
