//! The scheduling delay of this machine, measured all the time: the time by which a timer fires late, and that for
//! a word to another thread and back. An answer takes all of them: the timer of its deadline, the way of the `go` from
//! the thread that reads it, and the way of the `bestmove` to the thread that writes it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};

/// Interval of the timers that measure the delay.
const INTERVAL: Duration = Duration::from_millis(20);

/// Number of delays that are remembered: those of the last ten seconds.
const REMEMBERED: usize = 512;

/// One delay in this many may exceed the reserve: the quantile of 99 percent.
const EXCEPTIONS: usize = 100;

/// Part of the reserve for the GUI's side of the pipes, which cannot be measured from here.
const HANDLING: Duration = Duration::from_millis(10);

/// Greatest reserve: a longer one would leave a short clock without time to think.
const GREATEST: Duration = Duration::from_millis(60);

/// The last delays. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SchedulingDelay(Arc<Mutex<VecDeque<Duration>>>);

impl SchedulingDelay {
    /// Starts to measure; the measuring ends with the last clone.
    pub fn measured() -> Self {
        Self::measured_with(Echo::start())
    }

    fn measured_with(echo: Echo) -> Self {
        let delay = Self::default();
        tokio::spawn(measure(Arc::downgrade(&delay.0), echo));
        delay
    }

    /// Notes one delay.
    fn note(&self, late: Duration) {
        let mut delays = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if delays.len() == REMEMBERED {
            delays.pop_front();
        }
        delays.push_back(late);
    }

    /// Returns the time to keep between an answer that is due and its deadline: 10 ms, and the delay that
    /// one measurement in a hundred exceeds, up to 60 ms together.
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

/// A thread that answers words.
struct Echo(Option<mpsc::UnboundedSender<oneshot::Sender<()>>>);

impl Echo {
    /// Starts the thread, which ends with this. A system that refuses it leaves its share unmeasured.
    fn start() -> Self {
        let (sender, mut words) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        let thread = thread::Builder::new().name("usi-delay".to_owned());
        let started = thread.spawn(move || {
            while let Some(word) = words.blocking_recv() {
                // Who asked may have ended.
                let _ = word.send(());
            }
        });
        Self(started.is_ok().then_some(sender))
    }

    /// Waits for the answer to a word.
    async fn answer(&self) {
        if let Some(words) = &self.0 {
            let (word, answer) = oneshot::channel();
            // The thread lives as long as this.
            let _ = words.send(word);
            let _ = answer.await;
        }
    }
}

async fn measure(delays: Weak<Mutex<VecDeque<Duration>>>, echo: Echo) {
    loop {
        let due = Instant::now() + INTERVAL;
        sleep_until(due).await;
        echo.answer().await;
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
        // The thread would not wait for a paused clock.
        let delay = SchedulingDelay::measured_with(Echo(None));
        sleep(INTERVAL * 3).await;
        assert_eq!(delay.reserve(), HANDLING);
        advance(INTERVAL + Duration::from_millis(30)).await;
        sleep(INTERVAL).await;
        assert!(delay.reserve() > HANDLING + Duration::from_millis(10));
    }

    #[tokio::test]
    async fn words_to_another_thread_are_answered_until_the_end() {
        let echo = Echo::start();
        for _ in 0..3 {
            echo.answer().await;
        }
    }
}
