//! From the game's clock to deadlines: how long to think, when workers stop, when to decide.

mod agreement;
pub mod fallback;
mod lag;
mod round_trip;
mod time_policy;

pub use agreement::{Agreement, AgreementTracker, Observation};
pub use lag::Lag;
pub use round_trip::RoundTrip;
pub use time_policy::{TimePolicy, UnknownTimePolicy};

use monju_engine::Color;
use monju_proto::v1::{Clock, Limits};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A consultation with any clock at all gets at least this long.
pub const MINIMUM: Duration = Duration::from_millis(10);

/// Main time is shared out over this many moves to come.
const MOVES_TO_COME: u64 = 40;

/// Without byoyomi and increment, what so many moves lose is left aside.
const MOVES_THAT_LOSE: u64 = 100;

/// What is set aside of every clock only to be on the safe side, where nothing else is known.
const PADDING: Duration = Duration::from_millis(100);

/// An easy move takes this share of a normal one, in percent.
const EASY_PERCENT: u64 = 40;

/// A difficult move takes up to this many normal ones (the original Monju, 2009).
const DIFFICULT: u64 = 3;

/// A difficult move takes at most this share of the main time on top of a normal one: one part in …
const DIFFICULT_SHARE: u64 = 8;

/// What is set aside, besides the round trip, for a message to be handled at both ends.
const HANDLING: Duration = Duration::from_millis(20);

/// The longest budget that is told apart from no limit (about a month), so that no sum overflows.
const LONGEST_MS: u64 = 1 << 31;

/// How long one move may take: `least` ≤ `normal` ≤ `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// For a move on which all agree.
    pub least: Duration,
    /// For a move about which nothing is known.
    pub normal: Duration,
    /// For a move in dispute, or in a position that gets worse; the clock allows no more.
    pub most: Duration,
}

/// What is not for thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// Set aside of what one move may take.
    pub kept: Duration,
    /// What every move loses of it on its way to the GUI's clock.
    pub lost: Duration,
}

/// All but what there is to be on the safe side is lost.
impl From<Duration> for Overhead {
    fn from(kept: Duration) -> Self {
        Self {
            kept,
            lost: kept.saturating_sub(PADDING),
        }
    }
}

impl Overhead {
    /// The same, where moves were seen to lose so much.
    pub fn with_lag(self, lag: Duration) -> Self {
        Self {
            kept: self.kept.max(lag),
            lost: self.lost.max(lag),
        }
    }
}

impl Budget {
    /// A budget that leaves no choice.
    pub fn fixed(time: Duration) -> Self {
        Self {
            least: time,
            normal: time,
            most: time,
        }
    }
}

/// How long a consultation may take under `limits` for the side to move; `None` is no limit.
///
/// `overhead` is what is lost between the decision and the GUI's clock. A fixed thinking time
/// (`time_ms`) is taken at its word; only clocks pay the overhead, and leave a choice.
pub fn budget(limits: &Limits, side: Color, overhead: impl Into<Overhead>) -> Option<Budget> {
    let fixed = limits
        .time_ms
        .map(|ms| Duration::from_millis(ms.min(LONGEST_MS)).max(MINIMUM));
    let clock = limits
        .clock
        .as_ref()
        .map(|clock| share_of_clock(clock, side, overhead.into()));
    match (fixed, clock) {
        (Some(fixed), Some(clock)) => Some(Budget::fixed(fixed.min(clock.normal))),
        (Some(fixed), None) => Some(Budget::fixed(fixed)),
        (None, clock) => clock,
    }
}

/// One move's share of the clock.
///
/// Main time is shared out over forty moves, and most of the increment and all of the byoyomi is
/// spent on top. Where there is neither, what a hundred moves may lose is left aside: otherwise the
/// lag alone would use up a long game's time. An increment counts as spendable only when there is nothing
/// else: GUIs differ in whether the time they send already includes it. Byoyomi cannot be saved for later, so an easy
/// move is not cut below it, and as soon as the main time is no more than one byoyomi nothing is saved any more.
fn share_of_clock(clock: &Clock, side: Color, overhead: Overhead) -> Budget {
    let (main, increment) = of_side(clock, side);
    let main = main.min(LONGEST_MS);
    let increment = increment.min(LONGEST_MS);
    let byoyomi = clock.byoyomi_ms.min(LONGEST_MS);

    let spendable = match main + byoyomi {
        0 => increment,
        time => time,
    };
    // On a very short clock half of it is for thinking, whatever the overhead may be.
    let kept = (overhead.kept.as_millis() as u64).min(spendable / 2);
    let available = spendable - kept;
    let lag = match byoyomi + increment {
        0 => MOVES_THAT_LOSE * (overhead.lost.as_millis() as u64).min(kept),
        _ => 0,
    };
    // What is set aside for one move is more than most lose, so a quarter of the time stays in any case.
    let share = (main - lag.min(main * 3 / 4)) / MOVES_TO_COME;
    let wanted = share + increment * 4 / 5 + byoyomi;
    let normal = wanted.min(available);
    let can_be_saved = main > byoyomi || byoyomi == 0;
    let least = match can_be_saved {
        // Main time that an easy move saves below a byoyomi is lost again: it puts off the moves with byoyomi alone.
        true => (normal * EASY_PERCENT / 100).max(byoyomi.min(normal)),
        false => normal,
    };
    let most = (normal * DIFFICULT)
        .min(normal + main / DIFFICULT_SHARE)
        .min(available);
    let time = |ms| Duration::from_millis(ms).max(MINIMUM);
    Budget {
        least: time(least),
        normal: time(normal),
        most: time(most),
    }
}

