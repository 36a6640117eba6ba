//! The part of the longest time that has passed.

use std::time::Duration;

/// Number of stages.
pub(super) const STAGES: usize = 8;

/// The part of the longest time that has passed, counted in halvings: 7 in its second half, 6 in the
/// quarter before, 0 before the 128th part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeStage(usize);

impl TimeStage {
    /// Returns its number, less than [`STAGES`].
    pub(super) fn index(self) -> usize {
        self.0
    }

    /// Returns the stage after `elapsed` of `longest`.
    pub fn of(elapsed: Duration, longest: Duration) -> Self {
        let (elapsed, longest) = (elapsed.as_nanos(), longest.as_nanos());
        let halvings = (1..STAGES as u32).take_while(|halvings| elapsed << halvings <= longest);
        Self(STAGES - 1 - halvings.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_halvings_of_the_longest_time() {
        let ms = Duration::from_millis;
        let stage = |elapsed| TimeStage::of(ms(elapsed), ms(1_024)).0;
        assert_eq!([513, 600, 1_024, 5_000].map(stage), [7; 4]);
        assert_eq!([512, 257].map(stage), [6; 2]);
        assert_eq!([256, 9, 8, 0].map(stage), [5, 1, 0, 0]);
    }
}
