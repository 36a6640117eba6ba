//! Looks at the ballots of the coordinator, for what must never be there.

use crate::{cluster::Cluster, plan::Plan, worker::position_tag};
use monju_engine::Game;
use monju_proto::v1::{Arrival, Ballot, Vote};
use std::{cmp::Reverse, collections::HashMap, time::Duration};
use tokio::time::Instant;

/// Questions within which a worker votes again.
const QUESTIONS: u32 = 2;
/// Shortest time of a question in which a worker has to vote.
const LEAST_TIME: Duration = Duration::from_millis(100);

/// The knowledge of the workers so far.
pub struct Watch {
    workers: Vec<WatchedWorker>,
    /// The number of ballots so far.
    pub ballots: u64,
    /// Votes that were counted.
    pub counted: u64,
}

struct WatchedWorker {
    name: String,
    /// Its votes prove something: it is honest, and its clock is not slow.
    is_judged: bool,
    well_since: Option<Instant>,
    /// Questions since then that it has missed.
    missed: u32,
    is_back: bool,
}

impl Watch {
    /// Nothing is known yet.
    pub fn new(plan: &Plan) -> Self {
        let workers = plan
            .clocks
            .iter()
            .enumerate()
            .map(|(number, clock)| WatchedWorker {
                name: format!("worker-{}", number + 1),
                is_judged: plan.hostile != Some(number) && *clock >= 100,
                well_since: None,
                missed: 0,
                is_back: false,
            });
        Self {
            workers: workers.collect(),
            ballots: 0,
            counted: 0,
        }
    }

    /// Notes which workers can vote from now on.
    pub fn look(&mut self, cluster: &Cluster) {
        for (number, worker) in self.workers.iter_mut().enumerate() {
            match (cluster.is_well(number), worker.well_since) {
                (true, None) => {
                    worker.well_since = Some(Instant::now());
                    worker.missed = 0;
                    worker.is_back = false;
                }
                (false, Some(_)) => worker.well_since = None,
                _ => {}
            }
        }
    }

    /// Checks a decided ballot. Returns what is wrong with it.
    pub fn judge(&mut self, ballot: &Ballot) -> Vec<String> {
        self.ballots += 1;
        let mut wrong = Vec::new();
        let game = ballot.position.as_ref().map(Game::try_from);
        let Some(Ok(game)) = game else {
            return vec![format!("ballot {} has no position", ballot.id)];
        };
        let decision = ballot.decision.clone().unwrap_or_default();
        if decision.answer(&game).is_err() {
            wrong.push(format!(
                "ballot {} decides on '{}'",
                ballot.id, decision.r#move
            ));
        }
        for vote in ballot.votes.iter().filter(|vote| vote.counted) {
            self.counted += 1;
            let line = vote.line.clone().unwrap_or_default();
            let name = name_of(vote);
            if vote.arrived_ms > decision.elapsed_ms {
                wrong.push(format!(
                    "ballot {} counts a vote of {name} that came after {} ms, {} ms after its decision",
                    ballot.id,
                    vote.arrived_ms,
                    vote.arrived_ms - decision.elapsed_ms
                ));
            }
            if line.nodes != position_tag(&game) {
                wrong.push(format!(
                    "ballot {} counts a vote of {name} about another position",
                    ballot.id
                ));
            }
            if game.parse_move(vote.chosen()).is_err() {
                wrong.push(format!("ballot {} counts '{}'", ballot.id, vote.chosen()));
            }
        }
        let time = Duration::from_millis(decision.elapsed_ms);
        if time >= LEAST_TIME && !ballot.votes.is_empty() && !is_settled(ballot) {
            wrong.extend(self.who_is_missing(ballot, Instant::now() - time));
        }
        wrong
    }

    fn who_is_missing(&mut self, ballot: &Ballot, begun: Instant) -> Vec<String> {
        let mut missing = Vec::new();
        for worker in self.workers.iter_mut().filter(|worker| worker.is_judged) {
            let is_whole = worker.well_since.is_some_and(|since| since <= begun);
            if !is_whole || worker.is_back {
                continue;
            }
            let vote = ballot
                .votes
                .iter()
                .find(|vote| name_of(vote) == worker.name);
            let has_voted = vote.is_some_and(|vote| {
                matches!(vote.arrival(), Arrival::Final | Arrival::Provisional)
            });
            if has_voted {
                worker.is_back = true;
                continue;
            }
            worker.missed += 1;
            if worker.missed == QUESTIONS {
                let failure = vote.map_or("not on the ballot", |vote| match &*vote.failure {
                    "" => "late",
                    failure => failure,
                });
                missing.push(format!(
                    "{} is well for {} ms and does not vote in {QUESTIONS} questions: {failure}",
                    worker.name,
                    worker
                        .well_since
                        .map_or(0, |since| since.elapsed().as_millis())
                ));
            }
        }
        missing
    }
}

/// Tells whether the counted votes settle the ballot, whatever the others would have been, so that it may end
/// early.
fn is_settled(ballot: &Ballot) -> bool {
    let (mut counts, mut others) = (HashMap::<&str, usize>::new(), 0);
    for vote in &ballot.votes {
        match vote.counted {
            true => *counts.entry(vote.chosen()).or_default() += 1,
            // A player that has failed votes no more.
            false => others += usize::from(vote.failure.is_empty()),
        }
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by_key(|&count| Reverse(count));
    let second = counts.get(1).copied().unwrap_or_default();
    counts.first().is_some_and(|&most| most > second + others)
}

fn name_of(vote: &Vote) -> &str {
    vote.player.as_ref().map_or("", |player| &*player.name)
}
