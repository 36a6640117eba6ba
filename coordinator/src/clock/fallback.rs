//! The policy of the fallback search: it begins in the middle of the time, where no player has said
//! anything by then.

use std::time::Duration;
use tokio::time::Instant;

/// A fallback search that has had less time is no better than a glance at the position.
pub const LEAST_USEFUL: Duration = Duration::from_millis(200);

/// The middle of the time that goes from one moment to another.
pub fn middle(from: Instant, until: Instant) -> Instant {
    until - until.saturating_duration_since(from) / 2
}

/// The moment at which a fallback search begins for want of any vote; `None` where the second half of
/// the time is too short for a useful one.
pub fn start(from: Instant, until: Instant) -> Option<Instant> {
    let middle = middle(from, until);
    (until - middle >= LEAST_USEFUL).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_begins_in_the_middle_of_a_time_that_is_long_enough() {
        let from = Instant::now();
        let after = |ms| from + Duration::from_millis(ms);
        assert_eq!(start(from, after(1_000)), Some(after(500)));
        assert_eq!(start(from, after(400)), Some(after(200)));
        assert_eq!(start(from, after(399)), None);
        assert_eq!(middle(from, after(20)), after(10));
        // A time that is over before it has begun.
        assert_eq!(middle(after(9), from), from);
        assert_eq!(start(after(9), from), None);
    }
}
