//! The deadlines of one consultation: set by its clock, moved by how the players agree.

use crate::clock::{Agreement, AgreementTracker, Budget, Deadlines, Observation, TimePolicy};
use monju_proto::v1::{Arrival, Ballot, Bound, Score, Vote};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

/// How often the players' agreement is looked at, at most.
const REVIEW_INTERVAL: Duration = Duration::from_millis(20);

/// Mates count as this many centipawns, and no score as more: what is won is won.
const CLEARLY_WON: i32 = 2_000;

/// When to stop the players, and when to decide.
#[derive(Debug)]
pub(super) struct Pace {
    time_policy: TimePolicy,
    /// From the end of the time to the decision, for those who have not answered.
    margin: Duration,
    clock: Option<RunningClock>,
    tracker: AgreementTracker,
    agreement: Option<Agreement>,
    /// The players were told to stop: nothing is judged any more.
    stopped: bool,
    stop_at: Option<Instant>,
    decide_at: Option<Instant>,
    review_at: Option<Instant>,
    last_review: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct RunningClock {
    budget: Budget,
    round_trip: Duration,
    /// Since when it runs.
    from: Instant,
    /// Since when the players think: earlier than the clock runs, after a ponder.
    thinking_from: Instant,
}

impl Pace {
    /// No deadline yet. When there is one, the decision may come `margin` later than the time allows.
    pub fn without_a_clock(time_policy: TimePolicy, margin: Duration) -> Self {
        Self {
            time_policy,
            margin,
            clock: None,
            tracker: AgreementTracker::default(),
            agreement: None,
            stopped: false,
            stop_at: None,
            decide_at: None,
            review_at: None,
            last_review: None,
        }
    }

    /// The clock runs from now on. `round_trip` is the slowest worker's; the players have been
    /// thinking since `thinking_from`.
    pub fn start(&mut self, budget: Budget, round_trip: Duration, thinking_from: Instant) {
        self.clock = Some(RunningClock {
            budget,
            round_trip,
            from: Instant::now(),
            thinking_from,
        });
        self.set_deadlines();
    }

    /// When the players are told to stop.
    pub fn stop_at(&self) -> Option<Instant> {
        self.stop_at
    }

    /// When the decision falls.
    pub fn decide_at(&self) -> Option<Instant> {
        self.decide_at
    }

    /// When the players' agreement is to be looked at.
    pub fn review_at(&self) -> Option<Instant> {
        self.review_at
    }

    /// Whether a decision that cannot change any more is made at once.
    pub fn ends_early(&self) -> bool {
        self.time_policy != TimePolicy::Fixed
    }

    /// Something was said that may change what is known.
    pub fn ask_for_review(&mut self) {
        if self.time_policy == TimePolicy::Fixed || self.stopped || self.review_at.is_some() {
            return;
        }
        let now = Instant::now();
        let due = self.last_review.map(|last| last + REVIEW_INTERVAL);
        self.review_at = Some(due.map_or(now, |due| due.max(now)));
    }

    /// There is nothing to look at yet.
    pub fn postpone_review(&mut self) {
        self.review_at = None;
        self.last_review = Some(Instant::now());
    }

    /// Judges from the votes as they stand how long to think.
    pub fn judge(&mut self, standing: &Ballot, leader: &str) {
        self.postpone_review();
        if self.time_policy != TimePolicy::Agreement || self.stopped {
            return;
        }
        let observations: Vec<_> = standing.votes.iter().map(observation).collect();
        // Whoever was lost before he had an opinion is no reason to think longer.
        let votes = standing.votes.iter().zip(&observations);
        let gone = votes
            .filter(|(vote, observation)| {
                vote.arrival() == Arrival::Failed && observation.is_none()
            })
            .count();
        self.agreement = Some(self.tracker.observe(leader, &observations, gone));
        self.set_deadlines();
    }

    /// The players have been told to stop.
    pub fn stopped(&mut self) {
        self.stopped = true;
        self.stop_at = None;
        self.review_at = None;
    }

    /// Whether the players have been told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Decides at the latest so long from now.
    pub fn decide_within(&mut self, patience: Duration) {
        let latest = Instant::now() + patience;
        self.decide_at = Some(self.decide_at.map_or(latest, |at| at.min(latest)));
    }

    fn set_deadlines(&mut self) {
        let Some(RunningClock {
            budget,
            round_trip,
            from,
            thinking_from,
        }) = self.clock
        else {
            return;
        };
        let target = self.time_policy.target(&budget, self.agreement.as_ref());
        let deadlines = Deadlines::new(target, round_trip);
        // What was pondered was thought about as well; that only an easy move takes into account.
        let since = match target < budget.normal {
            true => thinking_from,
            false => from,
        };
        let now = Instant::now();
        let stop_at = (since + deadlines.stop).max(now);
        // Players that are stopped at once need the same time to answer as any others, within what
        // the clock allows.
        let decide_at = stop_at + (deadlines.decide - deadlines.stop);
        self.stop_at = Some(stop_at);
        self.decide_at = Some(decide_at.min(from + budget.most) + self.margin);
    }
}

/// What a vote tells the clock.
fn observation(vote: &Vote) -> Option<Observation<'_>> {
    let line = vote.line.as_ref().filter(|_| vote.legal)?;
    Some(Observation {
        mv: line.chosen(),
        depth: line.depth,
        score: line.score.as_ref().and_then(centipawns),
    })
}

fn centipawns(score: &Score) -> Option<i32> {
    if score.bound() == Bound::Lower {
        return None;
    }
    Some(score.centipawns()?.clamp(-CLEARLY_WON, CLEARLY_WON))
}

/// Whether `leader` has the most votes whatever the players that are still thinking will say, or
/// more than half of all the votes there can be where that is needed. Only final votes count for
/// sure: a provisional one may still change. What lost players said last, perhaps early, stands against a
/// lead but is none: a network that stalls must not end the thinking of those that are left.
pub(super) fn cannot_be_overtaken(standing: &Ballot, leader: &str, needs_half: bool) -> bool {
    let mut certain = BTreeMap::<&str, usize>::new();
    let mut leading = 0;
    let mut open = 0;
    for vote in &standing.votes {
        match vote.arrival() {
            Arrival::Final => {
                if let Some(observation) = observation(vote) {
                    *certain.entry(observation.mv).or_default() += 1;
                    leading += usize::from(observation.mv == leader);
                }
            }
            // Its player is gone, but its last move counts.
            Arrival::Failed if vote.counted => {
                if let Some(observation) = observation(vote) {
                    *certain.entry(observation.mv).or_default() += 1;
                }
            }
            Arrival::Unspecified | Arrival::Provisional => open += 1,
            // Said so far by somebody who may still think better of it, or for good: either way it
            // can do no more harm than an open vote.
            Arrival::Illegal | Arrival::Resigned | Arrival::DeclaredWin => open += 1,
            Arrival::Failed | Arrival::Late => {}
        }
    }
    let total: usize = certain.values().sum();
    certain.remove(leader);
    let second = certain.into_values().max().unwrap_or(0);
    leading > second + open && (!needs_half || leading * 2 > total + open)
}

#[cfg(test)]
mod tests;
