use super::line::RootMove;
use crate::rules::Move;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Limits of a search, which ends at the first one reached. Without limits it ends when it is
/// stopped.
///
/// ```
/// use monju_engine::Limits;
/// let limits = Limits {
///     nodes: Some(100_000),
///     ..Limits::default()
/// };
/// assert_eq!(limits.depth, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Iterations of iterative deepening.
    pub depth: Option<u32>,
    /// Time since the start (or since the ponder hit).
    pub time: Option<Duration>,
    /// Number of best moves to rank, by default one. Each further move costs about as much as the
    /// first.
    pub multi_pv: Option<u32>,
    /// The only moves to choose from (USI `searchmoves`); empty for all. Moves that are not legal are
    /// left out, and so is a list without a legal move. A search of several lanes chooses from all
    /// moves.
    pub search_moves: Vec<Move>,
}

/// The present limits of a running search.
#[derive(Debug)]
struct ControlState {
    origin: Instant,
    stop: AtomicBool,
    /// Nanoseconds since `origin`; `u64::MAX` without a deadline.
    deadline: AtomicU64,
    nodes: AtomicU64,
    depth: AtomicU32,
    /// The packed [`RootMove`]; 0 without one.
    root_move: AtomicU64,
}

/// Handle by which another thread controls a running search. Clones control the same search.
///
/// ```
/// use monju_engine::Control;
/// use std::time::{Duration, Instant};
/// let control = Control::new();
/// let handle = control.clone();
/// // On another thread, while `Player::think` runs with `control`:
/// handle.stop_at(Instant::now() + Duration::from_millis(100));
/// handle.stop();
/// ```
#[derive(Clone, Debug)]
pub struct Control {
    shared: Arc<ControlState>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            shared: Arc::new(ControlState {
                origin: Instant::now(),
                stop: AtomicBool::new(false),
                deadline: AtomicU64::new(u64::MAX),
                nodes: AtomicU64::new(u64::MAX),
                depth: AtomicU32::new(u32::MAX),
                root_move: AtomicU64::new(0),
            }),
        }
    }
}

impl Control {
    /// Creates the control of one search that starts now.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search, which returns within 5 ms.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Ends the search at `deadline`, which replaces an earlier deadline.
    pub fn stop_at(&self, deadline: Instant) {
        let after = deadline.saturating_duration_since(self.shared.origin);
        let nanos = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        self.shared.deadline.store(nanos, Ordering::Relaxed);
    }

    /// Ends the search after `nodes` nodes since its start. Replaces an earlier node limit.
    pub fn limit_nodes(&self, nodes: u64) {
        self.shared.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Ends the search after the iteration `depth`. Replaces an earlier depth limit.
    pub fn limit_depth(&self, depth: u32) {
        self.shared.depth.store(depth, Ordering::Relaxed);
    }

    /// Sets the given limits for a search that starts now.
    pub(crate) fn apply(&self, limits: &Limits) {
        if let Some(nodes) = limits.nodes {
            self.limit_nodes(nodes);
        }
        if let Some(depth) = limits.depth {
            self.limit_depth(depth);
        }
        if let Some(deadline) = limits
            .time
            .and_then(|time| Instant::now().checked_add(time))
        {
            self.stop_at(deadline);
        }
    }

    /// Tells whether [`Control::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// Tells whether the search has been stopped or its deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        if self.is_stopped() {
            return true;
        }
        let deadline = self.shared.deadline.load(Ordering::Relaxed);
        deadline != u64::MAX && self.shared.origin.elapsed().as_nanos() >= u128::from(deadline)
    }

    /// Tells whether there is a deadline.
    pub(crate) fn has_deadline(&self) -> bool {
        self.shared.deadline.load(Ordering::Relaxed) != u64::MAX
    }

    /// Tells whether there is any limit so far; a ponder hit may add one later.
    pub(crate) fn has_limit(&self) -> bool {
        self.has_deadline() || self.node_limit() != u64::MAX || self.depth_limit() != u32::MAX
    }

    /// Returns the root move that is being searched; `None` before the first one, and in a search of several
    /// lanes.
    pub fn root_move(&self) -> Option<RootMove> {
        RootMove::unpacked(self.shared.root_move.load(Ordering::Relaxed))
    }

    /// Tells that a root move is being searched.
    pub(crate) fn note_root_move(&self, root_move: RootMove) {
        let packed = root_move.packed();
        self.shared.root_move.store(packed, Ordering::Relaxed);
    }

    pub(crate) fn node_limit(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed)
    }

    pub(crate) fn depth_limit(&self) -> u32 {
        self.shared.depth.load(Ordering::Relaxed)
    }
}
