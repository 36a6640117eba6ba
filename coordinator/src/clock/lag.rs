//! The lag between an answer and the referee's clock, learned from that clock.
//!
//! A GUI that sends a main time tells by the next `go` how much time it charged for the last move.
//! The excess over the time measured here was lost on the way: in pipes, over a network, by rounding.

use super::budget::{Overhead, of_side};
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

/// Number of moves after which the measured lag is trusted in place of the assumed one.
const TRUSTED_AFTER: usize = 4;

/// Least time set aside once the lag is known: a single late packet must not lose the game.
const LEAST_KNOWN: Duration = Duration::from_millis(50);

/// Main time from which on a single late answer cannot lose the game.
const PLENTIFUL: Duration = Duration::from_secs(10);

/// Byoyomi below which the referee is on this machine, and its divisor for the delay to assume there.
const SHORTEST_OVER_NETWORKS: Duration = Duration::from_secs(1);
const LOCAL_SHARE: u32 = 5;

/// Least delay to assume there, as far as a third of the byoyomi allows it: busy machines stop a program for 10 to
/// 20 ms now and then.
const LEAST_LOCAL: Duration = Duration::from_millis(30);
const LARGEST_LOCAL_SHARE: u32 = 3;

/// Delays between an answer and the referee's clock that are assumed before they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkDelays {
    /// Delay of a usual move (`NetworkDelay`).
    pub usual: Duration,
    /// Delay of a slow one, set aside while it would lose the game: in byoyomi and on a clock that is
    /// running out (`NetworkDelay2`).
    pub worst: Duration,
    /// The delay in place of both, if it is known (`MoveOverhead`).
    pub known: Option<Duration>,
    /// The referee drops parts of a second, so that its clock never shows the delay (`RoundUpToFullSecond`).
    pub is_hidden: bool,
}

impl Default for NetworkDelays {
    fn default() -> Self {
        Self {
            usual: Duration::from_millis(120),
            worst: Duration::from_millis(1_120),
            known: None,
            is_hidden: false,
        }
    }
}

/// Running estimate of the lag of a move.
#[derive(Clone, Debug, Default)]
pub struct Lag {
    /// The last moves, the oldest first.
    measured: VecDeque<LagSample>,
    /// Number of the last of them that are of this game: the next one may be over another network.
    in_game: usize,
    last: Option<TimedMove>,
}

/// A move whose time the referee has told.
#[derive(Clone, Copy, Debug)]
struct LagSample {
    /// Charged time beyond the time that the move took here.
    lag: Duration,
    /// The referee charged whole seconds.
    is_whole: bool,
}

/// The last move: its clock as it was sent, and the time that it took here.
#[derive(Clone, Debug)]
struct TimedMove {
    side: Color,
    main: Duration,
    taken: Option<Duration>,
}

