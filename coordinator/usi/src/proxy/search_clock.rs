//! The clock of one search: the time left, the deadline, and the stop.

use super::deadline::{Deductions, answer_times, is_scramble, limits_after};
use crate::{
    backend::{GoRequest, SearchControl},
    scheduling_delay::SchedulingDelay,
};
use monju_coordinator::clock::{ClockRules, Turn, budget, fallback, time_for_one_move};
use monju_engine::Color;
use monju_proto::{
    convert::milliseconds,
    v1::{Clock, Limits},
};
use monju_team::config;
use std::time::Duration;
use tokio::time::Instant;

/// Time that the coordinator gets to decide after `stop`.
const STOP_GRACE: Duration = Duration::from_secs(1);
/// The same after a missed ponder: the GUI discards the answer, and the next move's clock may run.
const PONDER_GRACE: Duration = Duration::from_millis(50);

/// Largest share, as a divisor, of the time until the deadline that is kept for the way of a late coordinator's
/// decision.
const DECISION_SHARE: u32 = 8;
/// Least cut of a clock for a late coordinator.
const LEAST_CUT: Duration = Duration::from_millis(1);
/// Most cuts of a clock for a late coordinator. Each takes off at least half of what is too much.
const MOST_CUTS: u32 = 12;
/// Time that the fallback player searches when the answer is due.
const DUE_TIME: Duration = Duration::from_millis(10);
/// Bounds of the wait for its answer after that; it takes 5 ms.
const END_PATIENCE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(40));

/// The time of one search.
#[derive(Debug)]
pub struct SearchClock {
    limits: Limits,
    turn: Turn,
    /// The use of the clock; its overhead is lost with every move on its way to the referee.
    rules: ClockRules,
    /// Time that the coordinator sets aside of every clock.
    overhead: Duration,
    /// Time that had passed on the clock before the coordinator was asked.
    waited: Duration,
    /// The moment from which the clock runs.
    runs_from: Instant,
    deadline: Option<Instant>,
    /// The latest end of a search for an answer, if there is none at the deadline.
    last_resort: Option<Instant>,
    /// The delay of this machine.
    delay: SchedulingDelay,
    /// Time by which this machine may be late with an answer.
    reserve: Duration,
    /// Nothing was heard of the coordinator the last time.
    is_silent: bool,
    is_stopped: bool,
}

/// The waits for the fallback player's move when the answer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastResort {
    /// Time until the search is told to end.
    pub due: Duration,
    /// Time that it gets to end.
    pub patience: Duration,
}

impl SearchClock {
    /// Starts the clock, unless the search begins as a ponder.
    pub fn new(request: &GoRequest, delay: SchedulingDelay) -> Self {
        let mut clock = Self {
            limits: request.go.limits,
            turn: request.game.position().into(),
            rules: request.clock_rules,
            overhead: config::OVERHEAD,
            waited: Duration::ZERO,
            runs_from: request.asked,
            deadline: None,
            last_resort: None,
            reserve: delay.reserve(request.time()),
            delay,
            is_silent: false,
            is_stopped: false,
        };
        clock.set_deadline();
        clock
    }

    /// Takes over the coordinator's overhead, and whether it was silent the last time, at the moment at which it is
    /// asked.
    pub fn ask_coordinator(&mut self, overhead: Duration, is_silent: bool) {
        self.overhead = overhead;
        self.is_silent = is_silent;
        self.waited = self.runs_from.elapsed();
        if !self.is_stopped {
            self.set_deadline();
        }
    }

    /// Notes that the coordinator that was asked has answered.
    pub fn note_answer(&mut self) {
        if std::mem::take(&mut self.is_silent) && !self.is_stopped {
            self.set_deadline();
        }
    }

    /// Obeys the GUI. Returns the control that is left for the coordinator to obey.
    pub fn handle(&mut self, control: SearchControl) -> Option<SearchControl> {
        match control {
            SearchControl::Stop => self.stop(),
            SearchControl::PonderHit { clock, at } => self.ponder_hit(clock, at),
        }
    }

