//! The claim of this session on the players of its team, which lasts as long as its game.

use super::coordinators::{Client, Coordinators, is_lost};
use monju_proto::{
    reservation::Session,
    v1::{Claim, HoldRequest, Purpose, ReleaseRequest},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};

/// Time after which a session that is gone no longer holds its players.
const LEASE: Duration = Duration::from_secs(4);

/// Interval at which the claim is renewed.
const RENEWAL: Duration = Duration::from_secs(1);

/// Time without a search after which a game counts as given up: GUIs do not always tell its end.
const IDLE: Duration = Duration::from_secs(60 * 60);

/// Time that the coordinator gets to hear that the players are free.
const RELEASE_PATIENCE: Duration = Duration::from_millis(500);

/// The claim of a session. Clones share it.
#[derive(Clone, Debug)]
pub struct TeamClaim {
    session: Session,
    /// Time of the last search of the game that is being played, or of its preparation.
    played: Arc<Mutex<Option<Instant>>>,
}

impl TeamClaim {
    /// The claim of a new session.
    pub fn new() -> Self {
        Self {
            session: Session::new("monju usi"),
            played: Arc::default(),
        }
    }

    /// Returns the claim for a game that begins.
    pub fn of_game(&self) -> Claim {
        self.of_search(false)
    }

    /// Returns the claim for a search. One without an end is an analysis, for which nothing is held between
    /// the searches.
    pub fn of_search(&self, is_infinite: bool) -> Claim {
        *self.lock() = (!is_infinite).then(Instant::now);
        let purpose = match is_infinite {
            true => Purpose::Analysis,
            false => Purpose::Game,
        };
        self.session.claim(purpose, LEASE)
    }

    /// Ends the claim with the game, and lets others have the players.
    pub async fn release(&self, client: &mut Client) {
        *self.lock() = None;
        let request = ReleaseRequest {
            session: self.session.id().to_owned(),
        };
        // Without an answer the lease ends the claim.
        let _ = timeout(RELEASE_PATIENCE, client.release(request)).await;
    }

    /// Renews the claim while a game is played, for ever. A coordinator that is lost meanwhile is replaced before the
    /// next search.
    pub async fn keep(self, coordinators: Coordinators) {
        loop {
            sleep(RENEWAL).await;
            let is_played = self.lock().is_some_and(|played| played.elapsed() < IDLE);
            if !is_played {
                continue;
            }
            let request = HoldRequest {
                claim: Some(self.session.claim(Purpose::Game, LEASE)),
            };
            let mut asked = coordinators.asked();
            // The next search tells why the players are lost.
            let is_gone = match timeout(LEASE, asked.client.hold(request)).await {
                Ok(Ok(_)) => false,
                Ok(Err(status)) => {
                    tracing::debug!(%status, "the players are not held");
                    is_lost(&status)
                }
                Err(_) => true,
            };
            if is_gone && let Some(next) = coordinators.take_over(&asked) {
                tracing::warn!(next, "another coordinator takes over");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
