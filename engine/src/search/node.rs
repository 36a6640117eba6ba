//! What the moves of one node have in common, whichever thread searches them.

use super::history::Contexts;
use crate::rules::{CheckTargets, Move};

/// A node of the main search while its moves are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<V> {
    pub depth: i32,
    pub ply: usize,
    pub beta: V,
    pub cut_node: bool,
    pub in_check: bool,
    pub improving: bool,
    pub evaluation: V,
    pub contexts: Contexts,
    pub excluded: Option<Move>,
    /// The table's move captures or promotes.
    pub noisy_table_move: bool,
    /// It stands on a principal variation, or has stood on one.
    pub once_principal: bool,
    pub targets: CheckTargets,
}

/// A move about to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct TriedMove {
    pub mv: Move,
    /// 1 for the first move of the node.
    pub number: usize,
    pub noisy: bool,
    pub gives_check: bool,
    /// Plies by which it is searched deeper.
    pub extension: i32,
}

/// What the pruning rules say about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Search,
    Skip,
    /// Neither this quiet move nor any after it.
    SkipQuiets,
}

/// The moves of a node that were searched and did not cut, for the histories.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    quiets: [Option<Move>; 64],
    quiet_count: usize,
    noisy: [Option<Move>; 32],
    noisy_count: usize,
}

impl Default for Tried {
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

impl Tried {
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
