//! Stalls: times for which the machine did not run a thread that was ready, which make moves late through no fault of
//! their engine.

use crate::CoreSet;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Time between two heartbeats of a core.
const HEARTBEAT: Duration = Duration::from_millis(5);

/// Shortest stall that is kept. Threads that share a core take turns of some milliseconds.
const SHORTEST: Duration = Duration::from_millis(1);

/// Measures the stalls of some cores, each by a thread of its own that sleeps for short times and sees how late it
/// wakes up. A stall may be measured as too short by the time of one sleep.
#[derive(Debug)]
pub struct Pulse {
    cores: Vec<(Option<usize>, Arc<Mutex<Stalls>>)>,
}

impl Pulse {
    /// Starts to measure these cores, for as long as the pulse lives; without any, wherever the system runs the thread.
    pub fn start(cores: &CoreSet) -> Self {
        let cores: Vec<Option<usize>> = match cores.numbers() {
            [] => vec![None],
            numbers => numbers.iter().copied().map(Some).collect(),
        };
        let beat = |core: Option<usize>| {
            let stalls = Arc::new(Mutex::new(Stalls::new(now())));
            let kept = Arc::downgrade(&stalls);
            thread::spawn(move || {
                CoreSet::new(core.into_iter().collect()).keep_thread();
                while let Some(stalls) = kept.upgrade() {
                    drop(stalls);
                    sleep(HEARTBEAT);
                    if let Some(stalls) = kept.upgrade() {
                        lock(&stalls).wake(now());
                    }
                }
            });
            (core, stalls)
        };
        Self {
            cores: cores.into_iter().map(beat).collect(),
        }
    }

    /// Returns the longest stall of these cores since a moment, one that has not ended included; that of all measured
    /// cores if none of these is measured.
    pub fn longest_stall(&self, since: Instant, cores: &CoreSet) -> Duration {
        let is_meant = |core: &Option<usize>| core.is_some_and(|it| cores.numbers().contains(&it));
        let any = self.cores.iter().any(|(core, _)| is_meant(core));
        let meant = self.cores.iter().filter(|(core, _)| !any || is_meant(core));
        let now = now();
        let longest = meant.map(|(_, stalls)| lock(stalls).longest(since, now));
        longest.max().unwrap_or_default()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "it measures the machine, not a game's clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a runtime's timer would measure the runtime, too"
)]
fn sleep(time: Duration) {
    thread::sleep(time);
}

fn lock(stalls: &Mutex<Stalls>) -> MutexGuard<'_, Stalls> {
    stalls.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stalls of one core.
#[derive(Debug)]
struct Stalls {
    /// Moment at which the thread wants to run again.
    due: Instant,
    /// Begins and ends, in order of time. A stall that a longer one follows is left out: no question is answered by it.
    kept: Vec<(Instant, Instant)>,
}

impl Stalls {
    fn new(now: Instant) -> Self {
        Self {
            due: now + HEARTBEAT,
            kept: Vec::new(),
        }
    }

    /// Notes that the thread runs again.
    fn wake(&mut self, now: Instant) {
        let late = now.saturating_duration_since(self.due);
        if late >= SHORTEST {
            while let Some((begun, ended)) = self.kept.last()
                && *ended - *begun <= late
            {
                self.kept.pop();
            }
            self.kept.push((self.due, now));
        }
        self.due = now + HEARTBEAT;
    }

    /// Returns the longest stall between two moments.
    fn longest(&self, since: Instant, now: Instant) -> Duration {
        let kept = self.kept.iter().copied();
        let parts = kept.chain([(self.due, now)]);
        let within = parts.map(|(begun, ended)| ended.saturating_duration_since(begun.max(since)));
        let longest = within.max().unwrap_or_default();
        match longest >= SHORTEST {
            true => longest,
            false => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stall_since_a_moment_is_told() {
        let start = now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let ms = Duration::from_millis;
        let mut stalls = Stalls::new(start);
        assert_eq!(stalls.longest(start, at(5)), Duration::ZERO);
        stalls.wake(at(5));
        assert_eq!(stalls.longest(start, at(10)), Duration::ZERO, "in time");
        // Due at 10, awake at 70.
        assert_eq!(stalls.longest(start, at(40)), ms(30), "it lasts");
        stalls.wake(at(70));
        // Due at 75, awake at 95; due at 100, awake at 105.
        stalls.wake(at(95));
        stalls.wake(at(105));
        for (since, longest) in [
            (0, 60),
            (30, 40),
            (69, 20),
            (80, 15),
            (96, 5),
            (102, 3),
            (106, 0),
        ] {
            assert_eq!(
                stalls.longest(at(since), at(106)),
                ms(longest),
                "since {since}"
            );
        }
        // Due at 110, awake at 140: shorter ones before it are never asked for again.
        stalls.wake(at(140));
        assert_eq!(stalls.kept.len(), 2);
        for (since, longest) in [(0, 60), (69, 30), (96, 30), (130, 10)] {
            assert_eq!(
                stalls.longest(at(since), at(140)),
                ms(longest),
                "since {since}"
            );
        }
    }

    #[test]
    fn cores_are_measured_apart() {
        let pulse = |lates: [u64; 2]| {
            let start = now();
            let core = |(number, late): (usize, u64)| {
                let mut stalls = Stalls::new(start);
                stalls.wake(start + HEARTBEAT + Duration::from_millis(late));
                // Nothing is due while the test looks.
                stalls.due = start + Duration::from_secs(3_600);
                (Some(number), Arc::new(Mutex::new(stalls)))
            };
            let cores = lates.into_iter().enumerate().map(core).collect();
            (Pulse { cores }, start)
        };
        let (pulse, start) = pulse([30, 40]);
        for (cores, longest) in [
            (vec![0], 30),
            (vec![1], 40),
            (vec![0, 1], 40),
            (vec![], 40),
            (vec![7], 40),
        ] {
            let seen = pulse.longest_stall(start, &CoreSet::new(cores.clone()));
            assert_eq!(seen, Duration::from_millis(longest), "{cores:?}");
        }
    }
}
