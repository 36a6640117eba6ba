//! From the game's clock to deadlines: the time for a move, the stop of the workers, the decision.

mod budget;
mod deadlines;
pub mod fallback;
mod lag;
mod nodes_time;
mod round_trip;
#[cfg(test)]
mod tests;
mod time_policy;

pub use budget::{Budget, ClockRules, MINIMUM, Overhead, Turn, budget, of_side, time_for_one_move};
pub use deadlines::{Deadlines, worker_time};
pub use lag::{Lag, NetworkDelays};
pub use nodes_time::NodesTime;
pub use round_trip::RoundTrip;
pub use time_policy::{Evidence, TimePolicy};

use tokio::time::{Instant, sleep_until};

/// Waits until a moment; without one, never resolves.
pub async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
