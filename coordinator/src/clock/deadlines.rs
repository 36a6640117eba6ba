//! The layers of a deadline.

use std::time::Duration;

/// Set aside, besides the round trip, for a message to be handled at both ends.
const HANDLING: Duration = Duration::from_millis(20);

/// The layers of a deadline, counted from the start of the thinking time.
///
/// Workers are told to end first; at `stop` the coordinator tells them again, for those that lost
/// track of time; at `decide` it decides from the votes that have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Stop of every player.
    pub stop: Duration,
    /// Decision.
    pub decide: Duration,
}

impl Deadlines {
    /// The layers of `budget`, with the round trip of the workers that are stopped.
    pub fn new(budget: Duration, round_trip: Duration) -> Self {
        Self {
            stop: budget - margin(budget, round_trip),
            decide: budget,
        }
    }
}

/// Returns the thinking time of a worker with this round trip, of `budget`.
pub fn worker_time(budget: Duration, round_trip: Duration) -> Duration {
    budget - 2 * margin(budget, round_trip)
}

/// Returns the time for one message to be handled and answered: tens of milliseconds, and at most an
/// eighth of the budget, so that the shortest games still think.
fn margin(budget: Duration, round_trip: Duration) -> Duration {
    HANDLING.saturating_add(round_trip).min(budget / 8)
}
