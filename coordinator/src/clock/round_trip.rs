//! Estimate of round-trip times.

use std::time::Duration;

/// Number of mean deviations that are set aside on top of the mean.
const DEVIATIONS: u32 = 4;

/// Running estimate of round trips and their deviation (the estimator of TCP, RFC 6298).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTrip {
    measured: Option<Estimate>,
    last: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Estimate {
    mean: Duration,
    deviation: Duration,
}

impl RoundTrip {
    /// Adds a measured round trip.
    pub fn note(&mut self, sample: Duration) {
        self.last = sample;
        self.measured = Some(match self.measured {
            None => Estimate {
                mean: sample,
                deviation: sample / 2,
            },
            Some(Estimate { mean, deviation }) => Estimate {
                mean: (mean * 7 + sample) / 8,
                deviation: (deviation * 3 + mean.abs_diff(sample)) / 4,
            },
        });
    }

    /// Returns the time to set aside for one round trip; zero before the first measurement.
    pub fn allowance(&self) -> Duration {
        self.measured
            .map_or(Duration::ZERO, |Estimate { mean, deviation }| {
                mean + deviation * DEVIATIONS
            })
    }

    /// Returns the last measured round trip, zero before the first one.
    pub fn last(&self) -> Duration {
        self.last
    }

    /// Returns the mean, zero before the first measurement.
    pub fn mean(&self) -> Duration {
        self.measured
            .map_or(Duration::ZERO, |measured| measured.mean)
    }

    /// Returns the mean deviation from the mean, zero before the first measurement.
    pub fn jitter(&self) -> Duration {
        (self.measured).map_or(Duration::ZERO, |measured| measured.deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn after(samples: &[u64]) -> Duration {
        let mut round_trip = RoundTrip::default();
        for &sample in samples {
            round_trip.note(Duration::from_millis(sample));
        }
        round_trip.allowance()
    }

    #[test]
    fn steady_round_trips_need_no_margin() {
        assert_eq!(after(&[]), Duration::ZERO);
        let steady = after(&[20; 60]);
        assert!(steady < Duration::from_millis(21), "{steady:?}");
        assert!(steady >= Duration::from_millis(20), "{steady:?}");
    }

    #[test]
    fn jitter_adds_a_margin() {
        let jittery = after(&[10, 30].repeat(30));
        assert!(jittery > Duration::from_millis(50), "{jittery:?}");
        let one_late = after(&[&[2; 40][..], &[200]].concat());
        let forgotten = after(&[&[2; 40][..], &[200], &[2; 40]].concat());
        assert!(one_late > Duration::from_millis(100), "{one_late:?}");
        assert!(forgotten < Duration::from_millis(10), "{forgotten:?}");
    }

    proptest! {
        #[test]
        fn the_allowance_lies_between_the_shortest_and_a_few_times_the_longest(
            samples in prop::collection::vec(0..10_000_u64, 1..50),
        ) {
            let allowance = after(&samples).as_millis() as u64;
            let (least, most) = (samples.iter().min().unwrap(), samples.iter().max().unwrap());
            prop_assert!(allowance + 1 >= *least);
            prop_assert!(allowance <= most * 5);
        }
    }
}