    fn stop(&mut self) -> Option<SearchControl> {
        if self.is_stopped {
            return None;
        }
        self.is_stopped = true;
        let grace = match self.is_missed_ponder() {
            true => PONDER_GRACE,
            false => STOP_GRACE,
        };
        let latest = Instant::now() + grace;
        let deadline = self.deadline.map_or(latest, |at| at.min(latest));
        self.deadline = Some(deadline);
        Some(SearchControl::Stop)
    }

    fn ponder_hit(
        &mut self,
        clock: Option<(Clock, ClockRules)>,
        at: Instant,
    ) -> Option<SearchControl> {
        if self.is_stopped || !self.limits.ponder {
            return None;
        }
        self.limits.ponder = false;
        if let Some((clock, rules)) = clock {
            self.limits.clock = Some(clock);
            self.rules = rules;
        }
        if self.limits == Limits::default() {
            // A game without any limit: the pondered move is played at once.
            return self.stop();
        }
        self.runs_from = at;
        self.waited = Duration::ZERO;
        let time = (self.limits.clock).map(|clock| time_for_one_move(&clock, self.turn.side));
        self.reserve = (self.reserve).max(self.delay.reserve(time.unwrap_or_default()));
        self.set_deadline();
        Some(SearchControl::PonderHit { clock, at })
    }

    fn set_deadline(&mut self) {
        if !self.limits.ponder {
            let times = answer_times(&self.limits, self.turn, self.deductions());
            self.deadline = times.map(|times| self.runs_from + times.deadline);
            self.last_resort = times.map(|times| self.runs_from + times.last_resort);
        }
    }

    fn deductions(&self) -> Deductions {
        Deductions {
            overhead: self.overhead,
            rules: self.rules,
            waited: self.waited,
            reserve: self.reserve,
            is_silent: self.is_silent,
        }
    }

    /// Returns true where so little time is left, and nothing is added to it, that no team is to be asked.
    pub fn is_scramble(&self) -> bool {
        !self.limits.ponder && is_scramble(&self.limits, self.turn.side)
    }

    /// Returns the limits that are left now.
    pub fn limits_left(&self) -> Limits {
        match self.limits.ponder {
            true => self.limits,
            false => limits_after(&self.limits, self.turn.side, self.runs_from.elapsed()),
        }
    }

    /// Returns the limits for a coordinator that is asked now. One that is asked late plans with less time than was
    /// there at first, so that the clock is cut where its decision would come behind the deadline.
    pub fn limits_of_coordinator(&self) -> Limits {
        let mut left = self.limits_left();
        let Some(deadline) = self.deadline.filter(|_| !self.limits.ponder) else {
            return left;
        };
        // Clocks are told in whole milliseconds.
        let elapsed = Duration::from_millis(milliseconds(self.runs_from.elapsed()));
        let until_deadline = deadline.saturating_duration_since(self.runs_from + elapsed);
        let latest = until_deadline - (self.overhead / 2).min(until_deadline / DECISION_SHARE);
        for _ in 0..MOST_CUTS {
            let planned = budget(&left, self.turn, self.rules_of_coordinator());
            let late = planned.map_or(Duration::ZERO, |planned| {
                planned.most.saturating_sub(latest)
            });
            match left.clock {
                _ if late.is_zero() => break,
                // A time of its own allows no early end, and none is lost.
                Some(clock) if left.time_ms.is_none() => {
                    left.clock = Some(shortened(clock, self.turn.side, late.max(LEAST_CUT)));
                }
                _ => left.time_ms = Some(milliseconds(latest).max(1)),
            }
        }
        left
    }

    /// Returns the use of the clock that the coordinator has to make.
    pub fn rules_of_coordinator(&self) -> ClockRules {
        self.deductions().of_coordinator()
    }

    /// Returns the time to set aside for the way of a move that is found without the coordinator.
    pub fn overhead(&self) -> Duration {
        self.overhead.max(self.deductions().with_last_resort())
    }

    /// Returns the latest moment of the answer; `None` if no clock runs.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the latest moment at which the coordinator may still be asked: after half of the time.
    pub fn ask_by(&self) -> Option<Instant> {
        let deadline = self.deadline?;
        Some(fallback::middle(self.runs_from, deadline))
    }

