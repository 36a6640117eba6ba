//! The workers of an ensemble, and the players that they host.

mod link;
mod reach_error;
mod slots;

pub use link::{AddressError, Link, address, endpoint};
pub use reach_error::{ReachError, first_reason};
pub use slots::PlayerSlot;

use crate::door;
use monju_proto::client::reason;
use monju_proto::reservation::Reservation;
use monju_proto::v1::{Claim, NewGameRequest, ReleaseRequest, WorkerStatus};
use std::time::Duration;
use tokio::{task::JoinSet, time};
use tracing::warn;

/// Time for workers to describe their players after these are ready for a game.
const DESCRIPTION_PATIENCE: Duration = Duration::from_millis(500);

/// All workers of an ensemble, in the order of the configuration. Dropping it ends the watching tasks.
#[derive(Debug)]
pub struct Roster {
    links: Vec<Link>,
}

impl Roster {
    /// A roster of these workers.
    pub fn new(links: Vec<Link>) -> Self {
        Self { links }
    }

    /// Returns the number of workers.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Returns true without workers.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// From now on, whoever holds this coordinator holds its workers.
    pub fn claim_for(&self, reservation: &Reservation) {
        for link in &self.links {
            link.claim_for(reservation);
        }
    }

    /// Waits until every worker has described itself, at most `patience`.
    pub async fn settle(&self, patience: Duration) {
        let all = async {
            for link in &self.links {
                link.described().await;
            }
        };
        // A missing worker shows in `statuses`, and may still come.
        let _ = time::timeout(patience, all).await;
    }

    /// Returns every known player, with its channel or the failure of its worker.
    pub fn slots(&self) -> Vec<PlayerSlot> {
        slots::assign(&self.links)
    }

    /// Returns a summary of every worker, for people to read. Players are named as on the ballot.
    pub fn statuses(&self) -> Vec<WorkerStatus> {
        let slots = self.slots();
        let status = |(index, link): (usize, &Link)| {
            let players = slots.iter().filter(|slot| slot.worker == index);
            WorkerStatus {
                players: players.map(|slot| slot.info.clone()).collect(),
                ..link.status()
            }
        };
        self.links.iter().enumerate().map(status).collect()
    }

    /// Tells every connected worker that a session no longer holds its players, and waits at most `patience`;
    /// its lease would tell the others.
    pub async fn release(&self, session: &str, patience: Duration) {
        let mut calls = JoinSet::new();
        for link in self.links.iter().filter(|link| link.failure().is_none()) {
            let mut client = door::worker(link.channel());
            let request = ReleaseRequest {
                session: session.to_owned(),
            };
            calls.spawn(async move { client.release(request).await });
        }
        let _ = time::timeout(patience, calls.join_all()).await;
    }

    /// Tells every connected worker that a game begins, waits at most `patience`, and returns the
    /// problems, one line each. A failing worker is no loss: the first position of a game implies a new
    /// game.
    pub async fn new_game(
        &self,
        game_id: &str,
        claim: Option<&Claim>,
        patience: Duration,
    ) -> Vec<String> {
        let mut calls = JoinSet::new();
        let mut problems = Vec::new();
        for link in &self.links {
            if let Some(reason) = link.failure() {
                let address = link.address();
                problems.push(format!("worker {address} is not connected: {reason}"));
                continue;
            }
            let mut client = door::worker(link.channel());
            let address = link.address().to_owned();
            let request = NewGameRequest {
                game_id: game_id.to_owned(),
                patience_ms: u64::try_from(patience.mul_f64(0.9).as_millis()).ok(),
                claim: claim.cloned(),
            };
            calls.spawn(async move {
                match time::timeout(patience, client.new_game(request)).await {
                    Ok(Ok(response)) => door::problems(response.into_inner().problems),
                    Ok(Err(status)) => {
                        let reason = reason(&status);
                        vec![format!("worker {address} refused a new game: {reason}")]
                    }
                    Err(_) => vec![format!("worker {address} is slow to prepare a new game")],
                }
            });
        }
        problems.extend(calls.join_all().await.into_iter().flatten());
        let all = async {
            for link in self.links.iter().filter(|link| link.failure().is_none()) {
                link.describe_again().await;
            }
        };
        // The game does not wait for late names.
        let _ = time::timeout(DESCRIPTION_PATIENCE, all).await;
        problems.sort();
        for problem in &problems {
            warn!(problem, "not ready for the game");
        }
        problems
    }
}

#[cfg(test)]
mod tests;
