//! One board of a runner: a pair at a time.

use super::{Event, Runner, Stop, patiently};
use crate::{
    game::{self, GamePlan},
    record::{Cause, Incident, Side},
    sampling,
    side::Seats,
    statistics::{Verdict, Walk},
    store::{Lease, PlayedPair, StoreError},
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    time,
};
use tracing::{info, warn};

/// How often a runner looks for pairs that another one has given up, while there is nothing else.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A coordinator elsewhere that has failed may be back after so long; each failure that follows doubles it.
const PAUSES: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));

pub(super) struct Board {
    runner: Runner,
    turns: Arc<Semaphore>,
    seats: Seats,
    /// How far the stopping rule has come in each cell.
    walks: BTreeMap<usize, Walk>,
    events: mpsc::UnboundedSender<Event>,
}

/// How a pair ended.
enum Outcome {
    Played(Box<PlayedPair>),
    Failed(Incident),
    /// The lease is somebody else's by now.
    Lost,
    Aborted,
}

impl Board {
    pub fn new(
        runner: Runner,
        turns: Arc<Semaphore>,
        events: mpsc::UnboundedSender<Event>,
    ) -> Self {
        Self {
            runner,
            turns,
            seats: Seats::default(),
            walks: BTreeMap::new(),
            events,
        }
    }

    pub async fn run(mut self, mut stop: watch::Receiver<Stop>) -> Result<(), StoreError> {
        let outcome = self.play_all(&mut stop).await;
        self.seats.clear().await;
        outcome
    }

    async fn play_all(&mut self, stop: &mut watch::Receiver<Stop>) -> Result<(), StoreError> {
        let (first_pause, longest) = PAUSES;
        let mut pause = first_pause;
        while *stop.borrow() == Stop::No {
            // Never cut short: the store may have given a pair to a question nobody waits for.
            let leased = self.lease().await?;
            let Some(lease) = leased else {
                // Pairs that others hold may come back.
                let events = self.events.clone();
                let store = &self.runner.store;
                let standings = patiently(&events, || store.standings()).await?;
                if standings.iter().all(|cell| cell.closed || cell.leased == 0) {
                    return Ok(());
                }
                tokio::select! {
                    () = time::sleep(LOOK_AGAIN.min(self.runner.term / 3)) => continue,
                    _ = stop.wait_for(|stop| *stop != Stop::No) => return Ok(()),
                }
            };
            let outcome = self.play(&lease, stop).await;
            let ending = *stop.borrow() != Stop::No;
            let failed = matches!(outcome, Outcome::Failed(_));
            self.conclude(&lease, outcome, ending).await?;
            if !failed {
                pause = first_pause;
            } else if self.runner.specification.cells[lease.cell].has_members_elsewhere() {
                tokio::select! {
                    () = time::sleep(pause) => pause = (pause * 2).min(longest),
                    _ = stop.wait_for(|stop| *stop != Stop::No) => {}
                }
            }
        }
        Ok(())
    }

    async fn lease(&self) -> Result<Option<Lease>, StoreError> {
        let Runner {
            store, name, term, ..
        } = &self.runner;
        patiently(&self.events, || store.lease(name, *term)).await
    }

