//! The node whose moves are searched, and the state of its move loop.

use super::{
    history::Contexts,
    search_value::{SearchValue, TableEntry},
    value::Value,
};
use crate::rules::{CheckTargets, Move};

/// A node of the main search from its static evaluation on; the same on every thread that searches
/// its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<V: SearchValue> {
    pub depth: i32,
    pub ply: usize,
    /// Alpha before the first move.
    pub alpha: V,
    pub beta: V,
    /// A cut is expected.
    pub cut_node: bool,
    /// No cut is expected, and the node is not on the principal variation.
    pub all_node: bool,
    pub in_check: bool,
    /// The static evaluation has risen since the last move of the same side, or is above beta.
    pub improving: bool,
    /// The opponent's static evaluation has fallen with its last move.
    pub opponent_worsening: bool,
    /// Static evaluation.
    pub evaluation: V,
    /// Size of the correction of the static evaluation.
    pub correction: Value,
    pub contexts: Contexts,
    pub excluded: Option<Move>,
    /// The entry of the transposition table.
    pub entry: Option<TableEntry<V>>,
    /// The value of that entry, with mates counted from the root.
    pub table_value: Option<V>,
    /// The table's move, if it is legal.
    pub table_move: Option<Move>,
    /// The table's move captures or promotes.
    pub noisy_table_move: bool,
    /// The node lies on a principal variation or has done so before, as the table remembers.
    pub tt_pv: bool,
    /// A pass was answered by mate.
    pub threatened: bool,
    /// Known from the move loop on.
    pub targets: CheckTargets,
}

/// A move of a node before its search.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeMove {
    pub mv: Move,
    /// Key of the position after the move.
    pub key: u64,
    /// 1 for the first move of the node.
    pub move_count: usize,
    pub noisy: bool,
    pub gives_check: bool,
    /// The move is known to gain so much, if not more, in centipawns.
    pub gain: Value,
    /// Plies by which the move is searched deeper.
    pub extension: i32,
}

/// Decision of the pruning rules about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PruningDecision<V> {
    Search,
    /// Searches this move, but no quiet move after it.
    SearchWithoutQuiets,
    Skip,
    /// Skips a move whose value is hardly above this one.
    Futile(V),
}

/// State of a move loop between two moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveLoopState<V> {
    /// Remaining depth for the moves to come: less once a better move is at hand.
    pub depth: i32,
    /// Moves taken from the picker, pruned ones included.
    pub move_count: usize,
    pub best: V,
    pub best_move: Option<Move>,
    pub searched_moves: SearchedMoves,
}

/// The moves of a node that were searched without a cutoff, for the histories.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchedMoves {
    quiets: [Option<Move>; 64],
    quiet_count: usize,
    noisy: [Option<Move>; 32],
    noisy_count: usize,
}

impl Default for SearchedMoves {
    #[inline(always)]
    fn default() -> Self {
        Self {
            quiets: [None; 64],
            quiet_count: 0,
            noisy: [None; 32],
            noisy_count: 0,
        }
    }
}

impl SearchedMoves {
    /// Adds a move, unless there is no room left.
    #[inline(always)]
    pub fn add(&mut self, mv: Move, noisy: bool) {
        if noisy {
            if self.noisy_count < self.noisy.len() {
                self.noisy[self.noisy_count] = Some(mv);
                self.noisy_count += 1;
            }
        } else if self.quiet_count < self.quiets.len() {
            self.quiets[self.quiet_count] = Some(mv);
            self.quiet_count += 1;
        }
    }

    pub fn quiets(&self) -> &[Option<Move>] {
        &self.quiets[..self.quiet_count]
    }

    pub fn noisy(&self) -> &[Option<Move>] {
        &self.noisy[..self.noisy_count]
    }
}
