//! The deadlines of one consultation, set by its clock and moved by the agreement of the players.

use super::laggards::RoundTrips;
use crate::clock::{Budget, Deadlines, Evidence, TimePolicy};
use monju_engine::{
    danger::Danger,
    judge::{
        Agreement, AgreementTracker, JudgeKind, JudgeWeights, Observation, TeamProgress, TimeStage,
    },
};
use monju_proto::v1::{Arrival, Ballot, Bound, Score, Vote};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

/// Shortest interval between two reviews of the agreement.
const REVIEW_INTERVAL: Duration = Duration::from_millis(20);

/// The moments of the stop and of the decision.
#[derive(Debug)]
pub(super) struct DecisionTimer {
    time_policy: TimePolicy,
    /// Time from the deadline to the decision, for players that have not answered.
    margin: Duration,
    clock: Option<RunningClock>,
    tracker: AgreementTracker,
    seen: Option<ReviewFindings>,
    /// The players were told to stop, which ends the reviews.
    stopped: bool,
    stop_at: Option<Instant>,
    /// `None` without laggards, and once they were stopped.
    laggards_stop_at: Option<Instant>,
    laggards_stopped: bool,
    decide_at: Option<Instant>,
    review_at: Option<Instant>,
    last_review: Option<Instant>,
}

/// The findings of the last review.
#[derive(Clone, Copy, Debug)]
struct ReviewFindings {
    agreement: Agreement,
    /// After the leading move the opponent wins material.
    in_danger: bool,
}

#[derive(Clone, Copy, Debug)]
struct RunningClock {
    budget: Budget,
    round_trips: RoundTrips,
    /// The moment from which it runs.
    from: Instant,
    /// The moment from which the players think: earlier than `from` after a ponder.
    thinking_from: Instant,
}

impl DecisionTimer {
    /// A timer without a deadline. Later ones are extended by `margin`.
    pub fn without_a_clock(time_policy: TimePolicy, margin: Duration) -> Self {
        Self {
            time_policy,
            margin,
            clock: None,
            tracker: AgreementTracker::default(),
            seen: None,
            stopped: false,
            stop_at: None,
            laggards_stop_at: None,
            laggards_stopped: false,
            decide_at: None,
            review_at: None,
            last_review: None,
        }
    }

    /// Starts the clock, which runs since `from`. The players have been thinking since `thinking_from`.
    pub fn start(
        &mut self,
        budget: Budget,
        round_trips: RoundTrips,
        from: Instant,
        thinking_from: Instant,
    ) {
        self.clock = Some(RunningClock {
            budget,
            round_trips,
            from,
            thinking_from,
        });
        self.set_deadlines();
    }

    /// Returns the moment to stop the players.
    pub fn stop_at(&self) -> Option<Instant> {
        self.stop_at
    }

    /// Returns the moment to stop the players of workers that are farther away than most.
    pub fn laggards_stop_at(&self) -> Option<Instant> {
        self.laggards_stop_at
    }

    /// Notes that these players were told to stop.
    pub fn stopped_laggards(&mut self) {
        self.laggards_stopped = true;
        self.laggards_stop_at = None;
    }

    /// Returns the moment of the decision.
    pub fn decide_at(&self) -> Option<Instant> {
        self.decide_at
    }

    /// Returns the moment of the next review.
    pub fn review_at(&self) -> Option<Instant> {
        self.review_at
    }

    /// Returns true if a decision that cannot change any more is made at once.
    pub fn ends_early(&self) -> bool {
        self.time_policy != TimePolicy::Fixed
    }

    /// Schedules a review, after an event that may change the agreement.
    pub fn schedule_review(&mut self) {
        if self.time_policy == TimePolicy::Fixed || self.stopped || self.review_at.is_some() {
            return;
        }
        let now = Instant::now();
        let due = self.last_review.map(|last| last + REVIEW_INTERVAL);
        self.review_at = Some(due.map_or(now, |due| due.max(now)));
    }

    /// Skips a review.
    pub fn skip_review(&mut self) {
        self.review_at = None;
        self.last_review = Some(Instant::now());
    }

