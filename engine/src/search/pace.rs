//! Counting nodes, and noticing when the search has to end.

use super::{Search, team::Team, values::Values};
use crate::eval::Evaluator;

/// How often, in nodes, the clock and the control are looked at.
pub(super) const POLL_INTERVAL: u64 = 512;

impl<E: Evaluator + Clone, V: Values> Search<'_, E, V> {
    /// Counts a node; true when the search of the current node has to be broken off.
    #[inline(always)]
    pub(super) fn visit_node(&mut self) -> bool {
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

    /// Looks at the clock, the control, and what the other threads did.
    #[cold]
    pub(super) fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.node_limit = self.control.node_limit();
        if let Some(team) = self.team {
            let left = self.node_limit.saturating_sub(self.publish(team));
            self.node_limit = self.nodes.saturating_add(left);
            self.report_news();
        }
        // What a ponder hit asks for may be done already.
        let is_done = self.best.is_some()
            && (self.is_forced && self.control.has_deadline()
                || self.root_depth as u32 > self.control.depth_limit());
        if self.control.is_over() || is_done {
            self.halt();
        }
    }

    /// Ends the search.
    #[cold]
    fn halt(&mut self) {
        self.stopped = true;
        if let Some(team) = self.team {
            team.stop();
        }
    }

    /// Tells the team of the nodes searched since the last time; returns those of all threads.
    pub(super) fn publish(&mut self, team: &Team<V>) -> u64 {
        let new = self.nodes - self.published;
        self.published = self.nodes;
        team.publish(new, self.selective_depth)
    }

    /// The nodes of all threads.
    pub(super) fn total_nodes(&mut self) -> u64 {
        match self.team {
            Some(team) => self.publish(team),
            None => self.nodes,
        }
    }
}
