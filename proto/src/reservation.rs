//! Who holds players: the one rule by which coordinators and workers let sessions in.
//!
//! A session holds players from its first claim until it releases them, or until nothing was heard of it for
//! the time of its lease. A higher purpose takes them from a lower one. Calls without a claim are looks: they
//! take what nobody holds.
//!
//! A coordinator holds the players of its workers, which may be held through another coordinator: there, a hold that a
//! worker has refused, and none has confirmed, keeps no game out.

use crate::v1::{Claim, Purpose};
use crate::{convert::short_milliseconds, text::excerpt};
use std::{
    future,
    net::SocketAddr,
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{sync::watch, time::Instant};
use tonic::{Code, Status};

/// Longest lease that a claim can have: longer ones would lock players when their session is lost.
const LONGEST_LEASE: Duration = Duration::from_secs(5 * 60);

/// Greatest length of the texts of a claim, in characters.
const LONGEST_TEXT: usize = 120;

/// Players that one session at a time may hold. Clones share them.
#[derive(Clone, Debug)]
pub struct Reservation {
    state: Arc<ReservationState>,
}

#[derive(Debug)]
struct ReservationState {
    holder: Mutex<Option<Holder>>,
    /// The session that holds the players, for calls that it takes them from.
    taken: watch::Sender<Option<Held>>,
    /// The players are those of workers, which confirm or refuse a hold.
    is_of_workers: bool,
}

#[derive(Debug)]
struct Holder {
    claim: Claim,
    held: Held,
    lease: Duration,
    /// End of the lease, unless a call is under way.
    until: Instant,
    /// Number of its calls under way.
    calls: usize,
    /// Number of its first claim: calls of an earlier hold are not counted.
    number: u64,
    standing: HoldStanding,
}

/// What workers have said of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HoldStanding {
    /// Nothing yet.
    Unknown,
    /// One holds its players for the session: no other one of its purpose takes them.
    Confirmed,
    /// One holds its players for another session.
    Refused,
}

/// The session that holds players.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the players are held by {holder} for {}; ask again when that is over", purpose_name(*.purpose))]
pub struct Held {
    session: String,
    /// Description for people.
    pub holder: String,
    purpose: Purpose,
}

impl From<Held> for Status {
    fn from(held: Held) -> Self {
        Self::failed_precondition(held.to_string())
    }
}

/// Beginning of the text of every [`Held`].
const HELD: &str = "the players are held by ";

/// Tells whether a call was refused because another session holds the players.
pub fn is_held(status: &Status) -> bool {
    status.code() == Code::FailedPrecondition && names_holder(status.message())
}

/// Tells whether a reason of a failure is that another session holds the players.
pub fn names_holder(reason: &str) -> bool {
    reason.starts_with(HELD)
}

fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Game => "a game",
        Purpose::Analysis => "an analysis",
        Purpose::Unspecified => "a look",
    }
}

impl Default for Reservation {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Reservation {
    fn new(is_of_workers: bool) -> Self {
        Self {
            state: Arc::new(ReservationState {
                holder: Mutex::default(),
                taken: watch::Sender::new(None),
                is_of_workers,
            }),
        }
    }

    /// Players of workers, which may be held elsewhere: another session takes them for no lower purpose after a worker
    /// has [refused](Self::refuse) the hold, and before one has [confirmed](Self::confirm) it.
    pub fn of_workers() -> Self {
        Self::new(true)
    }

