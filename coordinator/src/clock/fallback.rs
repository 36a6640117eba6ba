//! The time of the fallback search, which begins in the middle of the time if no player has sent a line
//! by then.

use std::time::Duration;
use tokio::time::Instant;

/// Least time of a useful fallback search.
pub const LEAST_USEFUL: Duration = Duration::from_millis(200);

/// Returns the middle between two moments.
pub fn middle(from: Instant, until: Instant) -> Instant {
    until - until.saturating_duration_since(from) / 2
}

/// Returns the moment at which a fallback search begins without any vote; `None` if the second half of
/// the time is too short for a useful search.
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
        // A time that is over before it begins.
        assert_eq!(middle(after(9), from), from);
        assert_eq!(start(after(9), from), None);
    }
}
