//! The latest moment of an answer, whatever the coordinator does. The coordinator plans its own
//! thinking time well inside it.

use monju_coordinator::clock::{ClockRules, Turn, budget, of_side};
use monju_engine::Color;
use monju_proto::v1::Limits;
use std::time::Duration;

/// The least time kept for the answer's way to the referee.
const LEAST_MARGIN: Duration = Duration::from_millis(10);
/// Time that the coordinator gets beyond its latest decision, if the clock allows that much.
const PATIENCE: Duration = Duration::from_secs(1);
/// Divisor of the main time that this patience may take: a coordinator that is frozen for many moves must not use
/// up a clock that nothing is added to.
const PATIENCE_SHARE: u32 = 16;
/// Divisor of the patience with a coordinator that was silent the last time.
const SILENT_SHARE: u32 = 4;
/// Main time without byoyomi and increment below which no team is asked: its way over the network costs too large a
/// part of it.
const SCRAMBLE: Duration = Duration::from_millis(500);
/// The earliest deadline: with less on the clock nothing can be saved, and a move is still due.
const EARLIEST: Duration = Duration::from_millis(30);
/// Time that a `movetime` search may take beyond its end: no flag falls.
const MOVE_TIME_GRACE: Duration = Duration::from_millis(200);
/// The longest deadline: a longer one would overflow the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Time of the fallback player for a move that nothing else has brought forth.
const LAST_RESORT: Duration = Duration::from_millis(15);
/// The same where a measured reserve takes the rest of the margin: the player has had its glance before.
const LEAST_LAST_RESORT: Duration = Duration::from_millis(5);

/// Time on the clock that cannot be spent on a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deductions {
    /// Time that the coordinator sets aside, as configured: mostly to leave time between its own
    /// deadline and this one.
    pub overhead: Duration,
    /// The use of the clock; its overhead is the time that every move loses on its way to the referee, as
    /// learned or configured.
    pub rules: ClockRules,
    /// Time that had passed on the clock before the coordinator was asked.
    pub waited: Duration,
    /// Time by which this machine may be late with an answer.
    pub reserve: Duration,
    /// Nothing was heard of the coordinator the last time.
    pub is_silent: bool,
}

impl Deductions {
    /// Returns the use of the clock that the coordinator has to make: its decision then comes at least
    /// half of its configured overhead before the deadline.
    pub fn of_coordinator(&self) -> ClockRules {
        let with_lag = self.with_last_resort().saturating_add(self.overhead / 2);
        ClockRules {
            overhead: with_lag.max(self.overhead).into(),
            ..self.rules
        }
    }

    /// Returns the time from the last answer that was found to the flag.
    fn after_answer(&self) -> Duration {
        self.rules.overhead.kept.saturating_add(self.reserve)
    }

    /// Returns the same from the moment at which the last resort begins.
    pub fn with_last_resort(&self) -> Duration {
        self.after_answer().saturating_add(LAST_RESORT)
    }
}

/// The end of a search, from `go` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerTimes {
    /// The moment at which an answer is chosen, whatever the coordinator does.
    pub deadline: Duration,
    /// The latest end of a search for one, if there is none by then.
    pub last_resort: Duration,
}

impl AnswerTimes {
    fn earlier(self, other: Self) -> Self {
        Self {
            deadline: self.deadline.min(other.deadline),
            last_resort: self.last_resort.min(other.last_resort),
        }
    }
}