    /// Lets a call in. With a claim, its session holds the players from now on. `peer` is the address of the
    /// caller.
    ///
    /// # Errors
    /// Another session holds the players, for no lower purpose.
    pub fn enter(&self, claim: Option<&Claim>, peer: Option<SocketAddr>) -> Result<Pass, Held> {
        let now = Instant::now();
        let claim = claim
            .filter(|claim| !claim.session.is_empty() && claim.purpose() != Purpose::Unspecified)
            .map(short);
        let mut holder = self.lock();
        let current = holder.take_if(|holder| !holder.is_over(now));
        let Some(claim) = &claim else {
            *holder = current;
            return match &*holder {
                Some(holder) => Err(holder.held.clone()),
                None => Ok(Pass::new(self, None)),
            };
        };
        let lease = Duration::from_millis(claim.lease_ms.into()).min(LONGEST_LEASE);
        let entered = match current {
            Some(current) if current.held.session == claim.session => Holder {
                held: Held {
                    purpose: claim.purpose(),
                    ..current.held.clone()
                },
                claim: claim.clone(),
                lease,
                // Another coordinator of the session may have promised more.
                until: current.until.max(now + lease),
                calls: current.calls + 1,
                ..current
            },
            Some(current) if current.keeps_out(claim.purpose()) => {
                let held = current.held.clone();
                *holder = Some(current);
                return Err(held);
            }
            _ => Holder {
                standing: match self.state.is_of_workers {
                    true => HoldStanding::Unknown,
                    false => HoldStanding::Confirmed,
                },
                ..Holder::new(claim, lease, peer)
            },
        };
        let (number, held) = (entered.number, entered.held.clone());
        *holder = Some(entered);
        // Under the lock, so that no taking is missed.
        self.state.taken.send_replace(Some(held.clone()));
        Ok(Pass::new(self, Some((held.session, number))))
    }

    /// Ends the hold of a session. Returns false if it held nothing.
    pub fn release(&self, session: &str) -> bool {
        let session = excerpt(session, LONGEST_TEXT);
        let released = self.lock().take_if(|holder| holder.held.session == session);
        if released.is_some() {
            self.state.taken.send_replace(None);
        }
        released.is_some()
    }

    /// Notes that a worker holds its players for a session.
    pub fn confirm(&self, session: &str) {
        self.note(session, HoldStanding::Confirmed);
    }

    /// Notes that a worker holds its players for another session than this one.
    pub fn refuse(&self, session: &str) {
        self.note(session, HoldStanding::Refused);
    }

    fn note(&self, session: &str, standing: HoldStanding) {
        let mut holder = self.lock();
        let holder = holder.as_mut().filter(|it| it.held.session == session);
        // What one worker holds is worth holding.
        if let Some(holder) = holder.filter(|it| it.standing != HoldStanding::Confirmed) {
            holder.standing = standing;
        }
    }

    /// Tells whether a session holds the players that no worker has let in yet.
    pub fn is_unconfirmed(&self) -> bool {
        let holder = self.lock();
        (holder.as_ref()).is_some_and(|holder| holder.standing != HoldStanding::Confirmed)
    }

    /// Returns the session that holds the players.
    pub fn held(&self) -> Option<Held> {
        let holder = self.lock();
        let holder = holder
            .as_ref()
            .filter(|holder| !holder.is_over(Instant::now()));
        holder.map(|holder| holder.held.clone())
    }

