//! The pace at which strangers come and ask: a few at once, then some a second, so that whoever does it as often as it
//! can does not take the time of the players.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// How often something may happen.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Time between two turns of whoever makes no pause.
    pub interval: Duration,
    /// Number of turns that come at once after a pause.
    pub burst: u32,
}

/// Turns that follow each other at a rate.
#[derive(Debug, Default)]
pub struct Turns {
    /// The moment at which all turns so far would be over, one after the other.
    over: Option<Instant>,
}

impl Turns {
    /// Returns the time until the next turn.
    pub fn wait(&self, rate: Rate, now: Instant) -> Duration {
        let burst = rate.interval * rate.burst.saturating_sub(1);
        self.ahead(now).saturating_sub(burst)
    }

    /// Takes the next turn; returns the time until then.
    pub fn take(&mut self, rate: Rate, now: Instant) -> Duration {
        self.take_many(1, rate, now)
    }

    /// Takes so many turns, the first of which is the next one; returns the time until that.
    pub fn take_many(&mut self, turns: u32, rate: Rate, now: Instant) -> Duration {
        let wait = self.wait(rate, now);
        self.over = Some(now + self.ahead(now) + rate.interval * turns);
        wait
    }

    /// Tells whether the turns so far are over, as if none had been taken.
    pub fn are_over(&self, now: Instant) -> bool {
        self.ahead(now).is_zero()
    }

    fn ahead(&self, now: Instant) -> Duration {
        (self.over).map_or(Duration::ZERO, |over| over.saturating_duration_since(now))
    }
}

/// The pace of the calls of one connection. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<Mutex<Turns>>);

impl Pace {
    /// Waits until it is the turn of a call. Calls have their turns in the order in which this is called, whether it is
    /// waited for or not.
    pub fn turn(&self, rate: Rate) -> impl Future<Output = ()> + Send + use<> {
        let now = Instant::now();
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = turns.take(rate, now);
        async move {
            if !wait.is_zero() {
                sleep_until(now + wait).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const RATE: Rate = Rate {
        interval: Duration::from_millis(62),
        burst: 16,
    };

    #[tokio::test(start_paused = true)]
    async fn many_calls_wait_and_few_do_not() {
        let Rate { interval, burst } = RATE;
        let pace = Pace::default();
        let other = Pace::default();
        let begun = Instant::now();
        for call in 0..100 {
            pace.clone().turn(RATE).await;
            let waited = interval * (call - (burst - 1).min(call));
            let passed = begun.elapsed();
            assert!(
                passed >= waited && passed < waited + interval,
                "{call}: {passed:?}"
            );
        }
        let busy = Instant::now();
        other.turn(RATE).await;
        assert_eq!(busy.elapsed(), Duration::ZERO, "another connection");
        // After a pause, some come at once again.
        advance(interval * burst).await;
        let paused = Instant::now();
        for _ in 0..burst {
            pace.turn(RATE).await;
        }
        assert_eq!(paused.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_has_had_its_turn() {
        let Rate { interval, burst } = RATE;
        let pace = Pace::default();
        let begun = Instant::now();
        for _ in 0..burst + 4 {
            drop(pace.turn(RATE));
        }
        pace.turn(RATE).await;
        assert!(begun.elapsed() >= interval * 5, "{:?}", begun.elapsed());
    }
}
