//! Time for which the machine was asleep, as a notebook whose lid is closed: the clocks of this program stand still
//! meanwhile, and that of the server runs on.

use std::time::Duration;
use tokio::time::sleep;

/// Interval at which a meter that waits is read.
const INTERVAL: Duration = Duration::from_secs(1);

/// Shortest time that counts; less is the time between the readings of two clocks.
const SHORTEST: Duration = Duration::from_millis(100);

/// Meter of the time asleep.
#[derive(Clone, Copy, Debug)]
pub struct SleepMeter {
    /// Returns the time asleep since the machine was started.
    source: fn() -> Duration,
    /// The part of it that has been taken.
    taken: Duration,
}

impl SleepMeter {
    /// A meter of this machine.
    pub fn new() -> Self {
        Self::of(asleep_since_boot)
    }

    /// A meter that reads this source.
    pub fn of(source: fn() -> Duration) -> Self {
        Self {
            source,
            taken: source(),
        }
    }

    /// Sets the meter to zero.
    pub fn reset(&mut self) {
        self.taken = (self.source)();
    }

    /// Returns the time asleep since the meter was at zero, and sets it to zero.
    pub fn take(&mut self) -> Duration {
        let asleep = self.read();
        self.taken += asleep;
        asleep
    }

    /// Waits until the meter shows something. Safe to drop and call again.
    pub async fn noticed(self) {
        while self.read().is_zero() {
            sleep(INTERVAL).await;
        }
    }

    fn read(&self) -> Duration {
        let asleep = (self.source)().saturating_sub(self.taken);
        match asleep < SHORTEST {
            true => Duration::ZERO,
            false => asleep,
        }
    }
}

/// Returns the time that the one clock of the system counts and the other one does not.
#[cfg(target_os = "linux")]
fn asleep_since_boot() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let read = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    let awake = read(ClockId::Monotonic);
    read(ClockId::Boottime).saturating_sub(awake)
}

/// Returns zero: this system is not asked.
#[cfg(not(target_os = "linux"))]
fn asleep_since_boot() -> Duration {
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tokio::time::{Instant, timeout};

    static ASLEEP_MS: AtomicU64 = AtomicU64::new(0);

    fn source() -> Duration {
        Duration::from_millis(ASLEEP_MS.load(Ordering::Relaxed))
    }

    #[tokio::test(start_paused = true)]
    async fn a_sleep_is_noticed_within_a_second_and_taken_once() {
        let mut meter = SleepMeter::of(source);
        ASLEEP_MS.store(SHORTEST.as_millis() as u64 - 1, Ordering::Relaxed);
        let minute = Duration::from_secs(60);
        assert!(timeout(minute, meter.noticed()).await.is_err());
        assert_eq!(meter.take(), Duration::ZERO);
        let falls_asleep = async {
            sleep(minute).await;
            ASLEEP_MS.store(90_000, Ordering::Relaxed);
        };
        let begun = Instant::now();
        tokio::join!(meter.noticed(), falls_asleep);
        assert!(
            begun.elapsed() <= minute + INTERVAL,
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(meter.take(), Duration::from_secs(90));
        assert_eq!(meter.take(), Duration::ZERO);
        ASLEEP_MS.store(100_000, Ordering::Relaxed);
        meter.reset();
        assert_eq!(meter.take(), Duration::ZERO);
    }
}