    /// Returns the claim in force, as it is passed on to others: with the holder's address, and with what is left of
    /// the lease, so that nobody holds players for a session longer than this reservation does.
    pub fn claim(&self) -> Option<Claim> {
        let now = Instant::now();
        let holder = self.lock();
        let holder = holder.as_ref().filter(|holder| !holder.is_over(now))?;
        let left = match holder.calls {
            0 => holder.until - now,
            _ => holder.lease,
        };
        Some(Claim {
            holder: holder.held.holder.clone(),
            lease_ms: short_milliseconds(left),
            ..holder.claim.clone()
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Holder>> {
        (self.state.holder.lock()).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a claim with short and plain texts: a coordinator sends it to its workers every second.
fn short(claim: &Claim) -> Claim {
    Claim {
        session: excerpt(&claim.session, LONGEST_TEXT),
        holder: excerpt(&claim.holder, LONGEST_TEXT),
        ..*claim
    }
}

impl Holder {
    fn new(claim: &Claim, lease: Duration, peer: Option<SocketAddr>) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut holder = claim.holder.clone();
        if holder.is_empty() {
            holder.clone_from(&claim.session);
        }
        // A coordinator passes on the address of the session behind it.
        if let (Some(peer), false) = (peer, holder.contains(" at ")) {
            holder = format!("{holder} at {}", peer.ip());
        }
        Self {
            held: Held {
                session: claim.session.clone(),
                holder,
                purpose: claim.purpose(),
            },
            claim: claim.clone(),
            lease,
            until: Instant::now() + lease,
            calls: 1,
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            standing: HoldStanding::Confirmed,
        }
    }

    /// Tells whether another session with this purpose is refused.
    fn keeps_out(&self, purpose: Purpose) -> bool {
        match self.standing {
            HoldStanding::Unknown | HoldStanding::Confirmed => self.held.purpose >= purpose,
            HoldStanding::Refused => self.held.purpose > purpose,
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        self.calls == 0 && self.until <= now
    }
}

/// A call that was let in. The lease of its session runs from its end.
#[derive(Debug)]
pub struct Pass {
    reservation: Reservation,
    /// Session and number of the hold; `None` for a look.
    hold: Option<(String, u64)>,
    taken: watch::Receiver<Option<Held>>,
}

impl Pass {
    fn new(reservation: &Reservation, hold: Option<(String, u64)>) -> Self {
        Self {
            taken: reservation.state.taken.subscribe(),
            reservation: reservation.clone(),
            hold,
        }
    }

    /// Returns the claim of its session, as [`Reservation::claim`] does; `None` for a look, and once another session
    /// has the players.
    pub fn claim(&self) -> Option<Claim> {
        let (session, _) = self.hold.as_ref()?;
        let claim = self.reservation.claim();
        claim.filter(|claim| claim.session == *session)
    }

    /// Waits until another session takes the players, and returns it. Safe to drop and call again.
    pub async fn taken(&mut self) -> Held {
        let own = self.hold.as_ref().map(|(session, _)| session);
        loop {
            // The reservation holds the sender.
            if self.taken.changed().await.is_err() {
                return future::pending().await;
            }
            let taken = self.taken.borrow_and_update().clone();
            if let Some(held) = taken.filter(|held| Some(&held.session) != own) {
                return held;
            }
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let Some((_, number)) = &self.hold else {
            return;
        };
        let mut holder = self.reservation.lock();
        if let Some(holder) = holder.as_mut().filter(|holder| holder.number == *number) {
            holder.calls -= 1;
            holder.until = holder.until.max(Instant::now() + holder.lease);
        }
    }
}

/// A session that claims players.
#[derive(Clone, Debug)]
pub struct Session {
    id: String,
    holder: String,
}

impl Session {
    /// A new session of this process; `what` describes it for people.
    pub fn new(what: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = now.map_or(0, |since| since.as_nanos());
        let (process, number) = (process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Self {
            id: format!("{process}-{nanoseconds:x}-{number}"),
            holder: format!("{what} (process {process})"),
        }
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns its claim for a purpose.
    pub fn claim(&self, purpose: Purpose, lease: Duration) -> Claim {
        Claim {
            session: self.id.clone(),
            holder: self.holder.clone(),
            purpose: purpose.into(),
            lease_ms: short_milliseconds(lease),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{advance, timeout};

    const LEASE: Duration = Duration::from_secs(4);

    fn session(name: &str) -> Session {
        Session {
            id: name.to_owned(),
            holder: format!("the GUI of {name}"),
        }
    }

    fn game(name: &str) -> Claim {
        session(name).claim(Purpose::Game, LEASE)
    }

    fn analysis(name: &str) -> Claim {
        session(name).claim(Purpose::Analysis, LEASE)
    }

    #[tokio::test(start_paused = true)]
    async fn a_game_keeps_its_players_until_its_lease_ends() {
        let players = Reservation::default();
        drop(players.enter(Some(&game("a")), None).expect("free"));
        for other in [None, Some(analysis("b")), Some(game("b"))] {
            let held = players.enter(other.as_ref(), None).expect_err("held");
            let text = held.to_string();
            assert!(text.contains("the GUI of a for a game"), "{text}");
            assert!(is_held(&held.into()) && names_holder(&text));
            assert!(!is_held(&Status::unavailable(text)));
        }
        advance(LEASE / 2).await;
        let call = players.enter(Some(&game("a")), None).expect("its own");
        advance(LEASE * 10).await;
        assert!(players.enter(None, None).is_err(), "a call is under way");
        let lease_passed_on = || players.claim().map(|claim| claim.lease_ms);
        assert_eq!(lease_passed_on(), Some(4_000));
        drop(call);
        advance(LEASE / 2).await;
        assert!(players.enter(None, None).is_err());
        assert_eq!(lease_passed_on(), Some(2_000), "what is left");
        advance(LEASE / 2).await;
        assert!(players.held().is_none() && players.claim().is_none());
        players.enter(None, None).expect("free again");
        players
            .enter(Some(&analysis("b")), None)
            .expect("free again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_release_ends_the_hold_of_its_session_alone() {
        let players = Reservation::default();
        let first = players.enter(Some(&game("a")), None).expect("free");
        players.release("b");
        assert!(players.held().is_some());
        players.release("a");
        let _second = players.enter(Some(&game("b")), None).expect("released");
        // The end of a call of the first hold is not counted for the second.
        drop(first);
        advance(LEASE * 2).await;
        assert!(players.enter(None, None).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_higher_purpose_takes_the_players_and_tells_those_that_lose_them() {
        let players = Reservation::default();
        let mut look = players.enter(None, None).expect("free");
        let mut thinking = players
            .enter(Some(&analysis("a")), None)
            .expect("a look holds nothing");
        assert!(look.taken().await.to_string().contains("an analysis"));
        let mut playing = players.enter(Some(&game("b")), None).expect("higher");
        assert_eq!(thinking.taken().await.holder, "the GUI of b");
        // Its session tries again.
        assert!(players.enter(Some(&analysis("a")), None).is_err());
        assert!(timeout(LEASE * 5, playing.taken()).await.is_err());
        drop(thinking);
        drop(playing);
        assert_eq!(
            players.claim().map(|claim| claim.session).as_deref(),
            Some("b")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_changes_its_purpose() {
        let players = Reservation::default();
        drop(players.enter(Some(&game("a")), None).expect("free"));
        drop(players.enter(Some(&analysis("a")), None).expect("its own"));
        players.enter(Some(&game("b")), None).expect("higher");
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_has_a_limit_and_a_holder_a_printable_name() {
        let players = Reservation::default();
        let claim = Claim {
            holder: format!("\u{1b}[2Jevil{}", "x".repeat(10_000)),
            lease_ms: u32::MAX,
            ..game("a")
        };
        let peer = "192.168.0.7:4711".parse().expect("an address");
        drop(players.enter(Some(&claim), Some(peer)).expect("free"));
        let text = players.held().expect("held").to_string();
        assert!(!text.contains('\u{1b}') && text.len() < 300, "{text}");
        assert!(text.contains(" at 192.168.0.7 for a game"), "{text}");
        advance(LONGEST_LEASE).await;
        assert!(players.held().is_none());
    }

    /// A game that its workers refused kept out the one that they were held for.
    #[tokio::test(start_paused = true)]
    async fn a_hold_that_a_worker_refuses_keeps_no_game_out() {
        let players = Reservation::of_workers();
        let enter = |claim: &Claim| players.enter(Some(claim), None);
        let mut refused = enter(&game("a")).expect("free");
        enter(&game("b")).expect_err("no worker has been asked");
        players.refuse("b");
        enter(&game("b")).expect_err("another session was refused");
        players.refuse("a");
        enter(&analysis("b")).expect_err("lower");
        players.enter(None, None).expect_err("lower");
        assert!(refused.claim().is_some());
        drop(enter(&game("b")).expect("refused"));
        assert!(refused.taken().await.to_string().contains("the GUI of b"));
        assert_eq!(refused.claim(), None);
        players.confirm("a");
        assert!(players.is_unconfirmed(), "a session that is gone");
        players.confirm("b");
        players.refuse("b");
        assert!(!players.is_unconfirmed(), "another worker");
        let renewed = enter(&game("b")).expect("its own");
        enter(&game("a")).expect_err("confirmed");
        drop(renewed);
        advance(LEASE).await;
        drop(enter(&game("a")).expect("over"));
        assert!(players.is_unconfirmed(), "another hold");
    }

    /// A claim of 250 KB, which a coordinator would pass on, was refused by its workers for its size, and they were
    /// lost.
    #[tokio::test(start_paused = true)]
    async fn a_session_of_any_length_is_short_where_it_is_passed_on() {
        let players = Reservation::default();
        let claim = game(&"s".repeat(250_000));
        drop(players.enter(Some(&claim), None).expect("free"));
        let passed_on = players.claim().expect("held");
        assert_eq!(passed_on.session.len(), LONGEST_TEXT);
        drop(players.enter(Some(&claim), None).expect("the same"));
        drop(players.enter(Some(&passed_on), None).expect("the same"));
        assert!(players.release(&claim.session));
    }
}