    /// Plays a pair while its lease is kept alive.
    async fn play(&mut self, lease: &Lease, stop: &mut watch::Receiver<Stop>) -> Outcome {
        let runner = self.runner.clone();
        let kept = async {
            let mut beat = time::interval(runner.term / 3);
            beat.tick().await;
            loop {
                beat.tick().await;
                match runner.store.extend(lease, runner.term).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    // A store that is away cannot give the pair to somebody else, either.
                    Err(error) => warn!(%error, "a lease could not be extended"),
                }
            }
        };
        tokio::select! {
            outcome = self.play_pair(lease) => outcome,
            () = kept => Outcome::Lost,
            _ = stop.wait_for(|stop| *stop == Stop::Abort) => Outcome::Aborted,
        }
    }

    async fn play_pair(&mut self, lease: &Lease) -> Outcome {
        let specification = Arc::clone(&self.runner.specification);
        let cell = &specification.cells[lease.cell];
        let openings = specification.openings.lines();
        let number = sampling::opening(specification.seed, &cell.label, lease.pair, openings.len());
        let pair_seed = sampling::pair_seed(specification.seed, &cell.label, lease.pair);
        let mut games = Vec::with_capacity(2);
        let mut incidents = Vec::new();
        for game in 0..2 {
            let arranged = self
                .seats
                .arrange([&cell.first, &cell.second], &self.turns)
                .await;
            let seats = match arranged {
                Ok(seats) => seats,
                Err((side, error)) => {
                    return Outcome::Failed(Incident {
                        game,
                        cause: Cause::Crash,
                        side,
                        detail: error.to_string(),
                    });
                }
            };
            let plan = GamePlan {
                id: &format!(
                    "{}/{}/{}/{game}",
                    specification.name, cell.label, lease.pair
                ),
                number: game,
                opening: &openings[number],
                seeds: [Side::First, Side::Second]
                    .map(|side| sampling::side_seed(pair_seed, game, side)),
                adjudication: cell.adjudication,
                ballots: specification.ballots,
            };
            match game::play(&plan, seats).await {
                Ok((played, noted)) => {
                    games.push(played);
                    incidents.extend(noted);
                }
                Err(incident) => return Outcome::Failed(incident),
            }
        }
        match games.try_into() {
            Ok(games) => Outcome::Played(Box::new(PlayedPair { games, incidents })),
            Err(_) => unreachable!("two games were played"),
        }
    }

    /// Tells the store how a pair ended. While the runner is `ending` a failure is not counted: what
    /// interrupts a runner may have ended its engines as well.
    async fn conclude(
        &mut self,
        lease: &Lease,
        outcome: Outcome,
        ending: bool,
    ) -> Result<(), StoreError> {
        let Runner { store, name, .. } = &self.runner;
        let (cell, pair) = (lease.cell, lease.pair);
        match outcome {
            Outcome::Played(played) => {
                let counted =
                    patiently(&self.events, || store.finish(lease, name, &played)).await?;
                if counted {
                    let half_points = played.games.iter().map(|game| game.result.half_points());
                    let _ = self.events.send(Event::Finished {
                        cell,
                        pair,
                        half_points: half_points.sum(),
                    });
                    self.close_if_decided(cell).await?;
                }
            }
            Outcome::Failed(incident) => {
                let counted = match ending {
                    true => {
                        patiently(&self.events, || store.give_back(lease)).await?;
                        "; it is given back"
                    }
                    false => {
                        patiently(&self.events, || store.fail(lease, name, &incident)).await?;
                        ""
                    }
                };
                let side = incident.side.name();
                let _ = self.events.send(Event::Failed {
                    cell,
                    pair,
                    reason: format!(
                        "{} of the {side} side: {}{counted}",
                        incident.cause.name(),
                        incident.detail
                    ),
                });
                // Engines that failed are started afresh.
                self.seats.clear().await;
            }
            Outcome::Lost => {
                info!(cell, pair, "a lease ran out; the pair is somebody else's");
                self.seats.clear().await;
            }
            Outcome::Aborted => {
                if let Err(error) = store.give_back(lease).await {
                    warn!(%error, "a pair could not be given back; its lease will run out");
                }
            }
        }
        Ok(())
    }

    async fn close_if_decided(&mut self, cell: usize) -> Result<(), StoreError> {
        let Runner {
            store,
            specification,
            ..
        } = &self.runner;
        let Some(sprt) = &specification.stop else {
            return Ok(());
        };
        let walk = self.walks.entry(cell).or_default();
        let from = walk.next();
        let outcomes = patiently(&self.events, || store.outcomes(cell, from)).await?;
        walk.go_on(sprt, &outcomes);
        if walk.verdict() != Verdict::Undecided {
            patiently(&self.events, || store.close_cell(cell)).await?;
            let _ = self.events.send(Event::Closed { cell });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        runner::{
            LEASE,
            tests::{SMALL, specification_of},
        },
        store::{self, Address, Opening},
    };

    #[tokio::test]
    async fn failures_count_until_a_pair_is_given_up_but_not_while_the_runner_ends() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let specification = specification_of(folder.path(), SMALL);
        let address = Address::Sqlite(folder.path().join("x.db"));
        let opening = Opening::Play {
            accept_changes: false,
        };
        let store = store::open(&address, &specification.plan("build"), opening).await;
        let store = store.expect("a store");
        let runner = Runner {
            specification,
            store: Arc::clone(&store),
            name: "r".to_owned(),
            jobs: 1,
            term: LEASE,
        };
        let (events, _told) = mpsc::unbounded_channel();
        let mut board = Board::new(runner, Arc::new(Semaphore::new(1)), events);
        let lease = async || {
            let lease = store.lease("r", LEASE).await;
            lease.expect("asked").expect("a pair")
        };
        let failures = [
            (true, 0),
            (false, 0),
            (true, 1),
            (true, 1),
            (false, 1),
            (true, 2),
            (false, 2),
        ];
        for (ending, failures) in failures {
            let lease = lease().await;
            assert_eq!((lease.cell, lease.pair, lease.failures), (0, 0, failures));
            let outcome = Outcome::Failed(Incident {
                game: 0,
                cause: Cause::Crash,
                side: Side::First,
                detail: "killed".to_owned(),
            });
            let concluded = board.conclude(&lease, outcome, ending).await;
            concluded.expect("written");
        }
        let given_up = async || store.standings().await.expect("standings")[0].given_up;
        assert_eq!(given_up().await, 1);
        assert_eq!(lease().await.pair, 1, "another one");

        assert_eq!(store.retry_given_up().await.expect("freed"), 1);
        assert_eq!(given_up().await, 0);
        let again = lease().await;
        assert_eq!((again.pair, again.failures), (0, 0));
        assert_eq!(store.retry_given_up().await.expect("freed"), 0);
    }
}