/// Returns the times from `go` to the answer; `None` without a clock.
///
/// The increment counts only if next to nothing else is left: some referees add it before the move
/// and some after it, and unused time is not lost. The margin between the deadline and the flag is for the
/// last resort, the reserve and the lag, or half of the coordinator's overhead, whichever is longer, up to
/// three eighths and a quarter of the time: the coordinator sets aside up to half, and a reserve that was measured to
/// be so long gets as much. The last resort leaves the reserve and the lag alone, but gets 5 ms at the least. A
/// coordinator that has not decided 1 s after the longest time that it gives to a move is given up, however much time
/// is left on the clock, and earlier where main time alone is left and little of it. One that was silent the last time
/// gets its normal time, and a quarter of that patience.
pub fn answer_times(
    limits: &Limits,
    turn: impl Into<Turn>,
    deductions: Deductions,
) -> Option<AnswerTimes> {
    let turn = turn.into();
    let side = turn.side;
    let by_clock = limits.clock.map(|clock| {
        let (main, increment) = of_side(&clock, side);
        let mut available = Duration::from_millis(main.saturating_add(clock.byoyomi_ms));
        if available < 2 * LEAST_MARGIN {
            available = available.max(Duration::from_millis(increment));
        }
        let padding = (deductions.overhead / 2).min(available / 4);
        // The lag gives way first, then the last resort, and the measured reserve last.
        let measured = deductions.reserve.saturating_add(LAST_RESORT);
        let most = (available * 3 / 8).max(measured.min(available / 2));
        let wanted = deductions.with_last_resort().min(most);
        let margin = padding.max(wanted).max(LEAST_MARGIN);
        let last_resort = margin.saturating_sub(deductions.after_answer());
        let beside_reserve = margin.saturating_sub(deductions.reserve);
        let least = LAST_RESORT.min(beside_reserve.max(LEAST_LAST_RESORT));
        let last_resort = last_resort.max(least);
        let left = limits_after(limits, side, deductions.waited);
        let decided = budget(&left, turn, deductions.of_coordinator()).map_or(LONGEST, |budget| {
            let latest = match deductions.is_silent {
                true => budget.normal,
                false => budget.most,
            };
            deductions.waited.saturating_add(latest)
        });
        let lasting = Duration::from_millis(main) / PATIENCE_SHARE;
        let renewed = Duration::from_millis(clock.byoyomi_ms.saturating_add(increment));
        let mut patience = PATIENCE.min(lasting.saturating_add(renewed));
        if deductions.is_silent {
            patience /= SILENT_SHARE;
        }
        let patience = decided.saturating_add(patience);
        let latest = available.saturating_sub(margin);
        AnswerTimes {
            deadline: latest.min(patience).max(EARLIEST),
            last_resort: latest.saturating_add(last_resort).max(EARLIEST),
        }
    });
    let by_move_time = limits.time_ms.map(|time_ms| AnswerTimes {
        deadline: Duration::from_millis(time_ms).saturating_add(MOVE_TIME_GRACE),
        last_resort: LONGEST,
    });
    let times = match (by_clock, by_move_time) {
        (Some(one), Some(other)) => Some(one.earlier(other)),
        (one, other) => one.or(other),
    };
    times.map(|times| {
        times.earlier(AnswerTimes {
            deadline: LONGEST,
            last_resort: LONGEST,
        })
    })
}

/// Returns true where so little is left, and nothing is added to it, that one player has to answer at once.
pub fn is_scramble(limits: &Limits, side: Color) -> bool {
    limits.clock.is_some_and(|clock| {
        let (main, increment) = of_side(&clock, side);
        clock.byoyomi_ms == 0 && increment == 0 && Duration::from_millis(main) < SCRAMBLE
    })
}

