//! Clocks that count nodes in place of time, so that a game on a clock depends on no machine's speed.

use std::{num::NonZeroU32, time::Duration};

/// The number of nodes that count as a millisecond of a clock.
///
/// ```
/// use monju_coordinator::clock::NodesTime;
/// use std::time::Duration;
/// let nodes_time = NodesTime::new(300).expect("more than none");
/// assert_eq!(nodes_time.nodes(Duration::from_millis(20)), 6_000);
/// assert_eq!(nodes_time.time(6_000), Duration::from_millis(20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesTime(NonZeroU32);

impl NodesTime {
    /// Name of the option by which engines are told.
    pub const OPTION: &str = "NodesTime";

    /// Most nodes of a millisecond.
    pub const MOST: u32 = 1_000_000;

    /// Returns the clock of so many nodes a millisecond; `None` for 0, which is a clock of time.
    pub fn new(nodes_per_ms: u32) -> Option<Self> {
        NonZeroU32::new(nodes_per_ms.min(Self::MOST)).map(Self)
    }

    /// The nodes of a millisecond.
    pub fn nodes_per_ms(self) -> u32 {
        self.0.get()
    }

    /// Returns the nodes that fit into a time.
    pub fn nodes(self, time: Duration) -> u64 {
        let nodes = time.as_nanos() * u128::from(self.0.get()) / 1_000_000;
        u64::try_from(nodes).unwrap_or(u64::MAX)
    }

    /// Returns the time of so many nodes, rounded down to nanoseconds.
    pub fn time(self, nodes: u64) -> Duration {
        let nanos = u128::from(nodes) * 1_000_000 / u128::from(self.0.get());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_nodes_are_no_clock() {
        assert_eq!(NodesTime::new(0), None);
        let most = NodesTime::new(u32::MAX).map(NodesTime::nodes_per_ms);
        assert_eq!(most, Some(NodesTime::MOST));
    }

    proptest! {
        #[test]
        fn the_nodes_of_a_time_never_take_longer(nodes_per_ms in 1..2_000_000_u32, ms: u64) {
            let nodes_time = NodesTime::new(nodes_per_ms).expect("not none");
            let time = Duration::from_millis(ms);
            prop_assert!(nodes_time.time(nodes_time.nodes(time)) <= time);
        }
    }
}
