//! The workers of an ensemble, and the players they host, as they stand now.

mod link;
mod seats;

pub use link::{AddressError, Link, address, endpoint, reason};
pub use seats::Seat;

use monju_proto::v1::{NewGameRequest, WorkerStatus, worker_client::WorkerClient};
use std::time::Duration;
use tokio::{task::JoinSet, time};
use tracing::warn;

/// All workers of an ensemble, in the order of the configuration. Dropping it ends their watching.
#[derive(Debug)]
pub struct Roster {
    links: Vec<Link>,
}

impl Roster {
    /// A roster of these workers.
    pub fn new(links: Vec<Link>) -> Self {
        Self { links }
    }

    /// Waits until every worker has described itself, at most `patience`.
    pub async fn settle(&self, patience: Duration) {
        let all = async {
            for link in &self.links {
                link.described().await;
            }
        };
        // Whoever is missing is seen in `statuses`, and may still come.
        let _ = time::timeout(patience, all).await;
    }

    /// Every player that is known, with the way to reach it or the reason why there is none.
    pub fn seats(&self) -> Vec<Seat> {
        seats::assign(&self.links)
    }

    /// What to set aside for a round trip to the slowest of the connected workers.
    pub fn round_trip(&self) -> Duration {
        let round_trips = self.links.iter().map(|link| link.round_trip());
        round_trips.max().unwrap_or_default()
    }

    /// Every worker, for people to read. Players are named as on the ballot.
    pub fn statuses(&self) -> Vec<WorkerStatus> {
        let seats = self.seats();
        let status = |(index, link): (usize, &Link)| {
            let players = seats.iter().filter(|seat| seat.worker == index);
            WorkerStatus {
                players: players.map(|seat| seat.info.clone()).collect(),
                ..link.status()
            }
        };
        self.links.iter().enumerate().map(status).collect()
    }

    /// Tells every connected worker that a game begins, and waits at most `patience`. A worker that
    /// fails here costs nothing: the first position of a game implies a new game.
    pub async fn new_game(&self, game_id: &str, patience: Duration) {
        let mut calls = JoinSet::new();
        for link in self.links.iter().filter(|link| link.is_connected()) {
            let mut client = WorkerClient::new(link.channel());
            let address = link.address().to_owned();
            let request = NewGameRequest {
                game_id: game_id.to_owned(),
            };
            calls.spawn(async move {
                match time::timeout(patience, client.new_game(request)).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(status)) => {
                        let reason = link::reason(&status);
                        warn!(address, reason, "worker refused a new game");
                    }
                    Err(_) => warn!(address, "worker is slow to prepare a new game"),
                }
            });
        }
        calls.join_all().await;
    }
}

#[cfg(test)]
mod tests;