    /// Returns the middle of the time.
    pub fn middle(&self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| !self.is_stopped)?;
        Some(fallback::middle(self.runs_from, deadline))
    }

    /// Returns true if there is time for a search from now on: before `stop`, where no clock runs, too.
    pub fn has_time_to_search(&self) -> bool {
        let is_early = |deadline| {
            let start = fallback::start(self.runs_from, deadline);
            start.is_some_and(|at| at > Instant::now())
        };
        !self.is_stopped && self.deadline.is_none_or(is_early)
    }

    /// Returns the time that is left for a search from now on that is over before the deadline; `None` if
    /// a glance at the position is all that can be had.
    pub fn time_to_search(&self) -> Option<Duration> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        (left >= fallback::LEAST_USEFUL).then(|| left - DUE_TIME)
    }

    /// Returns true if an answer has to be found at once.
    pub fn is_due(&self) -> bool {
        let latest = Instant::now() + DUE_TIME;
        self.is_stopped || self.deadline.is_some_and(|deadline| deadline <= latest)
    }

    /// Returns the waits for the fallback player's move now that the answer is due.
    pub fn last_resort(&self) -> LastResort {
        let longest = DUE_TIME + END_PATIENCE.1;
        let left = self.last_resort.map_or(longest, |latest| {
            latest.saturating_duration_since(Instant::now())
        });
        let due = DUE_TIME.min(left.saturating_sub(END_PATIENCE.0));
        LastResort {
            due,
            patience: (left - due).clamp(END_PATIENCE.0, END_PATIENCE.1),
        }
    }

    /// Returns true after `stop`.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Returns true after a `stop` in the middle of a ponder: the GUI discards the answer.
    pub fn is_missed_ponder(&self) -> bool {
        self.is_stopped && self.limits.ponder
    }
}

