//! The lag between an answer and the referee's clock, learned from that clock.
//!
//! A GUI that sends a main time tells by the next `go` how much time it charged for the last move.
//! The excess over the time measured here was lost on the way: in pipes, over a network, by rounding.

use super::budget::of_side;
use monju_engine::Color;
use monju_proto::v1::Clock;
use std::{collections::VecDeque, time::Duration};

/// Longest lag that is believed; beyond it, the clock was adjusted.
const LARGEST: Duration = Duration::from_secs(5);

/// Longest lag that is believed of a single measurement: byoyomi may begin after it, which allows no
/// further ones.
const LARGEST_ALONE: Duration = Duration::from_millis(500);

/// Number of moves that are remembered.
const REMEMBERED: usize = 16;

/// Number of mean deviations that are set aside on top of the mean.
const DEVIATIONS: u32 = 4;

/// Running estimate of the lag of a move.
#[derive(Clone, Debug, Default)]
pub struct Lag {
    /// Lag of the last moves, the oldest first.
    measured: VecDeque<Duration>,
    last: Option<Move>,
}

/// The last move: its clock as it was sent, and the time that it took here.
#[derive(Clone, Debug)]
struct Move {
    side: Color,
    main: Duration,
    taken: Option<Duration>,
}

impl Lag {
    /// Notes the clock at the start of a move, and learns from it the lag of the last move.
    pub fn begin(&mut self, side: Color, clock: &Clock) {
        let (main, increment) = of_side(clock, side);
        let main = Duration::from_millis(main);
        if let Some(Move {
            side: last_side,
            main: before,
            taken: Some(taken),
        }) = self.last
            // Without main time the clock does not tell how much of the byoyomi was used.
            && last_side == side
            && !main.is_zero()
        {
            let charged = before
                .saturating_add(Duration::from_millis(increment))
                .saturating_sub(main);
            let lag = charged.saturating_sub(taken);
            if lag <= LARGEST {
                if self.measured.len() == REMEMBERED {
                    self.measured.pop_front();
                }
                self.measured.push_back(lag);
            }
        }
        self.last = Some(Move {
            side,
            main,
            taken: None,
        });
    }

    /// Notes the time that the move took here.
    pub fn end(&mut self, taken: Duration) {
        if let Some(last) = &mut self.last {
            last.taken = Some(taken);
        }
    }

    /// Forgets the last clock, as when a game begins; the estimate stays.
    pub fn forget_clock(&mut self) {
        self.last = None;
    }

    /// Returns the time to set aside for one move: the mean lag of the last moves and four times their
    /// mean deviation; zero before the first measurement. The largest one is left out: in byoyomi, which
    /// allows no further measurements, a single outlier would cost every move.
    pub fn allowance(&self) -> Duration {
        let Some(largest) = self.measured.iter().max() else {
            return Duration::ZERO;
        };
        let others = self.measured.len() as u32 - 1;
        if others == 0 {
            return (*largest).min(LARGEST_ALONE);
        }
        let mean = (self.measured.iter().sum::<Duration>() - *largest) / others;
        let deviation = |lag: &Duration| lag.abs_diff(mean);
        let deviations = self.measured.iter().map(deviation).sum::<Duration>();
        mean + (deviations - deviation(largest)) / others * DEVIATIONS
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

    /// The allowance after a game in which every move takes `taken` here and `charged` by the referee.
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
    fn time_charged_beyond_the_measured_time_is_learned() {
        assert_eq!(game(1_000, 1_000, 0), Duration::ZERO);
        for increment in [0, 2_000] {
            let learned = game(1_000, 1_150, increment);
            assert!(learned >= Duration::from_millis(149), "{learned:?}");
            assert!(learned < Duration::from_millis(170), "{learned:?}");
        }
    }

    /// The allowance after moves of these lags, in milliseconds.
    fn after(lags: impl IntoIterator<Item = u64>) -> u128 {
        let mut lag = Lag::default();
        let mut left = 1_000_000;
        lag.begin(Color::Black, &clock(left, 0));
        for ms in lags {
            lag.end(Duration::from_millis(1_000));
            left -= 1_000 + ms;
            lag.begin(Color::Black, &clock(left, 0));
        }
        lag.allowance().as_millis()
    }

    #[test]
    fn a_single_outlier_is_ignored_and_two_are_believed() {
        assert_eq!(after([300]), 300);
        assert_eq!(after([4_000]), 500);
        let many = std::iter::repeat_n(20, 15);
        assert_eq!(after(many.clone().chain([4_000])), 20);
        let twice = after(many.clone().take(14).chain([4_000, 4_000]));
        assert!(twice > 1_000, "{twice}");
        let long_ago = after([4_000, 4_000].into_iter().chain(many.clone()));
        assert_eq!(long_ago, 20);
        // A referee may round up to whole seconds.
        let rounding = after((0..16).map(|number| 370 * number % 1_000));
        assert!(rounding >= 960, "{rounding}");
    }

    #[test]
    fn a_referee_that_rounds_down_causes_no_lag() {
        assert_eq!(game(1_900, 1_000, 0), Duration::ZERO);
    }

    #[test]
    fn byoyomi_new_games_and_adjusted_clocks_teach_nothing() {
        let mut lag = Lag::default();
        for left in [0, 0, 500_000, 100_000] {
            lag.begin(Color::Black, &clock(left, 0));
            lag.end(Duration::from_millis(10));
        }
        assert_eq!(lag.allowance(), Duration::ZERO, "minutes are no lag");
        lag.forget_clock();
        lag.begin(Color::Black, &clock(99_000, 0));
        lag.end(Duration::from_millis(10));
        lag.begin(Color::White, &clock(98_000, 0));
        assert_eq!(lag.allowance(), Duration::ZERO, "another side's clock");
    }
}
