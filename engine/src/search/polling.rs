//! Counting of nodes, and polling of the limits.

use super::{search_value::SearchValue, searcher::Searcher, thread_pool::ThreadPool};
use crate::eval::Evaluator;

/// Nodes between two looks at the clock and the control.
pub(super) const POLL_INTERVAL: u64 = 512;

impl<E: Evaluator + Clone, V: SearchValue> Searcher<'_, E, V> {
    /// Counts a node; returns true when the current node's search has to be broken off.
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll();
        }
        if self.nodes >= self.node_limit {
            self.halt();
        }
        if let Some(split) = &self.split
            && split.is_cut()
        {
            self.stopped = true;
        }
        self.stopped
    }

    /// Checks the clock and the control, and exchanges counts with the other threads.
    #[cold]
    pub(super) fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.node_limit = self.control.node_limit();
        if let Some(pool) = self.pool {
            let left = self.node_limit.saturating_sub(self.publish(pool));
            self.node_limit = self.nodes.saturating_add(left);
            self.report_root_improvement();
        }
        // A ponder hit may bring limits that are reached already.
        let is_done = self.best.is_some()
            && (self.is_forced && self.control.has_deadline()
                || self.root_depth as u32 > self.control.depth_limit());
        if self.control.is_over() || is_done {
            self.halt();
        }
    }

    /// Ends the search on every thread.
    #[cold]
    fn halt(&mut self) {
        self.stopped = true;
        if let Some(pool) = self.pool {
            pool.stop();
        }
    }

    /// Reports the nodes since the last report to the pool; returns the nodes of all threads.
    pub(super) fn publish(&mut self, pool: &ThreadPool<V>) -> u64 {
        let new = self.nodes - self.published;
        self.published = self.nodes;
        pool.publish(new, self.selective_depth)
    }

    /// Returns the nodes of all threads.
    pub(super) fn total_nodes(&mut self) -> u64 {
        match self.pool {
            Some(pool) => self.publish(pool),
            None => self.nodes,
        }
    }
}
