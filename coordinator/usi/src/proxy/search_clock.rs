//! The clock of one search: the time left, the deadline, and the stop.

use super::deadline::{Deductions, hard_deadline, limits_after};
use crate::backend::{GoRequest, SearchControl};
use monju_coordinator::clock::{ClockRules, fallback};
use monju_engine::Color;
use monju_proto::v1::{Clock, Limits};
use monju_team::config;
use std::time::Duration;
use tokio::time::Instant;

/// Time that the coordinator gets to decide after `stop`.
const STOP_GRACE: Duration = Duration::from_secs(1);
/// The same after a missed ponder: the GUI discards the answer, and the next move's clock may run.
const PONDER_GRACE: Duration = Duration::from_millis(50);

/// The time of one search.
#[derive(Debug)]
pub struct SearchClock {
    limits: Limits,
    side: Color,
    /// The use of the clock; its overhead is lost with every move on its way to the referee.
    rules: ClockRules,
    /// Time that the coordinator sets aside of every clock.
    overhead: Duration,
    /// Time that had passed on the clock before the coordinator was asked.
    waited: Duration,
    /// The moment from which the clock runs.
    runs_from: Instant,
    deadline: Option<Instant>,
    is_stopped: bool,
}

impl SearchClock {
    /// Starts the clock, unless the search begins as a ponder.
    pub fn new(request: &GoRequest) -> Self {
        let mut clock = Self {
            limits: request.go.limits,
            side: request.game.position().side_to_move(),
            rules: request.clock_rules,
            overhead: config::OVERHEAD,
            waited: Duration::ZERO,
            runs_from: request.asked,
            deadline: None,
            is_stopped: false,
        };
        clock.set_deadline();
        clock
    }

    /// Takes over the coordinator's overhead, at the moment at which it is asked.
    pub fn ask_coordinator(&mut self, overhead: Duration) {
        self.overhead = overhead;
        self.waited = self.runs_from.elapsed();
        if !self.is_stopped {
            self.set_deadline();
        }
    }

    /// Obeys the GUI. Returns the control that is left for the coordinator to obey.
    pub fn obey(&mut self, control: SearchControl) -> Option<SearchControl> {
        match control {
            SearchControl::Stop => self.stop(),
            SearchControl::PonderHit(clock) => self.ponder_hit(clock),
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

    fn ponder_hit(&mut self, clock: Option<Clock>) -> Option<SearchControl> {
        if self.is_stopped || !self.limits.ponder {
            return None;
        }
        self.limits.ponder = false;
        self.limits.clock = clock.or(self.limits.clock);
        if self.limits == Limits::default() {
            // A game without any limit: the pondered move is played at once.
            return self.stop();
        }
        self.runs_from = Instant::now();
        self.waited = Duration::ZERO;
        self.set_deadline();
        Some(SearchControl::PonderHit(clock))
    }

    fn set_deadline(&mut self) {
        if !self.limits.ponder {
            self.deadline = hard_deadline(&self.limits, self.side, self.deductions())
                .map(|time| self.runs_from + time);
        }
    }

    fn lag(&self) -> Duration {
        self.rules.overhead.kept
    }

    fn deductions(&self) -> Deductions {
        Deductions {
            overhead: self.overhead,
            rules: self.rules,
            waited: self.waited,
        }
    }

    /// Returns the limits that are left now.
    pub fn limits_left(&self) -> Limits {
        match self.limits.ponder {
            true => self.limits,
            false => limits_after(&self.limits, self.side, self.runs_from.elapsed()),
        }
    }

    /// Returns the use of the clock that the coordinator has to make.
    pub fn rules_of_coordinator(&self) -> ClockRules {
        self.deductions().of_coordinator()
    }

    /// Returns the time to set aside for the way of a move that is found without the coordinator.
    pub fn overhead(&self) -> Duration {
        self.overhead.max(self.lag())
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

    /// Returns the middle of the time, if the other half is worth a search.
    pub fn middle(&self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| !self.is_stopped)?;
        fallback::start(self.runs_from, deadline)
    }

    /// Returns true if there is time for a search from now on.
    pub fn has_time_to_search(&self) -> bool {
        let is_pondering = self.limits.ponder && !self.is_stopped;
        is_pondering || self.middle().is_some_and(|at| at > Instant::now())
    }

    /// Returns true if the answer is due within `time`.
    pub fn is_due_within(&self, time: Duration) -> bool {
        let latest = Instant::now() + time;
        self.is_stopped || self.deadline.is_some_and(|deadline| deadline <= latest)
    }

    /// Returns the part of the answer's margin that a search which has to end may use up.
    pub fn margin(&self) -> Duration {
        let margin = (self.overhead / 2).max(self.lag());
        let time = self.deadline.map_or(margin, |deadline| {
            deadline.saturating_duration_since(self.runs_from)
        });
        margin.min(time / 4)
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