/// Returns a clock with so much less time for the next move of a side: of its byoyomi first. Main time does not end,
/// since without it a move may use the whole increment.
fn shortened(clock: Clock, side: Color, by: Duration) -> Clock {
    let by = milliseconds(by);
    let rest = by.saturating_sub(clock.byoyomi_ms);
    let mut shorter = clock;
    shorter.byoyomi_ms = clock.byoyomi_ms.saturating_sub(by);
    let main = match side {
        Color::Black => &mut shorter.black_ms,
        Color::White => &mut shorter.white_ms,
    };
    *main = main.saturating_sub(rest).max(1).min(*main);
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::GoSearch;
    use monju_engine::Game;
    use tokio::time::{advance, sleep_until};

    /// A machine whose timers have fired late by this.
    fn late_by(ms: u64) -> SchedulingDelay {
        let delay = SchedulingDelay::default();
        delay.note(Duration::from_millis(ms));
        delay
    }

    fn clock_of(byoyomi_ms: u64, lag_ms: u64, reserve_ms: u64) -> SearchClock {
        let limits = Limits {
            clock: Some(Clock {
                byoyomi_ms,
                ..Clock::default()
            }),
            ..Limits::default()
        };
        let request = GoRequest {
            game: Game::startpos(),
            go: GoSearch {
                limits,
                ..GoSearch::default()
            },
            asked: Instant::now(),
            clock_rules: Duration::from_millis(lag_ms).into(),
        };
        SearchClock::new(&request, late_by(reserve_ms - 10))
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_resort_ends_a_reserve_before_the_flag() {
        for (byoyomi, reserves) in [(100, [10, 40]), (300, [10, 60]), (1_000, [10, 60])] {
            for reserve in reserves {
                for lag in [0, 50, 1_120] {
                    let flag = Instant::now() + Duration::from_millis(byoyomi);
                    let clock = clock_of(byoyomi, lag, reserve);
                    assert!(!clock.is_due());
                    sleep_until(clock.deadline().expect("a clock")).await;
                    assert!(clock.is_due());
                    let LastResort { due, patience } = clock.last_resort();
                    let answered = Instant::now() + due + patience;
                    let latest = flag - Duration::from_millis(reserve);
                    assert!(answered <= latest, "{byoyomi} {reserve} {lag}");
                    assert!(due >= Duration::from_millis(5), "{byoyomi} {reserve} {lag}");
                }
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_coordinator_that_is_asked_late_decides_before_the_deadline() {
        for byoyomi in [300, 1_000, 3_000, 10_000] {
            for lag in [0, 200, 1_120] {
                let mut clock = clock_of(byoyomi, lag, 10);
                let overhead = Duration::from_millis(100);
                clock.ask_coordinator(overhead, false);
                assert_eq!(clock.limits_of_coordinator(), clock.limits, "asked at once");
                // The way from the GUI's line to the coordinator turned every clock into a fixed time.
                advance(Duration::from_micros(300)).await;
                assert_eq!(clock.limits_of_coordinator(), clock.limits, "asked soon");
                advance(Duration::from_micros(700)).await;
                sleep_until(clock.middle().expect("a clock")).await;
                let limits = clock.limits_of_coordinator();
                let planned = budget(&limits, clock.turn, clock.rules_of_coordinator());
                let planned = planned.expect("a clock").most;
                let left = clock.deadline().expect("a clock") - Instant::now();
                let way = (overhead / 2).min(left / DECISION_SHARE);
                assert!(
                    planned + way <= left && limits.time_ms.is_none(),
                    "{byoyomi} {lag}: {planned:?} of {left:?}"
                );
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_fallback_player_looks_at_the_position_in_the_middle_of_any_clock() {
        let clock = clock_of(100, 0, 10);
        let (middle, deadline) = (clock.middle(), clock.deadline());
        assert!(middle < deadline && middle.is_some());
        assert_eq!(clock.time_to_search(), None, "a glance is enough");
        assert!(!clock.has_time_to_search());
        let clock = clock_of(1_000, 0, 10);
        sleep_until(clock.middle().expect("a clock")).await;
        let time = clock.time_to_search().expect("half of the time");
        assert_eq!(time, Duration::from_millis(475) - DUE_TIME);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_start_leaves_little_to_the_last_resort() {
        let clock = clock_of(100, 0, 10);
        sleep_until(Instant::now() + Duration::from_millis(95)).await;
        let least = LastResort {
            due: Duration::ZERO,
            patience: END_PATIENCE.0,
        };
        assert_eq!(clock.last_resort(), least);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_before_a_ponder_hit_is_reckoned_with_after_it() {
        let byoyomi = |byoyomi_ms| Clock {
            byoyomi_ms,
            ..Clock::default()
        };
        let request = GoRequest {
            game: Game::startpos(),
            go: GoSearch {
                limits: Limits {
                    ponder: true,
                    ..Limits::default()
                },
                ..GoSearch::default()
            },
            asked: Instant::now(),
            clock_rules: Duration::from_millis(50).into(),
        };
        let delay = SchedulingDelay::default();
        let mut clock = SearchClock::new(&request, delay.clone());
        clock.ask_coordinator(Duration::from_millis(100), false);
        delay.note(Duration::from_millis(500));
        let at = Instant::now();
        let hit = SearchControl::PonderHit {
            clock: Some((byoyomi(10_000), Duration::from_millis(200).into())),
            at,
        };
        let Some(SearchControl::PonderHit {
            clock: Some((told, _)),
            ..
        }) = clock.handle(hit)
        else {
            panic!("the coordinator hears of the hit");
        };
        let flag = at + Duration::from_secs(10);
        let deadline = clock.deadline().expect("a clock");
        assert!(
            flag - deadline >= Duration::from_millis(710),
            "{deadline:?}"
        );
        let limits = Limits {
            clock: Some(told),
            ..Limits::default()
        };
        let planned = budget(&limits, clock.turn, clock.rules_of_coordinator());
        let planned = planned.expect("a clock");
        assert!(at + planned.most <= deadline, "{planned:?}");
        assert_eq!(
            shortened(byoyomi(300), Color::Black, Duration::from_millis(450)),
            byoyomi(0)
        );
        let main = Clock {
            black_ms: 900,
            white_ms: 900,
            byoyomi_ms: 100,
            ..Clock::default()
        };
        let shorter = Clock {
            white_ms: 550,
            byoyomi_ms: 0,
            ..main
        };
        assert_eq!(
            shortened(main, Color::White, Duration::from_millis(450)),
            shorter
        );
        let short = Clock {
            black_ms: 30,
            black_increment_ms: 10_000,
            ..Clock::default()
        };
        let shorter = Clock {
            black_ms: 1,
            ..short
        };
        assert_eq!(
            shortened(short, Color::Black, Duration::from_millis(50)),
            shorter
        );
    }
}
