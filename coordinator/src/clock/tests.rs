//! Tests of budgets and deadlines.

use super::{budget::MINIMUM, *};
use monju_engine::Color;
use monju_proto::v1::{Clock, Limits};
use proptest::prelude::*;
use std::time::Duration;

const OVERHEAD: Duration = Duration::from_millis(100);

fn ms(value: u64) -> Duration {
    Duration::from_millis(value)
}

fn on_clock(clock: Clock) -> Duration {
    choice_on(clock).normal
}

fn choice_on(clock: Clock) -> Budget {
    let limits = Limits {
        clock: Some(clock),
        ..Limits::default()
    };
    budget(&limits, Color::Black, OVERHEAD).expect("a clock is a limit")
}

fn byoyomi(byoyomi_ms: u64) -> Clock {
    Clock {
        byoyomi_ms,
        ..Clock::default()
    }
}

#[test]
fn byoyomi_is_spent_down_to_the_overhead() {
    assert_eq!(on_clock(byoyomi(10_000)), ms(9_900));
    assert_eq!(on_clock(byoyomi(1_000)), ms(900));
    assert_eq!(on_clock(byoyomi(100)), ms(50));
}

#[test]
fn main_time_is_shared_out() {
    let clock = Clock {
        black_ms: 600_000,
        white_ms: 7,
        byoyomi_ms: 10_000,
        ..Clock::default()
    };
    assert_eq!(on_clock(clock), ms(10_000 + 600_000 / 44));
    let limits = Limits {
        clock: Some(clock),
        ..Limits::default()
    };
    assert_eq!(
        budget(&limits, Color::White, OVERHEAD).map(|budget| budget.normal),
        Some(ms(9_907)),
        "the clock of the side to move counts"
    );
}

#[test]
fn an_easy_move_saves_main_time_and_a_difficult_one_spends_it() {
    let choice = choice_on(Clock {
        black_ms: 600_000,
        ..Clock::default()
    });
    let normal = 600_000 / 44;
    assert_eq!(choice.shortest, ms(normal / 10));
    assert_eq!(choice.least, ms(normal * 2 / 5));
    assert_eq!(choice.normal, ms(normal));
    assert_eq!(choice.most, ms(3 * normal));
    // An easy move is not cut below one byoyomi.
    let with_byoyomi = choice_on(Clock {
        black_ms: 60_000,
        byoyomi_ms: 10_000,
        ..Clock::default()
    });
    assert_eq!(
        (
            with_byoyomi.shortest,
            with_byoyomi.least,
            with_byoyomi.normal
        ),
        (ms(10_000), ms(10_000), ms(10_000 + 60_000 / 44))
    );
    let short = choice_on(Clock {
        black_ms: 600_000,
        black_increment_ms: 60_000,
        ..Clock::default()
    });
    assert_eq!(short.most, short.normal + ms(600_000 / 8));
}

#[test]
fn byoyomi_is_never_saved() {
    let choice = choice_on(byoyomi(10_000));
    assert_eq!(choice, Budget::fixed(ms(9_900)));
    let last_main_time = choice_on(Clock {
        black_ms: 9_000,
        byoyomi_ms: 10_000,
        ..Clock::default()
    });
    assert_eq!(last_main_time.least, last_main_time.normal);
    assert!(last_main_time.most > last_main_time.normal);
}

