//! The pace of calls that only look: over one connection a few at once, then some a second, so that whoever looks as
//! often as it can does not take the time of the players.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// Time between two calls of a caller that makes them without a pause.
const INTERVAL: Duration = Duration::from_millis(62);

/// Number of calls that a caller after a pause makes at once.
const BURST: u32 = 16;

/// The pace of one connection. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// The moment from which a caller that never paused would make its next call.
    next: Arc<Mutex<Option<Instant>>>,
}

impl Pace {
    /// Waits until it is the turn of a call. Calls have their turns in the order in which this is called, whether it is
    /// waited for or not.
    pub fn turn(&self) -> impl Future<Output = ()> + Send + use<> {
        let at = self.take(Instant::now());
        async move {
            if let Some(at) = at {
                sleep_until(at).await;
            }
        }
    }

    /// Takes the next turn; `None` is now.
    fn take(&self, now: Instant) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(INTERVAL * (BURST - 1)).unwrap_or(now);
        let turn = next.unwrap_or(earliest).max(earliest);
        *next = Some(turn + INTERVAL);
        (turn > now).then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn many_calls_wait_and_few_do_not() {
        let pace = Pace::default();
        let other = Pace::default();
        // A clock of the system may be too young for a longer past.
        advance(INTERVAL * BURST).await;
        let begun = Instant::now();
        for call in 0..100 {
            pace.clone().turn().await;
            let waited = INTERVAL * (call - (BURST - 1).min(call));
            let passed = begun.elapsed();
            assert!(
                passed >= waited && passed < waited + INTERVAL,
                "{call}: {passed:?}"
            );
        }
        let busy = Instant::now();
        other.turn().await;
        assert_eq!(busy.elapsed(), Duration::ZERO, "another connection");
        // After a pause, some come at once again.
        advance(INTERVAL * BURST).await;
        let paused = Instant::now();
        for _ in 0..BURST {
            pace.turn().await;
        }
        assert_eq!(paused.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_has_had_its_turn() {
        let pace = Pace::default();
        advance(INTERVAL * BURST).await;
        let begun = Instant::now();
        for _ in 0..BURST + 4 {
            drop(pace.turn());
        }
        pace.turn().await;
        assert!(begun.elapsed() >= INTERVAL * 5, "{:?}", begun.elapsed());
    }
}
