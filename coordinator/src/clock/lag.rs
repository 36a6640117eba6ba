//! What is lost between an answer and the referee's clock, learned from the clock itself.
//!
//! A GUI that sends a main time says by the next `go` how long it thinks the last move took. What
//! that is more than what we measured ourselves was lost on the way: in pipes, over a network, by
//! rounding.

use super::of_side;
use monju_engine::Color;
use monju_proto::v1::Clock;
use std::{collections::VecDeque, time::Duration};

/// A loss beyond this is somebody adjusting a clock, not overhead.
const LARGEST: Duration = Duration::from_secs(5);

/// As long as only one move has been seen, no more is believed: byoyomi may begin, which teaches nothing.
const LARGEST_ALONE: Duration = Duration::from_millis(500);

/// How many moves are remembered.
const REMEMBERED: usize = 16;

/// How many mean deviations above the mean are set aside.
const DEVIATIONS: u32 = 4;

/// Learns what every move loses.
#[derive(Clone, Debug, Default)]
pub struct Lag {
    /// Of the last moves, the oldest first.
    seen: VecDeque<Duration>,
    last: Option<Move>,
}

/// The last move: its clock as it was sent, and how long it took here.
#[derive(Clone, Debug)]
struct Move {
    side: Color,
    main: Duration,
    taken: Option<Duration>,
}

impl Lag {
    /// A move begins with this clock.
    pub fn begin(&mut self, side: Color, clock: &Clock) {
        let (main, increment) = of_side(clock, side);
        let main = Duration::from_millis(main);
        if let Some(Move {
            side: last_side,
            main: before,
            taken: Some(taken),
        }) = self.last
            // Once the main time is used up, nothing tells how much of the byoyomi was.
            && last_side == side
            && !main.is_zero()
        {
            let charged = before
                .saturating_add(Duration::from_millis(increment))
                .saturating_sub(main);
            let lost = charged.saturating_sub(taken);
            if lost <= LARGEST {
                if self.seen.len() == REMEMBERED {
                    self.seen.pop_front();
                }
                self.seen.push_back(lost);
            }
        }
        self.last = Some(Move {
            side,
            main,
            taken: None,
        });
    }

    /// The move was answered so long after it began.
    pub fn end(&mut self, taken: Duration) {
        if let Some(last) = &mut self.last {
            last.taken = Some(taken);
        }
    }

    /// What the clock says next tells nothing of the last move, as when a game begins; what is known of the
    /// way to the referee stays.
    pub fn forget_clock(&mut self) {
        self.last = None;
    }

    /// What to set aside for one move: the mean of the last ones and four times how far they are from it in the
    /// mean; zero before anything was learned. The largest counts for nothing: something that happened once
    /// would cost every move of the byoyomi, which teaches nothing more.
    pub fn allowance(&self) -> Duration {
        let Some(largest) = self.seen.iter().max() else {
            return Duration::ZERO;
        };
        let others = self.seen.len() as u32 - 1;
        if others == 0 {
            return (*largest).min(LARGEST_ALONE);
        }
        let mean = (self.seen.iter().sum::<Duration>() - *largest) / others;
        let far = |lost: &Duration| lost.abs_diff(mean);
        let deviation = (self.seen.iter().map(far).sum::<Duration>() - far(largest)) / others;
        mean + deviation * DEVIATIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(black_ms: u64, increment_ms: u64) -> Clock {
        Clock {
            black_ms,
            white_ms: 1,
            black_increment_ms: increment_ms,
            ..Clock::default()
        }
    }

    /// A game in which every move takes `taken` here and `charged` there.
    fn game(taken: u64, charged: u64, increment: u64) -> Duration {
        let mut lag = Lag::default();
        let mut left = 60_000;
        for _ in 0..20 {
            lag.begin(Color::Black, &clock(left, increment));
            lag.end(Duration::from_millis(taken));
            left = left + increment - charged;
        }
        lag.allowance()
    }

    #[test]
    fn what_the_referee_charges_beyond_our_own_time_is_learned() {
        assert_eq!(game(1_000, 1_000, 0), Duration::ZERO);
        for increment in [0, 2_000] {
            let learned = game(1_000, 1_150, increment);
            assert!(learned >= Duration::from_millis(149), "{learned:?}");
            assert!(learned < Duration::from_millis(170), "{learned:?}");
        }
    }

    /// What is set aside after moves that lost so many milliseconds each.
    fn after(lost: impl IntoIterator<Item = u64>) -> u128 {
        let mut lag = Lag::default();
        let mut left = 1_000_000;
        lag.begin(Color::Black, &clock(left, 0));
        for lost in lost {
            lag.end(Duration::from_millis(1_000));
            left -= 1_000 + lost;
            lag.begin(Color::Black, &clock(left, 0));
        }
        lag.allowance().as_millis()
    }

    #[test]
    fn once_is_forgiven_and_twice_is_believed() {
        assert_eq!(after([300]), 300);
        assert_eq!(after([4_000]), 500);
        let many = std::iter::repeat_n(20, 15);
        assert_eq!(after(many.clone().chain([4_000])), 20);
        let twice = after(many.clone().take(14).chain([4_000, 4_000]));
        assert!(twice > 1_000, "{twice}");
        let long_ago = after([4_000, 4_000].into_iter().chain(many.clone()));
        assert_eq!(long_ago, 20);
        // A referee that rounds up to whole seconds.
        let rounding = after((0..16).map(|number| 370 * number % 1_000));
        assert!(rounding >= 960, "{rounding}");
    }

    #[test]
    fn a_referee_that_rounds_in_our_favour_loses_nothing() {
        assert_eq!(game(1_900, 1_000, 0), Duration::ZERO);
    }

    #[test]
    fn byoyomi_new_games_and_adjusted_clocks_teach_nothing() {
        let mut lag = Lag::default();
        for left in [0, 0, 500_000, 100_000] {
            lag.begin(Color::Black, &clock(left, 0));
            lag.end(Duration::from_millis(10));
        }
        assert_eq!(lag.allowance(), Duration::ZERO, "minutes are no overhead");
        lag.forget_clock();
        lag.begin(Color::Black, &clock(99_000, 0));
        lag.end(Duration::from_millis(10));
        lag.begin(Color::White, &clock(98_000, 0));
        assert_eq!(lag.allowance(), Duration::ZERO, "another side's clock");
    }
}
