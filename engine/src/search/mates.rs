//! Mates by checks alone, found without a search of the node.

use super::{
    search_value::{PROVED, SearchValue, TableEntry, TranspositionTable},
    searcher::Searcher,
    value::{INFINITE, mate_in},
};
use crate::{
    eval::Evaluator,
    mate::Mate,
    rules::{EnteringKingRule, Move},
};
use std::mem;

/// Positions of the mate search that take as long as a node with an evaluation.
const POSITIONS_A_NODE: u64 = 3;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Looks for a mate by checks alone; returns its first move and its length in plies. The effort
    /// at the root is a small share of the nodes so far, elsewhere it grows with the depth.
    pub(super) fn find_mate(&mut self, depth: i32, is_root: bool) -> Option<(Move, usize)> {
        /// Nodes of the search for each position of the mate search, at the root.
        const SHARE: u64 = 64;
        /// Plies of depth for which the effort doubles.
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

    /// Returns the value of a root move that beats `alpha`, or the value of a mate by the other side
    /// that follows it. A line of checks is often longer than the search is deep.
    pub(super) fn unless_mated(&mut self, mv: Move, value: V, alpha: V) -> V {
        if self.options.mate_defence == 0
            || !value.any_above(alpha)
            || value.is_decided((alpha, V::all(INFINITE)))
        {
            return value;
        }
        let undo = self.position.make(mv);
        let mate = match self.is_new_position() {
            true => self.find_mate_of_other_side(),
            false => None,
        };
        let value = match mate {
            Some((answer, plies)) => {
                // The line of the search has not seen the mate.
                self.pv[1].clear();
                self.pv[1].push(answer);
                self.store_mate(answer, 1, plies).negated()
            }
            None => value,
        };
        self.position.unmake(mv, undo);
        value
    }

    /// Looks for a mate after a move of the root: with `mate_replay` first the last one that was found there.
    fn find_mate_of_other_side(&mut self) -> Option<(Move, usize)> {
        let replays = self.options.mate_replay != 0;
        if replays && let Some(mate) = self.replay_mate(1) {
            return Some(mate);
        }
        let mate = self.find_mate_within(self.nodes * self.options.mate_defence as u64 / 100);
        if replays && let Some((_, plies)) = mate {
            self.keep_proof(1, plies);
        }
        mate
    }

    /// Tells whether the position after a move has not occurred before. In one that has, an earlier mate has come to
    /// nothing.
    pub(super) fn is_new_position(&self) -> bool {
        let key = self.position.key();
        self.key_history.iter().all(|entry| entry.key != key)
    }

    /// Tells whether a mate by checks wins: by the try rule, a king may win by its answer to a check, which the search
    /// for mates does not know.
    pub(super) fn trusts_mates(&self) -> bool {
        self.entering_king != EnteringKingRule::TryRule
    }

    /// Looks for a mate by checks alone in at most `limit` positions.
    pub(super) fn find_mate_within(&mut self, limit: u64) -> Option<(Move, usize)> {
        let limit = limit.min(self.positions_left());
        if limit == 0 || !self.trusts_mates() {
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
        self.nodes = before;
        self.count_positions(visited);
        *self.mates = mates;
        match mate {
            Mate::In { mv, plies } if !self.is_too_late(plies) => Some((mv, usize::from(plies))),
            Mate::In { .. } | Mate::None | Mate::TooLong | Mate::Unknown => None,
        }
    }

    /// Returns the number of positions that may be looked at until the limit of nodes. One node is left for the
    /// search, which ends at the limit.
    pub(super) fn positions_left(&self) -> u64 {
        let left = self.node_limit.saturating_sub(self.nodes + 1);
        left.saturating_mul(POSITIONS_A_NODE)
    }

    /// Counts positions that were looked at for a mate as nodes.
    pub(super) const fn count_positions(&mut self, positions: u64) {
        self.nodes += positions / POSITIONS_A_NODE;
    }

    /// Tells whether a mate in `plies` comes after the last ply of the game.
    pub(super) fn is_too_late(&self, plies: u16) -> bool {
        self.position.ply().saturating_add(plies.into()) - 1 > self.maximum_plies
    }

    /// Tells whether a mate search at the root can help. In a position that has occurred before it
    /// cannot: an earlier mate has come to nothing, and perpetual check loses.
    fn can_mate_at_root(&self) -> bool {
        let key = self.position.key();
        let times = self
            .key_history
            .iter()
            .filter(|entry| entry.key == key)
            .count();
        self.ruled_out.is_empty() && times <= 1
    }

    /// Stores in the table that `mv` mates in `plies`; returns the value of the node.
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
