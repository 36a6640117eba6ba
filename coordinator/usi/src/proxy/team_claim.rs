//! The claim of this session on the players of its team, which lasts as long as its game.

use super::coordinators::{Client, Coordinators, is_lost};
use monju_proto::{
    reservation::{Session, is_held, names_holder},
    v1::{Ballot, Claim, HoldRequest, Purpose, ReleaseRequest},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::Mutex as AsyncMutex,
    time::{Instant, sleep, timeout},
};

/// Time after which a session that is gone no longer holds its players.
const LEASE: Duration = Duration::from_secs(4);

/// Interval at which the claim is renewed.
const RENEWAL: Duration = Duration::from_secs(1);

/// Time that the coordinator gets for a renewal. The next one has the rest of the lease.
const RENEWAL_PATIENCE: Duration = Duration::from_secs(2);

/// Time without a search after which a game counts as given up: GUIs do not always tell its end.
const IDLE: Duration = Duration::from_secs(60 * 60);

/// Time for which a game that has begun claims players again and again that another session holds. A coordinator that
/// was started again has asked its workers long before; whoever holds them for longer plays.
const INSISTENCE: Duration = Duration::from_secs(30);

/// Time that the coordinator gets to hear that the players are free.
const RELEASE_PATIENCE: Duration = Duration::from_millis(500);

/// What a session has claimed.
#[derive(Debug, Default)]
struct Claimed {
    /// Time of the last search of the game that is being played, or of its preparation.
    played: Option<Instant>,
    /// Number of claims so far.
    number: u64,
    /// Players have voted in this game.
    has_played: bool,
    /// Since when another session has held the players, without a success or a search of ours between.
    held_since: Option<Instant>,
}

impl Claimed {
    /// Ends or keeps up the claim, while another session holds the players. A game that has begun waits for them:
    /// others may have been first to ask a coordinator that was started again.
    fn refused_once(&mut self) {
        let since = *self.held_since.get_or_insert_with(Instant::now);
        if !self.has_played || since.elapsed() >= INSISTENCE {
            self.played = None;
        }
    }
}

/// The claim of a session. Clones share it.
#[derive(Clone, Debug)]
pub struct TeamClaim {
    session: Session,
    claimed: Arc<Mutex<Claimed>>,
    /// Locked while the coordinator is told that the players are free.
    releasing: Arc<AsyncMutex<()>>,
}

impl TeamClaim {
    /// The claim of a new session.
    pub fn new() -> Self {
        Self {
            session: Session::new("monju usi"),
            claimed: Arc::default(),
            releasing: Arc::default(),
        }
    }

    /// Returns the claim for a game that begins, once a release of the last one is done.
    pub async fn of_game(&self) -> Claim {
        let _released = self.releasing.lock().await;
        self.lock().has_played = false;
        self.of_search(false)
    }

    /// Returns the claim for a search. One without an end is an analysis, for which nothing is held between
    /// the searches.
    pub fn of_search(&self, is_infinite: bool) -> Claim {
        {
            let mut claimed = self.lock();
            claimed.played = (!is_infinite).then(Instant::now);
            claimed.held_since = None;
            claimed.number += 1;
        }
        let purpose = match is_infinite {
            true => Purpose::Analysis,
            false => Purpose::Game,
        };
        self.session.claim(purpose, LEASE)
    }

    /// Returns true while a game is being played, or prepared.
    pub fn is_made(&self) -> bool {
        self.lock().played.is_some()
    }

    /// Returns the number of the last claim, which [`TeamClaim::release`] takes back.
    pub fn number(&self) -> u64 {
        self.lock().number
    }

    /// Stops claiming: another session holds the players. The next search claims them again.
    pub fn refused(&self) {
        self.lock().played = None;
    }

    /// Notes who has voted. Stops claiming where another session holds every player of a ballot, through another
    /// coordinator.
    pub fn note_votes(&self, ballot: &Ballot) {
        let mut votes = ballot.votes.iter();
        if !ballot.votes.is_empty() && votes.all(|vote| names_holder(&vote.failure)) {
            self.refused();
        } else if ballot.votes.iter().any(|vote| vote.line.is_some()) {
            self.lock().has_played = true;
        }
    }

    /// Ends the claim of this number, and lets others have the players; does nothing if there is a later one: the
    /// next game has begun.
    pub async fn release(&self, number: u64, client: &mut Client) {
        let _releasing = self.releasing.lock().await;
        {
            let mut claimed = self.lock();
            if claimed.number != number {
                return;
            }
            claimed.played = None;
            claimed.has_played = false;
        }
        let request = ReleaseRequest {
            session: self.session.id().to_owned(),
        };
        // Without an answer the lease ends the claim.
        let _ = timeout(RELEASE_PATIENCE, client.release(request)).await;
    }

    /// Renews the claim while a game is played, for ever. A coordinator that is lost meanwhile is replaced before the
    /// next search, and the next one hears of the claim at once: the leases at the workers run on.
    pub async fn keep(self, coordinators: Coordinators) {
        loop {
            sleep(RENEWAL).await;
            if self.renew(&coordinators).await {
                self.renew(&coordinators).await;
            }
        }
    }

    /// Renews the claim, if a game is played. Returns true if another coordinator takes over.
    async fn renew(&self, coordinators: &Coordinators) -> bool {
        let is_played = (self.lock().played).is_some_and(|played| played.elapsed() < IDLE);
        if !is_played {
            return false;
        }
        let request = HoldRequest {
            claim: Some(self.session.claim(Purpose::Game, LEASE)),
        };
        let mut asked = coordinators.asked();
        // The next search tells why the players are lost.
        let is_gone = match timeout(RENEWAL_PATIENCE, asked.client.hold(request)).await {
            Ok(Ok(_)) => {
                self.lock().held_since = None;
                false
            }
            Ok(Err(status)) => {
                tracing::debug!(%status, "the players are not held");
                if is_held(&status) {
                    self.lock().refused_once();
                }
                is_lost(&status)
            }
            Err(_) => true,
        };
        if is_gone {
            // Once it is back, it has to ask its workers.
            self.lock().held_since = None;
        }
        let Some(next) = is_gone.then(|| coordinators.take_over(&asked)).flatten() else {
            return false;
        };
        tracing::warn!(next, "another coordinator takes over");
        true
    }

    fn lock(&self) -> MutexGuard<'_, Claimed> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
