//! The clock as the last line of defence: when an answer must be out, whatever the coordinator
//! does. The coordinator plans its thinking time well inside this.

use monju_coordinator::clock::{budget, of_side};
use monju_engine::Color;
use monju_proto::v1::Limits;
use std::time::Duration;

/// The least time kept for the answer's way to the referee.
const LEAST_MARGIN: Duration = Duration::from_millis(10);
/// How much later than the coordinator's latest decision nobody waits for it any more, where the clock
/// would allow that.
const PATIENCE: Duration = Duration::from_secs(1);
/// The earliest deadline: with less on the clock nothing can be saved, and a move is still due.
const EARLIEST: Duration = Duration::from_millis(30);
/// How long after its end a `movetime` search may still answer: there is no flag to fall.
const MOVE_TIME_GRACE: Duration = Duration::from_millis(200);
/// The longest deadline: longer ones would overflow the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// What is not the answerer's to spend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept {
    /// What the coordinator keeps of every clock, as its configuration says: mostly so that there is
    /// time for this deadline behind its own.
    pub overhead: Duration,
    /// What every move loses on its way to the referee, as far as that was learned or told.
    pub lag: Duration,
    /// How long the clock had run before the coordinator was asked.
    pub waited: Duration,
}

impl Kept {
    /// What the coordinator shall keep: its decision comes half of its overhead before the deadline, or
    /// earlier.
    pub fn of_coordinator(&self) -> Duration {
        let with_lag = self.lag.saturating_add(self.overhead / 2);
        with_lag.max(self.overhead)
    }
}

/// How long after `go` the answer must be out at the latest; `None` when no clock runs.
///
/// The increment counts only when there is next to nothing else: some referees add it before the
/// move and some after it, and time left unused is not lost. What moves lose is kept, and at least half of
/// the coordinator's overhead; but no more than three eighths and a quarter of the time: the coordinator keeps
/// up to half. With much time on the clock a coordinator that has not decided a second after the
/// longest time that it gives to a move is not waited for.
pub fn hard_deadline(limits: &Limits, side: Color, kept: Kept) -> Option<Duration> {
    let by_clock = limits.clock.map(|clock| {
        let (main, increment) = of_side(&clock, side);
        let mut available = Duration::from_millis(main.saturating_add(clock.byoyomi_ms));
        if available < 2 * LEAST_MARGIN {
            available = available.max(Duration::from_millis(increment));
        }
        let padding = (kept.overhead / 2).min(available / 4);
        let lag = kept.lag.min(available * 3 / 8);
        let margin = padding.max(lag).max(LEAST_MARGIN);
        let left = after(limits, side, kept.waited);
        let decided = budget(&left, side, kept.of_coordinator())
            .map_or(LONGEST, |budget| kept.waited.saturating_add(budget.most));
        let patience = decided.saturating_add(PATIENCE);
        available.saturating_sub(margin).min(patience).max(EARLIEST)
    });
    let by_move_time = limits
        .time_ms
        .map(|time_ms| Duration::from_millis(time_ms).saturating_add(MOVE_TIME_GRACE));
    let deadline = match (by_clock, by_move_time) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    deadline.map(|deadline| deadline.min(LONGEST))
}

