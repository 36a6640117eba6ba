//! The scheduling delay of this machine, measured all the time: the time by which a timer fires late, and that for
//! a word to another thread and back. An answer takes all of them: the timer of its deadline, the way of the `go` from
//! the thread that reads it, and the way of the `bestmove` to the thread that writes it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};

/// Interval of the timers that measure the delay.
const INTERVAL: Duration = Duration::from_millis(20);

/// Number of delays of which the usual one is found: those of the last ten seconds.
const REMEMBERED: usize = 512;

/// Time for which the longest delay is remembered.
const LONGEST_REMEMBERED: Duration = Duration::from_secs(600);

/// Part of a clock that the reserve may take for a delay as long as the longest, which is rare.
const RARE_SHARE: u32 = 16;

/// One delay in this many may exceed the reserve: the quantile of 99 percent.
const EXCEPTIONS: usize = 100;

/// Part of the reserve for the GUI's side of the pipes, which cannot be measured from here.
const HANDLING: Duration = Duration::from_millis(10);

/// Greatest reserve for the usual delay: a longer one would leave a short clock without time to think.
const GREATEST: Duration = Duration::from_millis(60);

/// The last delays. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct SchedulingDelay(Arc<Mutex<Delays>>);

#[derive(Debug, Default)]
struct Delays {
    recent: VecDeque<Duration>,
    /// The longest delay, the longest of those after it, and so on, each with the time at which it was noted.
    longest: VecDeque<(Instant, Duration)>,
}

impl Delays {
    fn note(&mut self, late: Duration) {
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(late);
        let now = Instant::now();
        let longer = self.longest.partition_point(|(_, delay)| *delay > late);
        self.longest.truncate(longer);
        self.longest.push_back((now, late));
        let old = (self.longest).partition_point(|(noted, _)| now - *noted > LONGEST_REMEMBERED);
        self.longest.drain(..old);
    }

    /// Returns the delay that one measurement in a hundred of the last ten seconds exceeds.
    fn usual(&self) -> Duration {
        let mut delays = Vec::from_iter(self.recent.iter().copied());
        let rank = delays.len() / EXCEPTIONS;
        match delays.len().checked_sub(rank + 1) {
            Some(index) => *delays.select_nth_unstable(index).1,
            None => Duration::ZERO,
        }
    }

    fn longest(&self) -> Duration {
        (self.longest.front()).map_or(Duration::ZERO, |(_, delay)| *delay)
    }
}

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
    pub(crate) fn note(&self, late: Duration) {
        self.delays().note(late);
    }

    /// Returns the time to keep between an answer that is due and its deadline, on a clock with so much time for
    /// the move: 10 ms, and the delay that one measurement in a hundred exceeds, up to 60 ms together; or the
    /// longest delay of the last ten minutes, where it takes no more than a sixteenth of the time.
    pub fn reserve(&self, time: Duration) -> Duration {
        let delays = self.delays();
        let usual = (HANDLING + delays.usual()).min(GREATEST);
        let rare = (HANDLING + delays.longest()).min(time / RARE_SHARE);
        usual.max(rare)
    }

    fn delays(&self) -> MutexGuard<'_, Delays> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
                // The session that asked may have ended.
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

async fn measure(delays: Weak<Mutex<Delays>>, echo: Echo) {
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

    /// A clock too short to keep time for what is rare.
    const SHORT: Duration = Duration::from_millis(100);

    fn delay_after(delays_ms: impl IntoIterator<Item = u64>) -> SchedulingDelay {
        let delay = SchedulingDelay::default();
        for ms in delays_ms {
            delay.note(Duration::from_millis(ms));
        }
        delay
    }

    fn reserve_after(delays_ms: impl IntoIterator<Item = u64>) -> u128 {
        delay_after(delays_ms).reserve(SHORT).as_millis()
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
    async fn a_rare_delay_is_kept_for_where_it_takes_little_of_the_time() {
        let delay = delay_after([20, 45].into_iter().chain([1; 2 * REMEMBERED]));
        let reserve = |seconds| delay.reserve(Duration::from_secs(seconds)).as_millis();
        assert_eq!(delay.reserve(SHORT).as_millis(), 11);
        assert_eq!([reserve(0), reserve(1), reserve(600)], [11, 55, 55]);
        let halted = delay_after([5_000].into_iter().chain([0; REMEMBERED]));
        assert_eq!(halted.reserve(Duration::from_secs(8)).as_millis(), 500);
        // Ten minutes later it is forgotten.
        advance(LONGEST_REMEMBERED / 2).await;
        delay.note(Duration::from_millis(12));
        advance(LONGEST_REMEMBERED / 2 + Duration::from_secs(1)).await;
        delay.note(Duration::from_millis(3));
        assert_eq!(reserve(600), 22);
    }

    #[tokio::test(start_paused = true)]
    async fn late_timers_are_noticed() {
        // The thread would not wait for a paused clock.
        let delay = SchedulingDelay::measured_with(Echo(None));
        sleep(INTERVAL * 3).await;
        assert_eq!(delay.reserve(SHORT), HANDLING);
        advance(INTERVAL + Duration::from_millis(30)).await;
        sleep(INTERVAL).await;
        assert!(delay.reserve(SHORT) > HANDLING + Duration::from_millis(10));
    }

    #[tokio::test]
    async fn words_to_another_thread_are_answered_until_the_end() {
        let echo = Echo::start();
        for _ in 0..3 {
            let answered = tokio::time::timeout(Duration::from_secs(10), echo.answer());
            answered.await.expect("an answer");
        }
    }
}