/// The main time and the increment of a side, in milliseconds.
pub fn of_side(clock: &Clock, side: Color) -> (u64, u64) {
    match side {
        Color::Black => (clock.black_ms, clock.black_increment_ms),
        Color::White => (clock.white_ms, clock.white_increment_ms),
    }
}

/// Waits until a moment, or for ever without one.
pub async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// The layers of a deadline, counted from the start of the thinking time.
///
/// Workers are told to end first; at `stop` the coordinator tells them again, for those that lost
/// track of time; at `decide` it decides from what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// When everybody is told to stop.
    pub stop: Duration,
    /// When the decision falls.
    pub decide: Duration,
}

impl Deadlines {
    /// The layers of `budget`, where the slowest worker's measured round trip is `round_trip`.
    pub fn new(budget: Duration, round_trip: Duration) -> Self {
        Self {
            stop: budget - margin(budget, round_trip),
            decide: budget,
        }
    }
}

/// How long a worker with this round trip is told to think, of `budget`.
pub fn worker_time(budget: Duration, round_trip: Duration) -> Duration {
    budget - 2 * margin(budget, round_trip)
}

/// Time for one message to be handled and answered: tens of milliseconds, and never more than an
/// eighth of the budget, so that the shortest games still think.
fn margin(budget: Duration, round_trip: Duration) -> Duration {
    HANDLING.saturating_add(round_trip).min(budget / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        assert_eq!(on_clock(clock), ms(25_000));
        let limits = Limits {
            clock: Some(clock),
            ..Limits::default()
        };
        assert_eq!(
            budget(&limits, Color::White, OVERHEAD).map(|budget| budget.normal),
            Some(ms(9_907)),
            "the side to move's own clock counts"
        );
    }

    #[test]
    fn an_easy_move_saves_main_time_and_a_difficult_one_spends_it() {
        let choice = choice_on(Clock {
            black_ms: 600_000,
            ..Clock::default()
        });
        assert_eq!(choice.least, ms(6_000));
        assert_eq!(choice.normal, ms(15_000));
        assert_eq!(choice.most, ms(45_000));
        // Less than a byoyomi saves nothing.
        let with_byoyomi = choice_on(Clock {
            black_ms: 60_000,
            byoyomi_ms: 10_000,
            ..Clock::default()
        });
        assert_eq!(
            (with_byoyomi.least, with_byoyomi.normal),
            (ms(10_000), ms(11_500))
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
    fn sudden_death_outlasts_what_every_move_loses() {
        let seen = |kept, lag| Overhead::from(ms(kept)).with_lag(ms(lag));
        for (main, overhead, lost, moves) in [
            (300_000, ms(1_050).into(), 1_000, 125),
            (300_000, ms(250).into(), 200, 170),
            (60_000, ms(150).into(), 100, 130),
            (60_000, ms(100).into(), 20, 140),
            (60_000, seen(100, 50), 50, 150),
            (60_000, seen(100, 100), 100, 130),
            (60_000, seen(20, 40), 40, 150),
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
                let choice = budget(&limits, Color::Black, overhead).expect("a clock is a limit");
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
    fn whatever_is_set_aside_there_is_time_to_think() {
        let limits = Limits {
            clock: Some(Clock {
                black_ms: 60_000,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        for overhead in [100, 700, 1_050, 5_000] {
            let choice = budget(&limits, Color::Black, ms(overhead)).expect("a clock is a limit");
            assert!(choice.normal >= ms(375), "{overhead}: {choice:?}");
        }
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
    fn never_more_than_the_main_time_that_is_left() {
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
    fn fixed_time_is_taken_at_its_word_and_the_shorter_limit_holds() {
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
    fn nodes_and_depth_are_no_deadline() {
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
            overhead in any::<u64>(),
            round_trip in any::<u64>(),
        ) {
            let limits = Limits {
                clock: Some(Clock { black_ms, black_increment_ms, byoyomi_ms, ..Clock::default() }),
                ..Limits::default()
            };
            let budget = budget(&limits, Color::Black, ms(overhead)).expect("a clock is a limit");
            prop_assert!(MINIMUM <= budget.least);
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
}
