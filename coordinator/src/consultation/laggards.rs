//! Workers that are farther away than most: they are stopped earlier than the others, whose time they do not take,
//! and not asked at all where no answer could come in time.

use crate::roster::PlayerSlot;
use std::{collections::BTreeMap, time::Duration};

/// Round trips of the workers of a consultation, each of which counts once, however many players it hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RoundTrips {
    /// The longest among the nearest two thirds of the workers, a number that is rounded: of two it is the nearer one.
    /// The stop leaves it to everybody.
    pub usual: Duration,
    /// The longest: laggards are stopped so much earlier.
    pub longest: Duration,
}

impl RoundTrips {
    /// The round trips of the workers whose players can be asked.
    pub fn of(slots: &[PlayerSlot]) -> Self {
        let asked = slots.iter().filter(|slot| slot.access.is_ok());
        let workers: BTreeMap<usize, Duration> =
            (asked.map(|slot| (slot.worker, slot.round_trip))).collect();
        Self::among(workers.into_values().collect())
    }

    fn among(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let most = (times.len() * 2 + 1) / 3;
        Self {
            usual: times
                .get(most.saturating_sub(1))
                .copied()
                .unwrap_or_default(),
            longest: times.last().copied().unwrap_or_default(),
        }
    }

    /// Returns true for the round trip of a laggard.
    pub fn is_late(&self, round_trip: Duration) -> bool {
        round_trip > self.usual
    }

    /// Returns true for a round trip in which no answer can come in `time`, unless that of most is no shorter.
    /// It is the last one that was measured, since to be asked costs nobody, and a storm may just have ended.
    pub fn is_too_late(&self, round_trip: Duration, time: Duration) -> bool {
        let is_over = |round_trip: Duration| round_trip / 2 > time;
        is_over(round_trip) && !is_over(self.usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(times: &[u64]) -> (u64, u64) {
        let times = times.iter().copied().map(Duration::from_millis);
        let RoundTrips { usual, longest } = RoundTrips::among(times.collect());
        (usual.as_millis() as u64, longest.as_millis() as u64)
    }

    #[test]
    fn one_slow_worker_among_three_is_no_measure() {
        assert_eq!(among(&[]), (0, 0));
        assert_eq!(among(&[7]), (7, 7));
        assert_eq!(among(&[1_000, 1]), (1, 1_000));
        assert_eq!(among(&[1, 1_000, 2]), (2, 1_000));
        assert_eq!(among(&[1, 2, 1_000, 1_000]), (1_000, 1_000));
        assert_eq!(among(&[5, 4, 3, 2, 1, 1_000]), (4, 1_000));
    }

    #[test]
    fn only_those_that_cannot_answer_are_left_out_and_never_most() {
        let [short, long] = [10, 1_000].map(Duration::from_millis);
        let time = Duration::from_millis(300);
        let far = RoundTrips {
            usual: short,
            longest: long,
        };
        assert!(far.is_late(long) && far.is_too_late(long, time));
        assert!(!far.is_too_late(long, time * 2) && !far.is_late(short));
        let all_far = RoundTrips {
            usual: long,
            longest: long,
        };
        assert!(!all_far.is_too_late(long, time));
    }
}
