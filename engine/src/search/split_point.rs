//! Split points: nodes whose moves several threads search (YBWC* of Shimoyama).

use super::{
    node::{MoveLoopState, Node},
    picker::Picker,
    search_value::SearchValue,
    stack::StackEntry,
};
use crate::rules::{CheckInfo, KeyHistoryEntry, Move, Position};
use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A node with everything that a thread needs to search its moves.
#[derive(Debug)]
pub(super) struct SplitSetup<V: SearchValue> {
    /// The split point at which the owner worked before.
    pub parent: Option<Arc<SplitPoint<V>>>,
    pub is_pv: bool,
    pub node: Node<V>,
    pub info: CheckInfo,
    pub position: Position,
    /// Key history from the root on.
    pub key_history: Vec<KeyHistoryEntry>,
    pub after_null_move: usize,
    /// Least ply of a null move, 0 outside the verification of another one.
    pub null_move_from: usize,
    /// Stack entries up to the last one that nodes below may read.
    pub stack: Vec<StackEntry<V>>,
    pub root_depth: i32,
    pub root_window: i32,
}

/// The part of a split point that changes with every move.
pub(super) struct SplitState<V> {
    pub picker: Picker,
    pub alpha: V,
    pub move_loop: MoveLoopState<V>,
    /// Principal variation from the node on, at a PV node.
    pub pv: Vec<Move>,
}

impl<V> fmt::Debug for SplitState<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitState").finish_non_exhaustive()
    }
}

/// A node whose moves several threads search.
#[derive(Debug)]
pub(super) struct SplitPoint<V: SearchValue> {
    pub setup: SplitSetup<V>,
    /// Copy of the alpha in `state`, readable without the lock.
    pub alpha: V::Atomic,
    /// The search of this node has become useless.
    cut: AtomicBool,
    /// The picker has no moves left.
    exhausted: AtomicBool,
    /// Moves that have beaten alpha and are being searched again.
    researches: AtomicUsize,
    /// Threads at work here besides the owner. Rises only while the pool's state is locked.
    workers: AtomicUsize,
    state: Mutex<SplitState<V>>,
}

impl<V: SearchValue> SplitPoint<V> {
    pub fn new(setup: SplitSetup<V>, state: SplitState<V>) -> Self {
        Self {
            setup,
            alpha: state.alpha.share(),
            cut: AtomicBool::new(false),
            exhausted: AtomicBool::new(false),
            researches: AtomicUsize::new(0),
            workers: AtomicUsize::new(0),
            state: Mutex::new(state),
        }
    }

    pub fn parent(&self) -> Option<&Arc<Self>> {
        self.setup.parent.as_ref()
    }

    /// Returns the remaining depth of the node.
    pub fn depth(&self) -> i32 {
        self.setup.node.depth
    }

    /// Tells whether the search of this node has become useless.
    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    pub fn mark_cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    /// Tells whether a thread may take a move now.
    pub fn has_moves(&self) -> bool {
        !self.exhausted.load(Ordering::Relaxed) && !self.is_cut() && !self.is_researching()
    }

    /// Records that the picker has no moves left.
    pub fn exhaust(&self) {
        self.exhausted.store(true, Ordering::Relaxed);
    }

    /// Tells whether a better move is being searched again. Until its value is known, the search of
    /// another move is likely to be cut or to use too low an alpha.
    pub fn is_researching(&self) -> bool {
        self.researches.load(Ordering::Relaxed) > 0
    }

    pub fn begin_research(&self) {
        self.researches.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends a re-search; returns true for the last one.
    pub fn end_research(&self) -> bool {
        self.researches.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Tells whether `other` is an ancestor of this split point.
    pub fn is_below(&self, other: &Arc<Self>) -> bool {
        let mut ancestor = self.parent();
        while let Some(split) = ancestor {
            if Arc::ptr_eq(split, other) {
                return true;
            }
            ancestor = split.parent();
        }
        false
    }

    /// Tells whether threads other than the owner work here.
    pub fn has_workers(&self) -> bool {
        self.workers.load(Ordering::Acquire) > 0
    }

    pub fn join(&self) {
        self.workers.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the work of a thread; returns true for the last one.
    pub fn leave(&self) -> bool {
        self.workers.fetch_sub(1, Ordering::Release) == 1
    }

    /// Locks the state. A poisoned lock is harmless: the panic of a thread ends the search, and the
    /// state is not used afterwards.
    pub fn state(&self) -> MutexGuard<'_, SplitState<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl SplitPoint<i32> {
    /// Returns a split point at the start position with moves to give away.
    pub fn sample(depth: i32, parent: Option<&Arc<Self>>) -> Arc<Self> {
        use super::{history::Contexts, node::SearchedMoves, value::INFINITE};
        use crate::rules::CheckTargets;
        let position = Position::startpos();
        let setup = SplitSetup {
            parent: parent.cloned(),
            is_pv: false,
            node: Node {
                depth,
                ply: 1,
                beta: 100,
                alpha: 0,
                cut_node: false,
                all_node: true,
                in_check: false,
                improving: false,
                opponent_worsening: false,
                evaluation: 0,
                correction: 0,
                contexts: Contexts::NONE,
                excluded: None,
                entry: None,
                table_value: None,
                table_move: None,
                noisy_table_move: false,
                tt_pv: false,
                threatened: false,
                targets: CheckTargets::new(&position),
            },
            info: CheckInfo::new(&position),
            position,
            key_history: Vec::new(),
            after_null_move: 0,
            null_move_from: 0,
            stack: Vec::new(),
            root_depth: depth,
            root_window: 1,
        };
        let state = SplitState {
            picker: Picker::new(false, None, Contexts::NONE),
            alpha: 0,
            move_loop: MoveLoopState {
                depth,
                move_count: 0,
                best: -INFINITE,
                best_move: None,
                searched_moves: SearchedMoves::default(),
            },
            pv: Vec::new(),
        };
        Arc::new(Self::new(setup, state))
    }
}