#[test]
fn a_clock_is_spent_faster_towards_the_end_of_a_usual_game() {
    let share = |ply| {
        let limits = Limits {
            clock: Some(Clock {
                black_ms: 900_000,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        let turn = Turn {
            side: Color::Black,
            ply,
        };
        budget(&limits, turn, OVERHEAD).expect("a clock").normal
    };
    assert_eq!(share(1), ms(900_000 / 44));
    assert!(share(51) > share(1) && share(109) > share(51));
    assert_eq!(share(111), ms(900_000 / 26));
    assert!(share(181) < share(111), "a long game must go on");
    assert_eq!(share(u32::MAX), ms(10_000));
}

#[test]
fn sudden_death_time_outlasts_the_lag_of_every_move() {
    let measured = |kept, lag| {
        Overhead::from(ms(kept)).larger(Overhead {
            kept: ms(lag),
            lost: ms(lag),
        })
    };
    for (main, overhead, lost, moves) in [
        (300_000, ms(1_050).into(), 1_000, 125),
        (300_000, ms(250).into(), 200, 170),
        (60_000, ms(150).into(), 100, 130),
        (60_000, ms(100).into(), 20, 140),
        (60_000, measured(100, 50), 50, 150),
        (60_000, measured(100, 100), 100, 130),
        (60_000, measured(20, 40), 40, 150),
    ] {
        let mut left = main;
        for number in 0..moves {
            let limits = Limits {
                clock: Some(Clock {
                    black_ms: left,
                    ..Clock::default()
                }),
                ..Limits::default()
            };
            let turn = Turn {
                side: Color::Black,
                ply: 1 + 2 * number,
            };
            let choice = budget(&limits, turn, overhead).expect("a clock is a limit");
            let time = if number % 10 == 0 {
                choice.most
            } else {
                choice.normal
            };
            let taken = time.as_millis() as u64 + lost;
            assert!(taken < left, "move {number} takes {taken} ms of {left}");
            left -= taken;
        }
    }
}

#[test]
fn an_increment_pays_for_the_lag_first() {
    let normal = |increment, lost| {
        let overhead = Overhead {
            kept: ms(200),
            lost: ms(lost),
        };
        let limits = Limits {
            clock: Some(Clock {
                black_ms: 44_000,
                black_increment_ms: increment,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        budget(&limits, Color::Black, overhead)
            .expect("a clock")
            .normal
    };
    assert_eq!(normal(100, 0), ms(1_080));
    assert_eq!(normal(100, 30), ms(1_050));
    assert_eq!(normal(100, 80), ms(1_000));
    assert_eq!(normal(100, 180), normal(0, 100), "the rest is set aside");
}

#[test]
fn some_thinking_time_remains_under_any_overhead() {
    let limits = Limits {
        clock: Some(Clock {
            black_ms: 60_000,
            ..Clock::default()
        }),
        ..Limits::default()
    };
    for overhead in [100, 700, 1_050, 5_000] {
        let choice = budget(&limits, Color::Black, ms(overhead)).expect("a clock is a limit");
        assert!(choice.normal >= ms(340), "{overhead}: {choice:?}");
    }
}

#[test]
fn thinking_times_end_before_a_full_second_where_seconds_are_charged_whole() {
    let rules = ClockRules {
        whole_seconds: true,
        ..ClockRules::from(ms(120))
    };
    let limits = Limits {
        clock: Some(Clock {
            black_ms: 100_000,
            ..Clock::default()
        }),
        ..Limits::default()
    };
    let plain = budget(&limits, Color::Black, ms(120)).expect("a clock");
    let rounded = budget(&limits, Color::Black, rules).expect("a clock");
    for (plain, rounded) in [
        (plain.least, rounded.least),
        (plain.normal, rounded.normal),
        (plain.most, rounded.most),
    ] {
        assert!(
            plain <= rounded && rounded < plain + ms(1_000),
            "{plain:?} {rounded:?}"
        );
        assert_eq!(rounded.subsec_millis(), 880);
    }
    // Byoyomi is not exceeded.
    let limits = Limits {
        clock: Some(byoyomi(10_000)),
        ..Limits::default()
    };
    let last = budget(&limits, Color::Black, rules).expect("a clock");
    let whole_seconds = Some(ms(120));
    let fixed = Budget {
        whole_seconds,
        ..Budget::fixed(ms(9_880))
    };
    assert_eq!(last, fixed);
}

#[test]
fn a_second_that_is_charged_is_thought_through() {
    let budget = Budget {
        shortest: ms(100),
        least: ms(400),
        normal: ms(1_000),
        most: ms(3_500),
        whole_seconds: Some(ms(120)),
    };
    for (used, until) in [
        (0, 880),
        (880, 880),
        (881, 1_880),
        (1_060, 1_880),
        (2_900, 3_500),
        (3_600, 3_600),
    ] {
        assert_eq!(budget.charged_until(ms(used)), ms(until), "{used}");
    }
    let plain = Budget {
        whole_seconds: None,
        ..budget
    };
    assert_eq!(plain.charged_until(ms(1_060)), ms(1_060));
}

#[test]
fn the_shortest_thinking_time_is_kept_while_the_clock_has_it() {
    let on = |black_ms| {
        let rules = ClockRules {
            minimum: ms(2_000),
            ..ClockRules::from(OVERHEAD)
        };
        let limits = Limits {
            clock: Some(Clock {
                black_ms,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        budget(&limits, Color::Black, rules).expect("a clock")
    };
    assert_eq!(
        (on(60_000).least, on(60_000).normal),
        (ms(2_000), ms(2_000))
    );
    assert_eq!(on(10_000).least, ms(500), "a long game must go on");
}

#[test]
fn an_increment_without_main_time_is_spendable() {
    let clock = Clock {
        black_increment_ms: 2_000,
        white_increment_ms: 2_000,
        ..Clock::default()
    };
    assert_eq!(on_clock(clock), ms(1_600));
}

#[test]
fn the_budget_never_exceeds_the_main_time_left() {
    let clock = Clock {
        black_ms: 500,
        black_increment_ms: 2_000,
        ..Clock::default()
    };
    assert_eq!(on_clock(clock), ms(400));
}

#[test]
fn an_empty_clock_still_thinks_a_moment() {
    assert_eq!(on_clock(Clock::default()), MINIMUM);
}

#[test]
fn a_fixed_time_pays_no_overhead_and_the_shorter_limit_holds() {
    let mut limits = Limits {
        time_ms: Some(1_000),
        ..Limits::default()
    };
    let given = |limits: &Limits| budget(limits, Color::Black, OVERHEAD);
    assert_eq!(given(&limits), Some(Budget::fixed(ms(1_000))));
    limits.clock = Some(byoyomi(500));
    assert_eq!(given(&limits), Some(Budget::fixed(ms(400))));
}

#[test]
fn nodes_and_depth_set_no_deadline() {
    let limits = Limits {
        nodes: Some(1),
        depth: Some(1),
        ..Limits::default()
    };
    assert_eq!(budget(&limits, Color::Black, OVERHEAD), None);
}

#[test]
fn margins_are_small_on_long_clocks_and_leave_thinking_time_on_short_ones() {
    let long = Deadlines::new(ms(10_000), ms(2));
    assert_eq!((long.stop, long.decide), (ms(9_978), ms(10_000)));
    assert_eq!(worker_time(ms(10_000), ms(2)), ms(9_956));
    let short = Deadlines::new(ms(80), ms(2));
    assert_eq!((short.stop, short.decide), (ms(70), ms(80)));
    assert_eq!(worker_time(ms(80), ms(2)), ms(60));
}

proptest! {
    #[test]
    fn budgets_are_never_zero_never_late_and_never_overflow(
        black_ms in prop_oneof![0..5_000_u64, any::<u64>()],
        black_increment_ms in prop_oneof![0..5_000_u64, any::<u64>()],
        byoyomi_ms in prop_oneof![0..5_000_u64, any::<u64>()],
        overhead in prop_oneof![0..3_000_u64, any::<u64>()],
        round_trip in prop_oneof![0..3_000_u64, any::<u64>()],
    ) {
        let limits = Limits {
            clock: Some(Clock { black_ms, black_increment_ms, byoyomi_ms, ..Clock::default() }),
            ..Limits::default()
        };
        let budget = budget(&limits, Color::Black, ms(overhead)).expect("a clock is a limit");
        prop_assert!(MINIMUM <= budget.shortest && budget.shortest <= budget.least);
        prop_assert!(budget.least <= budget.normal && budget.normal <= budget.most);
        let budget = budget.most;
        let left = black_ms.saturating_add(byoyomi_ms);
        let left = if left == 0 { black_increment_ms } else { left };
        prop_assert!(budget <= ms(left).max(MINIMUM));
        let deadlines = Deadlines::new(budget, ms(round_trip));
        let worker = worker_time(budget, ms(round_trip));
        prop_assert!(Duration::ZERO < worker);
        prop_assert!(worker < deadlines.stop && deadlines.stop < deadlines.decide);
        prop_assert!(worker >= budget / 2);
    }
}
