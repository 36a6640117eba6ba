//! The scheduling delay of this machine: the time by which timers fire late, measured all the time.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// Interval of the timers that measure the delay.
const INTERVAL: Duration = Duration::from_millis(20);

/// Number of delays that are remembered: those of the last ten seconds.
const REMEMBERED: usize = 512;

/// One delay in this many may exceed the reserve: the quantile of 99 percent.
const EXCEPTIONS: usize = 100;

/// Part of the reserve for the reading of a command and the writing of its answer.
const HANDLING: Duration = Duration::from_millis(10);

/// Greatest reserve: a longer one would leave a short clock without time to think.
const GREATEST: Duration = Duration::from_millis(60);

/// The last delays of timers. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SchedulingDelay(Arc<Mutex<VecDeque<Duration>>>);

impl SchedulingDelay {
    /// Starts to measure; the measuring ends with the last clone.
    pub fn measured() -> Self {
        let delay = Self::default();
        tokio::spawn(measure(Arc::downgrade(&delay.0)));
        delay
    }

    /// Notes that a timer fired late by this much.
    fn note(&self, late: Duration) {
        let mut delays = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if delays.len() == REMEMBERED {
            delays.pop_front();
        }
        delays.push_back(late);
    }

    /// Returns the time to keep between an answer that is due and its deadline: 10 ms, and the delay that
    /// one timer in a hundred exceeds, up to 60 ms together.
    pub fn reserve(&self) -> Duration {
        let delays = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut delays = Vec::from_iter(delays.iter().copied());
        let rank = delays.len() / EXCEPTIONS;
        let usual = match delays.len().checked_sub(rank + 1) {
            Some(index) => *delays.select_nth_unstable(index).1,
            None => Duration::ZERO,
        };
        (HANDLING + usual).min(GREATEST)
    }
}

async fn measure(delays: Weak<Mutex<VecDeque<Duration>>>) {
    loop {
        let due = Instant::now() + INTERVAL;
        sleep_until(due).await;
        let Some(delays) = delays.upgrade() else {
            return;
        };
        SchedulingDelay(delays).note(due.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, sleep};

    fn reserve_after(delays_ms: impl IntoIterator<Item = u64>) -> u128 {
        let delay = SchedulingDelay::default();
        for ms in delays_ms {
            delay.note(Duration::from_millis(ms));
        }
        delay.reserve().as_millis()
    }

    #[test]
    fn the_reserve_covers_all_delays_but_one_in_a_hundred() {
        assert_eq!(reserve_after([]), 10);
        assert_eq!(reserve_after([3]), 13);
        assert_eq!(reserve_after((0..100).map(|number| number / 4)), 34);
        let rare = |often| (0..200).map(move |number| 25 * u64::from(number < often));
        assert_eq!(reserve_after(rare(2)), 10);
        assert_eq!(reserve_after(rare(3)), 35);
    }

    #[test]
    fn a_machine_that_stands_still_does_not_take_all_the_time() {
        assert_eq!(reserve_after([5_000; 50]), 60);
        // Ten seconds later it is forgotten.
        let later = [5_000; 50].into_iter().chain([1; REMEMBERED]);
        assert_eq!(reserve_after(later), 11);
    }

    #[tokio::test(start_paused = true)]
    async fn late_timers_are_noticed() {
        let delay = SchedulingDelay::measured();
        sleep(INTERVAL * 3).await;
        assert_eq!(delay.reserve(), HANDLING);
        advance(INTERVAL + Duration::from_millis(30)).await;
        sleep(INTERVAL).await;
        assert!(delay.reserve() > HANDLING + Duration::from_millis(10));
    }
}
