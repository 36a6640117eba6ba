//! The speed at which the pairs of an experiment are finished.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Time over which it is measured.
const WINDOW: Duration = Duration::from_secs(20 * 60);

/// Fewest pairs over which it is measured, where they take longer.
const LEAST_PAIRS: u64 = 10;

/// Time after which it falls again while no pair is finished.
const STEP: Duration = Duration::from_secs(30);

/// The speed of the last while.
#[derive(Debug, Default)]
pub(super) struct PairSpeed {
    /// Moments with the pairs that were finished by then.
    counts: VecDeque<(Instant, u64)>,
}

impl PairSpeed {
    /// Notes how many pairs are finished by now.
    pub fn note(&mut self, now: Instant, finished: u64) {
        let mut last = self.counts.iter().rev();
        match (last.next().copied(), last.next().copied()) {
            (Some((moment, known)), _) if known == finished && now - moment < STEP => return,
            // From pair to pair; the time without one matters as long as it lasts.
            (Some((_, known)), Some((_, before))) if known == before => {
                self.counts.pop_back();
            }
            _ => {}
        }
        self.counts.push_back((now, finished));
        while let Some((second, known)) = self.counts.get(1)
            && now - *second >= WINDOW
            && finished.saturating_sub(*known) >= LEAST_PAIRS
        {
            self.counts.pop_front();
        }
    }

    /// Pairs an hour; 0 before the first one.
    pub fn pairs_per_hour(&self) -> f64 {
        let ends = self.counts.front().zip(self.counts.back());
        let Some(((first, before), (last, finished))) = ends else {
            return 0.0;
        };
        let hours = (*last - *first).as_secs_f64() / 3_600.0;
        match hours > 0.0 {
            true => finished.saturating_sub(*before) as f64 / hours,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_last_while() {
        let begun = Instant::now();
        let minute = |minutes: u64| begun + Duration::from_secs(60 * minutes);
        let mut speed = PairSpeed::default();
        assert_eq!(speed.pairs_per_hour(), 0.0);
        // Three pairs a minute, then one in four minutes.
        for minutes in 0..=60 {
            speed.note(minute(minutes), 3 * minutes);
        }
        assert_eq!(speed.pairs_per_hour(), 180.0);
        for minutes in 61..=120 {
            speed.note(minute(minutes), 180 + (minutes - 60) / 4);
        }
        // The last ten pairs have taken longer than the window.
        assert_eq!(speed.pairs_per_hour(), 15.0);
        // Where nothing is finished any more, it falls.
        for minutes in 121..=240 {
            speed.note(minute(minutes), 195);
        }
        assert!((3.7..3.8).contains(&speed.pairs_per_hour()), "{speed:?}");
        assert!(speed.counts.len() < 70, "{speed:?}");
    }
}