/// The limits that are left when `elapsed` has passed since they were given: the time of the side
/// to move is used up first, then its byoyomi, then its increment, which is all there is where there is neither.
pub fn after(limits: &Limits, side: Color, elapsed: Duration) -> Limits {
    let mut left = *limits;
    let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    if let Some(clock) = left.clock.as_mut() {
        let (main, increment) = match side {
            Color::Black => (&mut clock.black_ms, &mut clock.black_increment_ms),
            Color::White => (&mut clock.white_ms, &mut clock.white_increment_ms),
        };
        let mut elapsed_ms = elapsed_ms;
        for left in [main, &mut clock.byoyomi_ms, increment] {
            let used = elapsed_ms.min(*left);
            *left -= used;
            elapsed_ms -= used;
        }
    }
    left.time_ms = left
        .time_ms
        .map(|time_ms| time_ms.saturating_sub(elapsed_ms).max(1));
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Clock;

    fn clock(black_ms: u64, white_ms: u64, increment_ms: u64, byoyomi_ms: u64) -> Limits {
        Limits {
            clock: Some(Clock {
                black_ms,
                white_ms,
                black_increment_ms: increment_ms,
                white_increment_ms: increment_ms,
                byoyomi_ms,
            }),
            ..Limits::default()
        }
    }

    const KEPT: Kept = Kept {
        overhead: Duration::from_millis(100),
        lag: Duration::ZERO,
        waited: Duration::ZERO,
    };

    fn deadline_ms(limits: &Limits) -> u128 {
        hard_deadline(limits, Color::Black, KEPT)
            .expect("a deadline")
            .as_millis()
    }

    #[test]
    fn main_time_and_byoyomi_add_up() {
        assert_eq!(deadline_ms(&clock(500, 1, 0, 10_000)), 10_450);
        assert_eq!(deadline_ms(&clock(0, 90_000, 0, 1_000)), 950);
        assert_eq!(
            hard_deadline(&clock(0, 400, 0, 1_000), Color::White, KEPT)
                .expect("a deadline")
                .as_millis(),
            1_350
        );
    }

    #[test]
    fn a_coordinator_that_is_overdue_is_not_waited_for_until_the_flag_falls() {
        let limits = clock(600_000, 0, 0, 0);
        let longest = monju_coordinator::clock::budget(&limits, Color::Black, KEPT.overhead);
        let longest = longest.expect("a clock").most;
        let deadline = hard_deadline(&limits, Color::Black, KEPT).expect("a deadline");
        assert_eq!(deadline, longest + PATIENCE);
        // Asked late, it takes its share of what is left then.
        let late = Kept {
            waited: Duration::from_secs(20),
            ..KEPT
        };
        let deadline = hard_deadline(&limits, Color::Black, late).expect("a deadline");
        assert!(deadline > longest + Duration::from_secs(19), "{deadline:?}");
        assert!(deadline < longest + Duration::from_secs(21), "{deadline:?}");
    }

    #[test]
    fn what_moves_lose_is_kept_by_both_one_before_the_other() {
        for (lag, byoyomi, expected) in [
            (200, 1_000, 800),
            (1_000, 10_000, 9_000),
            (30, 1_000, 950),
            // With hardly any time, something is left to think.
            (2_000, 1_000, 625),
        ] {
            let kept = Kept {
                lag: Duration::from_millis(lag),
                ..KEPT
            };
            let limits = clock(0, 0, 0, byoyomi);
            let hard = hard_deadline(&limits, Color::Black, kept).expect("a deadline");
            assert_eq!(hard, Duration::from_millis(expected));
            let decided =
                monju_coordinator::clock::budget(&limits, Color::Black, kept.of_coordinator());
            let decided = decided.expect("a clock").most;
            assert!(
                decided + Duration::from_millis(50) <= hard,
                "{decided:?} {hard:?}"
            );
        }
    }

    #[test]
    fn the_increment_counts_only_when_nothing_else_is_left() {
        assert_eq!(deadline_ms(&clock(0, 0, 5_000, 0)), 4_950);
        assert_eq!(deadline_ms(&clock(3_000, 0, 9_000, 0)), 2_950);
        assert_eq!(deadline_ms(&clock(1_000, 0, 5_000, 0)), 950);
    }

    #[test]
    fn a_clock_that_has_run_out_asks_for_an_answer_at_once() {
        assert_eq!(deadline_ms(&clock(0, 0, 0, 0)), 30);
        assert_eq!(deadline_ms(&clock(15, 0, 0, 0)), 30);
    }

    #[test]
    fn a_margin_is_always_kept() {
        for time in [50, 100, 500, 1_000, 10_000, 600_000] {
            let deadline = deadline_ms(&clock(0, 0, 0, time));
            assert!(
                deadline + 10 <= u128::from(time),
                "{time} ms leave {deadline}"
            );
            assert!(
                deadline * 2 >= u128::from(time),
                "{time} ms leave {deadline}"
            );
        }
    }

    #[test]
    fn the_margin_is_half_of_what_the_coordinator_keeps() {
        for (overhead_ms, byoyomi, expected) in [
            (2_000, 10_000, 9_000),
            (2_000, 400, 300),
            (20, 10_000, 9_990),
            (100, 300, 250),
        ] {
            let overhead = Duration::from_millis(overhead_ms);
            let limits = clock(0, 0, 0, byoyomi);
            let kept = Kept { overhead, ..KEPT };
            let hard = hard_deadline(&limits, Color::Black, kept).expect("a deadline");
            assert_eq!(hard, Duration::from_millis(expected));
            let decided = monju_coordinator::clock::budget(&limits, Color::Black, overhead);
            assert!(decided.expect("a clock").most <= hard);
        }
    }

    #[test]
    fn nodes_and_depth_set_no_deadline() {
        let limits = Limits {
            nodes: Some(1),
            depth: Some(1),
            ..Limits::default()
        };
        assert_eq!(hard_deadline(&limits, Color::Black, KEPT), None);
    }

    #[test]
    fn movetime_gets_a_little_grace_but_never_beyond_the_clock() {
        let mut limits = Limits {
            time_ms: Some(1_000),
            ..Limits::default()
        };
        assert_eq!(deadline_ms(&limits), 1_200);
        limits.clock = clock(500, 0, 0, 0).clock;
        assert_eq!(deadline_ms(&limits), 450);
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let limits = clock(u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let kept = Kept {
            overhead: Duration::MAX,
            lag: Duration::MAX,
            waited: Duration::MAX,
        };
        for kept in [KEPT, kept] {
            let deadline = hard_deadline(&limits, Color::Black, kept);
            assert!(deadline.is_some_and(|deadline| deadline <= LONGEST));
        }
    }

    #[test]
    fn time_lost_before_the_consultation_is_taken_off_the_clock() {
        let left = after(
            &clock(1_000, 7_000, 0, 3_000),
            Color::Black,
            Duration::from_millis(1_500),
        );
        let left_clock = left.clock.expect("a clock");
        assert_eq!(left_clock.black_ms, 0);
        assert_eq!(left_clock.white_ms, 7_000);
        assert_eq!(left_clock.byoyomi_ms, 2_500);
        // Where there is nothing else, the increment is all there is.
        let fischer = clock(20, 0, 5_000, 0);
        let left = after(&fischer, Color::Black, Duration::from_millis(2_475));
        let left = left.clock.expect("a clock");
        assert_eq!((left.black_ms, left.black_increment_ms), (0, 2_545));
        assert_eq!(left.white_increment_ms, 5_000);
        let limits = Limits {
            time_ms: Some(100),
            ..Limits::default()
        };
        let left = after(&limits, Color::White, Duration::from_secs(1));
        assert_eq!(left.time_ms, Some(1));
    }
}