/// Returns the limits that are left after `elapsed`: the main time of the side to move is used up
/// first, then its byoyomi, then its increment.
pub fn limits_after(limits: &Limits, side: Color, elapsed: Duration) -> Limits {
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
    use monju_coordinator::clock::Overhead;
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

    const DEDUCTIONS: Deductions = Deductions {
        overhead: Duration::from_millis(100),
        rules: ClockRules {
            overhead: Overhead {
                kept: Duration::ZERO,
                lost: Duration::ZERO,
            },
            minimum: Duration::ZERO,
            whole_seconds: false,
        },
        waited: Duration::ZERO,
        reserve: Duration::from_millis(10),
        is_silent: false,
    };

    fn hard_deadline(limits: &Limits, side: Color, deductions: Deductions) -> Option<Duration> {
        answer_times(limits, side, deductions).map(|times| times.deadline)
    }

    fn deadline_ms(limits: &Limits) -> u128 {
        hard_deadline(limits, Color::Black, DEDUCTIONS)
            .expect("a deadline")
            .as_millis()
    }

    #[test]
    fn main_time_and_byoyomi_add_up() {
        assert_eq!(deadline_ms(&clock(500, 1, 0, 10_000)), 10_450);
        assert_eq!(deadline_ms(&clock(0, 90_000, 0, 1_000)), 950);
        assert_eq!(
            hard_deadline(&clock(0, 400, 0, 1_000), Color::White, DEDUCTIONS)
                .expect("a deadline")
                .as_millis(),
            1_350
        );
    }

    #[test]
    fn an_overdue_coordinator_is_given_up_before_the_flag_falls() {
        let limits = clock(600_000, 0, 0, 0);
        let longest = monju_coordinator::clock::budget(&limits, Color::Black, DEDUCTIONS.overhead);
        let longest = longest.expect("a clock").most;
        let deadline = hard_deadline(&limits, Color::Black, DEDUCTIONS).expect("a deadline");
        assert_eq!(deadline, longest + PATIENCE);
        // With little main time and nothing else, it gets a sixteenth of it.
        let limits = clock(2_400, 0, 0, 0);
        let longest =
            monju_coordinator::clock::budget(&limits, Color::Black, DEDUCTIONS.of_coordinator());
        let longest = longest.expect("a clock").most;
        let deadline = hard_deadline(&limits, Color::Black, DEDUCTIONS).expect("a deadline");
        assert_eq!(deadline, longest + Duration::from_millis(150));
        // A coordinator that is asked late plans with the time left then.
        let limits = clock(600_000, 0, 0, 0);
        let longest = monju_coordinator::clock::budget(&limits, Color::Black, DEDUCTIONS.overhead);
        let longest = longest.expect("a clock").most;
        let late = Deductions {
            waited: Duration::from_secs(20),
            ..DEDUCTIONS
        };
        let deadline = hard_deadline(&limits, Color::Black, late).expect("a deadline");
        assert!(deadline > longest + Duration::from_secs(19), "{deadline:?}");
        assert!(deadline < longest + Duration::from_secs(21), "{deadline:?}");
    }

    #[test]
    fn the_coordinator_decides_before_the_deadline_whatever_the_lag() {
        for (lag, byoyomi, expected) in [
            (200, 1_000, 775),
            (1_000, 10_000, 8_975),
            (20, 1_000, 950),
            // With hardly any time, some of it is left for the search.
            (2_000, 1_000, 625),
        ] {
            let deductions = Deductions {
                rules: Duration::from_millis(lag).into(),
                ..DEDUCTIONS
            };
            let limits = clock(0, 0, 0, byoyomi);
            let hard = hard_deadline(&limits, Color::Black, deductions).expect("a deadline");
            assert_eq!(hard, Duration::from_millis(expected));
            let decided = monju_coordinator::clock::budget(
                &limits,
                Color::Black,
                deductions.of_coordinator(),
            );
            let decided = decided.expect("a clock").most;
            assert!(
                decided + Duration::from_millis(50) <= hard,
                "{decided:?} {hard:?}"
            );
        }
    }

    #[test]
    fn the_increment_counts_only_if_nothing_else_is_left() {
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
    fn a_margin_always_remains() {
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
    fn the_margin_is_half_of_the_coordinators_overhead() {
        for (overhead_ms, byoyomi, expected) in [
            (2_000, 10_000, 9_000),
            (2_000, 400, 300),
            // Time for the last resort and the reserve is kept in any case.
            (20, 10_000, 9_975),
            (100, 300, 250),
        ] {
            let overhead = Duration::from_millis(overhead_ms);
            let limits = clock(0, 0, 0, byoyomi);
            let deductions = Deductions {
                overhead,
                ..DEDUCTIONS
            };
            let hard = hard_deadline(&limits, Color::Black, deductions).expect("a deadline");
            assert_eq!(hard, Duration::from_millis(expected));
            let rules = deductions.of_coordinator();
            let decided = monju_coordinator::clock::budget(&limits, Color::Black, rules);
            assert!(decided.expect("a clock").most <= hard);
        }
    }

    #[test]
    fn the_last_resort_leaves_the_reserve_and_the_lag_alone() {
        for (lag, reserve, byoyomi, expected) in [
            (0, 10, 1_000, (950, 990)),
            (0, 10, 300, (250, 290)),
            (0, 60, 300, (225, 240)),
            (50, 10, 300, (225, 240)),
            (0, 10, 100, (75, 90)),
            // A very short clock is shared: the lag is what gives way.
            (50, 20, 100, (62, 77)),
            // A measured reserve gets what it needs all the same.
            (0, 40, 100, (50, 60)),
            (50, 40, 100, (50, 60)),
        ] {
            let deductions = Deductions {
                rules: Duration::from_millis(lag).into(),
                reserve: Duration::from_millis(reserve),
                ..DEDUCTIONS
            };
            let times = answer_times(&clock(0, 0, 0, byoyomi), Color::Black, deductions);
            let times = times.expect("a clock");
            let found = (times.deadline.as_millis(), times.last_resort.as_millis());
            assert_eq!(found, expected, "lag {lag}, reserve {reserve}");
            assert!(found.1 + u128::from(reserve) <= u128::from(byoyomi));
        }
    }

    #[test]
    fn nodes_and_depth_set_no_deadline() {
        let limits = Limits {
            nodes: Some(1),
            depth: Some(1),
            ..Limits::default()
        };
        assert_eq!(hard_deadline(&limits, Color::Black, DEDUCTIONS), None);
    }

    #[test]
    fn movetime_gets_a_little_grace_but_never_beyond_the_clock() {
        let mut limits = Limits {
            time_ms: Some(1_000),
            ..Limits::default()
        };
        assert_eq!(deadline_ms(&limits), 1_200);
        limits.clock = clock(0, 0, 0, 500).clock;
        assert_eq!(deadline_ms(&limits), 450);
    }

    #[test]
    fn a_silent_coordinator_is_waited_for_less_the_next_time() {
        let limits = clock(60_000, 0, 0, 0);
        let silent = Deductions {
            is_silent: true,
            ..DEDUCTIONS
        };
        let rules = DEDUCTIONS.of_coordinator();
        let budget = monju_coordinator::clock::budget(&limits, Color::Black, rules);
        let budget = budget.expect("a clock");
        let deadline = |deductions| hard_deadline(&limits, Color::Black, deductions);
        assert_eq!(deadline(DEDUCTIONS), Some(budget.most + PATIENCE));
        assert_eq!(deadline(silent), Some(budget.normal + PATIENCE / 4));
    }

    #[test]
    fn a_scramble_is_little_time_that_nothing_is_added_to() {
        for (limits, expected) in [
            (clock(499, 0, 0, 0), true),
            (clock(0, 0, 0, 0), true),
            (clock(500, 0, 0, 0), false),
            (clock(0, 9, 0, 100), false),
            (clock(10, 9, 1_000, 0), false),
            (Limits::default(), false),
        ] {
            assert_eq!(is_scramble(&limits, Color::Black), expected);
        }
    }

    #[test]
    fn absurd_times_do_not_overflow() {
        let limits = clock(u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let deductions = Deductions {
            overhead: Duration::MAX,
            rules: Duration::MAX.into(),
            waited: Duration::MAX,
            reserve: Duration::MAX,
            is_silent: false,
        };
        for deductions in [DEDUCTIONS, deductions] {
            let deadline = hard_deadline(&limits, Color::Black, deductions);
            assert!(deadline.is_some_and(|deadline| deadline <= LONGEST));
        }
    }

    #[test]
    fn time_lost_before_the_consultation_is_deducted_from_the_clock() {
        let left = limits_after(
            &clock(1_000, 7_000, 0, 3_000),
            Color::Black,
            Duration::from_millis(1_500),
        );
        let left_clock = left.clock.expect("a clock");
        assert_eq!(left_clock.black_ms, 0);
        assert_eq!(left_clock.white_ms, 7_000);
        assert_eq!(left_clock.byoyomi_ms, 2_500);
        // Without main time and byoyomi, the increment is used up.
        let fischer = clock(20, 0, 5_000, 0);
        let left = limits_after(&fischer, Color::Black, Duration::from_millis(2_475));
        let left = left.clock.expect("a clock");
        assert_eq!((left.black_ms, left.black_increment_ms), (0, 2_545));
        assert_eq!(left.white_increment_ms, 5_000);
        let limits = Limits {
            time_ms: Some(100),
            ..Limits::default()
        };
        let left = limits_after(&limits, Color::White, Duration::from_secs(1));
        assert_eq!(left.time_ms, Some(1));
    }
}