impl Lag {
    /// Notes the clock at the start of a move, and learns from it the lag of the last move.
    pub fn begin(&mut self, side: Color, clock: &Clock) {
        let (main, increment) = of_side(clock, side);
        let main = Duration::from_millis(main);
        if let Some(TimedMove {
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
                let is_whole = charged.subsec_millis() == 0;
                self.measured.push_back(LagSample { lag, is_whole });
                self.in_game = REMEMBERED.min(self.in_game + 1);
            }
        }
        self.last = Some(TimedMove {
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

    /// Begins a game. The estimate stays, but the lag has to be seen anew before less than usual is set aside.
    pub fn begin_game(&mut self) {
        self.forget_clock();
        self.in_game = 0;
    }

    /// Forgets the last clock, so that the next one teaches nothing.
    pub fn forget_clock(&mut self) {
        self.last = None;
    }

    /// Returns the time to set aside for a move of `side` with this clock; without one, for a ponder, whose
    /// clock may come later.
    ///
    /// Before the lag is known, that is what clients and networks take: less while the main time is
    /// plentiful, more when a late move would lose. A clock in whole seconds hides the lag, so that
    /// nothing smaller is believed. Servers and GUIs count byoyomi in seconds: a shorter one is that of a
    /// referee on the same machine, and a fifth of it is kept, or 30 ms.
    pub fn to_keep(&self, side: Color, clock: Option<&Clock>, delays: &NetworkDelays) -> Overhead {
        let measured = Overhead {
            kept: self.allowance(),
            lost: self.allowance(),
        };
        if let Some(known) = delays.known {
            return measured.larger(known.into());
        }
        if self.is_known() && !delays.is_hidden {
            return Overhead {
                kept: measured.kept.max(LEAST_KNOWN),
                ..measured
            };
        }
        let (main, increment) = clock.map_or((0, 0), |clock| of_side(clock, side));
        let byoyomi = Duration::from_millis(clock.map_or(0, |clock| clock.byoyomi_ms));
        let assumed = match Duration::from_millis(main) {
            Duration::ZERO
                if increment == 0 && !byoyomi.is_zero() && byoyomi < SHORTEST_OVER_NETWORKS =>
            {
                let local = (byoyomi / LOCAL_SHARE).max(LEAST_LOCAL);
                delays.worst.min(local).min(byoyomi / LARGEST_LOCAL_SHARE)
            }
            main if main >= PLENTIFUL => delays.usual,
            _ => delays.worst,
        };
        measured.larger(Overhead {
            kept: assumed,
            lost: assumed.min(delays.usual),
        })
    }

    /// Returns whether the clock of this game has shown the lag.
    fn is_known(&self) -> bool {
        let mut in_game = self.measured.iter().rev().take(self.in_game);
        self.in_game >= TRUSTED_AFTER && !in_game.all(|one| one.is_whole)
    }

    /// Returns true if the referee was seen to charge whole seconds only.
    pub fn counts_whole_seconds(&self) -> bool {
        self.measured.len() >= TRUSTED_AFTER && self.measured.iter().all(|one| one.is_whole)
    }

    /// Returns the time that the last moves have lost: the mean lag of the last moves and four times their
    /// mean deviation; zero before the first measurement. The largest one is left out: in byoyomi, which
    /// allows no further measurements, a single outlier would cost every move.
    fn allowance(&self) -> Duration {
        let lags = || self.measured.iter().map(|one| one.lag);
        let Some(largest) = lags().max() else {
            return Duration::ZERO;
        };
        let others = self.measured.len() as u32 - 1;
        if others == 0 {
            return largest.min(LARGEST_ALONE);
        }
        let mean = (lags().sum::<Duration>() - largest) / others;
        let deviation = |lag: Duration| lag.abs_diff(mean);
        let deviations = lags().map(deviation).sum::<Duration>();
        mean + (deviations - deviation(largest)) / others * DEVIATIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time to keep after moves that took `taken` here and `charged` by the referee.
    fn kept_after(moves: impl IntoIterator<Item = (u64, u64)>, delays: &NetworkDelays) -> u128 {
        let mut lag = Lag::default();
        let mut left = 1_000_000;
        lag.begin(Color::Black, &clock(left, 0));
        for (taken, charged) in moves {
            lag.end(Duration::from_millis(taken));
            left -= charged;
            lag.begin(Color::Black, &clock(left, 0));
        }
        let byoyomi = Clock {
            byoyomi_ms: 10_000,
            ..Clock::default()
        };
        let kept = lag.to_keep(Color::Black, Some(&byoyomi), delays).kept;
        let pondering = lag.to_keep(Color::Black, None, delays).kept;
        assert_eq!(kept, pondering, "the clock of a ponder may be any");
        kept.as_millis()
    }

    #[test]
    fn slow_clients_are_assumed_until_the_clock_shows_a_local_one() {
        let assumed = NetworkDelays::default();
        assert_eq!(kept_after([], &assumed), 1_120);
        let local = |moves| std::iter::repeat_n((1_500, 1_503), moves);
        assert_eq!(kept_after(local(3), &assumed), 1_120);
        assert_eq!(kept_after(local(4), &assumed), 50);
        let far = std::iter::repeat_n((1_500, 1_850), 6);
        assert_eq!(kept_after(far, &assumed), 350);
        let plenty = Lag::default().to_keep(Color::Black, Some(&clock(60_000, 0)), &assumed);
        assert_eq!(plenty.kept.as_millis(), 120);
        let byoyomi = |byoyomi_ms| Clock {
            byoyomi_ms,
            ..Clock::default()
        };
        for (byoyomi_ms, kept) in [(60, 20), (100, 30), (300, 60), (999, 199), (1_000, 1_120)] {
            let short = byoyomi(byoyomi_ms);
            let found = Lag::default().to_keep(Color::Black, Some(&short), &assumed);
            assert_eq!(found.kept.as_millis(), kept);
        }
    }

    #[test]
    fn another_game_may_be_over_a_slower_network() {
        let mut lag = Lag::default();
        let main_time = |lag: &mut Lag| {
            for left in [500_000, 498_997, 497_994, 496_991, 495_988] {
                lag.begin(Color::Black, &clock(left, 0));
                lag.end(Duration::from_millis(1_000));
            }
        };
        main_time(&mut lag);
        let byoyomi = Clock {
            byoyomi_ms: 10_000,
            ..Clock::default()
        };
        let kept = |lag: &Lag, clock: &Clock| {
            let delays = NetworkDelays::default();
            lag.to_keep(Color::Black, Some(clock), &delays)
                .kept
                .as_millis()
        };
        assert_eq!(kept(&lag, &byoyomi), 50);
        lag.begin_game();
        assert_eq!(kept(&lag, &byoyomi), 1_120);
        assert_eq!(kept(&lag, &clock(600_000, 0)), 120);
        main_time(&mut lag);
        assert_eq!(kept(&lag, &byoyomi), 50);
    }

    #[test]
    fn a_clock_in_whole_seconds_proves_nothing() {
        // A server that drops parts of a second hides a delay of 300 ms.
        let moves = [1_500, 2_650, 1_100, 3_400, 2_200];
        let moves = moves.map(|taken| (taken, (taken + 300) / 1_000 * 1_000));
        assert_eq!(kept_after(moves, &NetworkDelays::default()), 1_120);
    }

    #[test]
    fn parts_of_a_second_that_a_client_takes_off_a_clock_in_whole_seconds_prove_nothing() {
        // After a missed ponder, `monju csa` sends the clock less the time that has passed.
        let mut lag = Lag::default();
        for left in [600_000, 598_000, 596_000, 594_000, 591_963] {
            lag.begin(Color::Black, &clock(left, 0));
            lag.end(Duration::from_millis(2_880));
        }
        lag.begin(Color::Black, &clock(590_000, 0));
        let byoyomi = Clock {
            byoyomi_ms: 10_000,
            ..Clock::default()
        };
        for (is_hidden, kept) in [(true, 1_120), (false, 50)] {
            let delays = NetworkDelays {
                is_hidden,
                ..NetworkDelays::default()
            };
            let found = lag.to_keep(Color::Black, Some(&byoyomi), &delays);
            assert_eq!(found.kept.as_millis(), kept, "{is_hidden}");
        }
    }

    #[test]
    fn a_known_delay_replaces_the_assumed_ones() {
        let known = NetworkDelays {
            known: Some(Duration::from_millis(20)),
            ..NetworkDelays::default()
        };
        assert_eq!(kept_after([], &known), 20);
        let far = std::iter::repeat_n((1_500, 1_850), 6);
        assert_eq!(kept_after(far, &known), 350);
    }

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
        lag.begin_game();
        lag.begin(Color::Black, &clock(99_000, 0));
        lag.end(Duration::from_millis(10));
        lag.begin(Color::White, &clock(98_000, 0));
        assert_eq!(lag.allowance(), Duration::ZERO, "another side's clock");
    }
}
