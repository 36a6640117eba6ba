use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// When to stop: at the first limit reached; with none, only when told to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Iterations of iterative deepening.
    pub depth: Option<u32>,
    /// Time since the start (or since the ponder hit).
    pub time: Option<Duration>,
    /// How many of the best moves to rank; one, unless told. This is no limit, but each costs about
    /// as much as the first.
    pub multi_pv: Option<u32>,
}

#[derive(Debug)]
struct ControlState {
    origin: Instant,
    stop: AtomicBool,
    /// Nanoseconds since `origin`; `u64::MAX` for none.
    deadline: AtomicU64,
    nodes: AtomicU64,
    depth: AtomicU32,
}

/// The handle by which another thread steers a running search. Clones steer the same search.
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
            }),
        }
    }
}

impl Control {
    /// A control for one search that starts now under no limits but those given to it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search; it answers within 5 ms.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Ends the search when `deadline` comes; replaces an earlier deadline.
    pub fn stop_at(&self, deadline: Instant) {
        let after = deadline.saturating_duration_since(self.shared.origin);
        let nanos = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        self.shared.deadline.store(nanos, Ordering::Relaxed);
    }

    /// Ends the search after `nodes` nodes since its start; replaces an earlier node limit.
    pub fn limit_nodes(&self, nodes: u64) {
        self.shared.nodes.store(nodes, Ordering::Relaxed);
    }

    /// Ends the search after the iteration `depth`; replaces an earlier depth limit.
    pub fn limit_depth(&self, depth: u32) {
        self.shared.depth.store(depth, Ordering::Relaxed);
    }

    /// Puts the limits of a search that starts now into force, where they are given.
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

    /// Whether the search has been told to stop, or its time is over.
    pub(crate) fn is_over(&self) -> bool {
        if self.shared.stop.load(Ordering::Relaxed) {
            return true;
        }
        let deadline = self.shared.deadline.load(Ordering::Relaxed);
        deadline != u64::MAX && self.shared.origin.elapsed().as_nanos() >= u128::from(deadline)
    }

    /// Whether its time will be over some day, as far as is known now.
    pub(crate) fn has_deadline(&self) -> bool {
        self.shared.deadline.load(Ordering::Relaxed) != u64::MAX
    }

    /// Whether anything limits the search, as far as is known now: after a ponder hit there may be something.
    pub(crate) fn has_limit(&self) -> bool {
        self.has_deadline() || self.node_limit() != u64::MAX || self.depth_limit() != u32::MAX
    }

    pub(crate) fn node_limit(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed)
    }

    pub(crate) fn depth_limit(&self) -> u32 {
        self.shared.depth.load(Ordering::Relaxed)
    }
}