    /// Sets the deadlines anew by the agreement of the current votes.
    pub fn judge(&mut self, standing: &Ballot, leader: &str) {
        self.skip_review();
        if !self.time_policy.follows_agreement() || self.stopped {
            return;
        }
        let observations: Vec<_> = standing.votes.iter().map(observation).collect();
        // A player that failed without a move is no reason to think longer.
        let votes = standing.votes.iter().zip(&observations);
        let gone = votes
            .filter(|(vote, observation)| {
                vote.arrival() == Arrival::Failed && observation.is_none()
            })
            .count();
        let agreement = self.tracker.observe(leader, &observations, gone);
        self.seen = Some(ReviewFindings {
            agreement,
            in_danger: standing.votes.iter().any(|vote| is_danger(vote, leader)),
        });
        self.set_deadlines();
    }

    /// Notes that the players were told to stop.
    pub fn stopped(&mut self) {
        self.stopped = true;
        self.stop_at = None;
        self.stopped_laggards();
        self.review_at = None;
    }

    /// Returns true if the players were told to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Moves the decision to at most `patience` from now.
    pub fn decide_within(&mut self, patience: Duration) {
        let latest = Instant::now() + patience;
        self.decide_at = Some(self.decide_at.map_or(latest, |at| at.min(latest)));
    }

    /// Returns the evidence for the time policy, judged by the learned weights if the policy is `learned`.
    fn evidence(&self, seen: ReviewFindings, budget: &Budget, thinking_from: Instant) -> Evidence {
        let ReviewFindings {
            agreement,
            in_danger,
        } = seen;
        if self.time_policy != TimePolicy::Learned {
            return Evidence::Votes {
                agreement,
                in_danger,
            };
        }
        let stage = TimeStage::of(thinking_from.elapsed(), budget.most);
        let features = TeamProgress::from(&agreement).features(stage);
        Evidence::Judged(JudgeWeights::own(JudgeKind::Team).judge(&features) >= 0)
    }

    fn set_deadlines(&mut self) {
        let Some(RunningClock {
            budget,
            round_trips,
            from,
            thinking_from,
        }) = self.clock
        else {
            return;
        };
        let evidence = self
            .seen
            .map(|seen| self.evidence(seen, &budget, thinking_from));
        let target = self.time_policy.target(&budget, evidence);
        // Only an easy move counts the time of a ponder as thinking time.
        let since = match target < budget.normal {
            true => thinking_from,
            false => from,
        };
        let now = Instant::now();
        let target = target.max(now - since);
        // The rest of a second that is charged as a whole is thought through.
        let used = (since + target).saturating_duration_since(from);
        let target = target + (budget.charged_until(used) - used);
        let deadlines = Deadlines::new(target, round_trips.usual);
        let stop_at = (since + deadlines.stop).max(now);
        // Players that are stopped at once need the usual time to answer, as far as the clock allows.
        let decide_at = stop_at + (deadlines.decide - deadlines.stop);
        self.stop_at = Some(stop_at);
        let has_laggards = !self.laggards_stopped && round_trips.is_late(round_trips.longest);
        let earlier = Deadlines::new(target, round_trips.longest).stop;
        self.laggards_stop_at = has_laggards.then(|| (since + earlier).max(now));
        self.decide_at = Some(decide_at.min(from + budget.most) + self.margin);
    }
}

/// Tells whether a vote is for a move after which the side loses material.
fn is_danger(vote: &Vote, leader: &str) -> bool {
    vote.danger == Danger::Fails.name() && vote.chosen() == leader
}

/// Returns the observation for the agreement tracker.
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
    score.centipawns()
}

/// Returns true if no vote to come can overtake `leader`, or with `needs_half`, if it is sure of more
/// than half of all votes. Only final votes are certain: a provisional one may still change. The last
/// vote of a failed player counts against a lead but not for it, so that a stalled network does not end
/// the thinking of the other players.
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
            // The last vote of a failed player counts for other moves.
            Arrival::Failed if vote.counted => {
                if let Some(observation) = observation(vote) {
                    *certain.entry(observation.mv).or_default() += 1;
                }
            }
            Arrival::Unspecified | Arrival::Provisional => open += 1,
            // May still change, or does not count; in either case no worse than an open vote.
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
