//! Attempts to make a lost connection again.

use super::connection::ConnectionError;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time for which a lost connection is made again.
const LONGEST_OUTAGE: Duration = Duration::from_secs(600);

/// Shortest wait between two attempts.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

/// Longest wait between two attempts.
pub const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Patience with a connection that is lost.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    begun: Instant,
}

impl Patience {
    /// Begins with the loss.
    pub fn new() -> Self {
        Self {
            begun: Instant::now(),
        }
    }

    /// Returns the time that is left.
    pub fn left(&self) -> Duration {
        LONGEST_OUTAGE.saturating_sub(self.begun.elapsed())
    }

    /// Waits before the next attempt. The wait grows with the outage: a short game goes on soon after the server is
    /// back, and a server that is away for long is not asked often.
    ///
    /// # Errors
    /// The patience is over; the reason of the last attempt is returned.
    pub async fn wait_after(&self, error: ConnectionError) -> Result<(), ConnectionError> {
        let left = self.left();
        if left.is_zero() {
            return Err(error);
        }
        tell!("{error}; trying again");
        let wait = SHORTEST_WAIT + self.begun.elapsed() / 10;
        sleep(wait.min(LONGEST_WAIT).min(left)).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn attempts_are_frequent_at_first_and_end_after_ten_minutes() {
        let patience = Patience::new();
        let begun = Instant::now();
        let mut attempts = Vec::new();
        let refused = || ConnectionError::Refused("Monju".to_owned());
        while patience.wait_after(refused()).await.is_ok() {
            attempts.push(begun.elapsed());
        }
        let within = |seconds| attempts.iter().filter(|at| at.as_secs() < seconds).count();
        assert_eq!(attempts[0], Duration::from_secs(1));
        assert!(within(30) >= 10, "{attempts:?}");
        assert!(attempts.len() <= 60, "{attempts:?}");
        assert_eq!(attempts.last(), Some(&LONGEST_OUTAGE));
        assert!(patience.left().is_zero());
    }
}
