//! The workers of an ensemble, and the players that they host.

mod link;
mod reach_error;
mod slots;

pub use link::{AddressError, Link, address, channel, endpoint};
pub use reach_error::{ReachError, first_reason};
pub use slots::{PlayerSlot, ballot_name};

use crate::door;
use link::authority;
use monju_proto::client::reason;
use monju_proto::reservation::{self, Reservation};
use monju_proto::tls::Tls;
use monju_proto::v1::{
    Claim, NewGameRequest, NewGameResponse, WorkerStatus, worker_client::WorkerClient,
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{self, Instant},
};
use tonic::{Response, Status, transport::Channel};
use tracing::{info, warn};

/// Time for workers to describe their players after these are ready for a game.
const DESCRIPTION_PATIENCE: Duration = Duration::from_millis(500);

/// Interval at which a worker that another session holds is told again of a new game.
const HELD_POLL: Duration = Duration::from_millis(200);

/// Greatest number of problems before a game that the log tells.
const MOST_TOLD: usize = 20;

/// Greatest number of workers that have enrolled themselves.
pub const MOST_ENROLLED: usize = 1_000;

/// Greatest number of workers at one address that have enrolled themselves: one machine does not take all places.
const MOST_ENROLLED_AT_ADDRESS: usize = 64;

/// Time after which a worker that had enrolled itself and is lost is forgotten; it may enrol itself again.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// All workers of an ensemble: those of the configuration in its order, then those that have enrolled themselves in
/// the order of their addresses. Dropping it ends the watching tasks.
#[derive(Debug)]
pub struct Roster {
    members: Mutex<Vec<RosterEntry>>,
    /// Greatest number of workers that have enrolled themselves, now.
    most_enrolled: AtomicUsize,
    /// No worker may enrol itself.
    is_closed: AtomicBool,
    tls: Option<Tls>,
    /// The session that holds the coordinator, and so its workers.
    reservation: OnceLock<Reservation>,
}

/// A worker of the roster.
#[derive(Clone, Debug)]
struct RosterEntry {
    link: Arc<Link>,
    origin: WorkerOrigin,
}

/// The way by which a worker came into the roster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkerOrigin {
    /// It was there from the start, and stays.
    Fixed,
    /// It is on the list of workers.
    Listed,
    /// It has enrolled itself.
    Enrolled,
}

/// Reason why a worker may not enrol itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnrolError {
    /// None may.
    #[error(
        "workers do not enrol themselves here: the coordinator's configuration says enrolment = false"
    )]
    Closed,
    /// There are as many as there may be.
    #[error("{0} workers have enrolled themselves already, and no more may")]
    Full(usize),
    /// There are as many at its address as there may be.
    #[error("{MOST_ENROLLED_AT_ADDRESS} workers at {0} have enrolled themselves already")]
    AddressFull(IpAddr),
    /// Its address is wrong.
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl Roster {
    /// A roster of these workers, which stay for ever.
    pub fn new(links: Vec<Link>) -> Self {
        Self::with_tls(links, None)
    }

    /// As [`Roster::new`]; workers that come later are reached with these certificates.
    pub fn with_tls(links: Vec<Link>, tls: Option<Tls>) -> Self {
        let fixed = |link| RosterEntry {
            link: Arc::new(link),
            origin: WorkerOrigin::Fixed,
        };
        Self {
            members: Mutex::new(links.into_iter().map(fixed).collect()),
            most_enrolled: AtomicUsize::new(MOST_ENROLLED),
            is_closed: AtomicBool::new(false),
            tls,
            reservation: OnceLock::new(),
        }
    }

    /// Replaces the list of workers by these URLs. Workers that stay on it keep their connections, and searches
    /// under way of those that leave it go on to their ends.
    ///
    /// # Errors
    /// A URL is wrong; the list stays as it was.
    pub fn list(&self, urls: &[String]) -> Result<(), AddressError> {
        let mut members = self.present();
        let listed = urls.iter().map(|url| {
            let known = members.iter().find(|member| {
                member.origin == WorkerOrigin::Listed && member.link.address() == url
            });
            let link = match known {
                Some(member) => Arc::clone(&member.link),
                None => self.claimed(Link::remote(url, self.tls.as_ref())?),
            };
            Ok(RosterEntry {
                link,
                origin: WorkerOrigin::Listed,
            })
        });
        let listed: Vec<RosterEntry> = listed.collect::<Result<_, AddressError>>()?;
        members.retain(|member| match member.origin {
            WorkerOrigin::Fixed => true,
            WorkerOrigin::Listed => {
                let address = member.link.address();
                if !urls.iter().any(|url| url == address) {
                    info!(address, "worker removed from the list");
                }
                false
            }
            // One that is on the list now is kept once.
            WorkerOrigin::Enrolled => {
                let own = authority(member.link.address());
                !urls.iter().any(|url| authority(url) == own)
            }
        });
        members.extend(listed);
        arrange(&mut members);
        Ok(())
    }

    /// Adds a worker that has enrolled itself, unless it is there already.
    ///
    /// # Errors
    /// There are too many, in all or at its address, or none may.
    pub fn enrol(&self, address: SocketAddr) -> Result<(), EnrolError> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}");
        let mut members = self.present();
        let own = authority(&url);
        if (members.iter()).any(|member| authority(member.link.address()) == own) {
            return Ok(());
        }
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(EnrolError::Closed);
        }
        let is_enrolled = |member: &&RosterEntry| member.origin == WorkerOrigin::Enrolled;
        let enrolled = members.iter().filter(is_enrolled);
        let ip = address.ip();
        let is_at_address = |member: &&RosterEntry| ip_of(member.link.address()) == Some(ip);
        if enrolled.clone().filter(is_at_address).count() >= MOST_ENROLLED_AT_ADDRESS {
            return Err(EnrolError::AddressFull(ip));
        }
        let most = self.most_enrolled.load(Ordering::Relaxed);
        if enrolled.count() >= most {
            return Err(EnrolError::Full(most));
        }
        info!(address = url, "worker enrolled");
        members.push(RosterEntry {
            link: self.claimed(Link::enrolled(&url, self.tls.as_ref())?),
            origin: WorkerOrigin::Enrolled,
        });
        arrange(&mut members);
        Ok(())
    }

    /// From now on, no worker may enrol itself that is not there already.
    pub fn close_enrolment(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// From now on, at most so many workers may have enrolled themselves. Those that have stay.
    pub fn limit_enrolled(&self, most: usize) {
        self.most_enrolled
            .store(most.min(MOST_ENROLLED), Ordering::Relaxed);
    }

    /// Makes whoever holds the coordinator hold a worker that has come.
    fn claimed(&self, link: Link) -> Arc<Link> {
        if let Some(reservation) = self.reservation.get() {
            link.claim_for(reservation);
        }
        Arc::new(link)
    }

    /// Returns the number of workers that have not enrolled themselves.
    pub fn lasting(&self) -> usize {
        let members = self.present();
        let lasting = members
            .iter()
            .filter(|member| member.origin != WorkerOrigin::Enrolled);
        lasting.count()
    }

    /// From now on, whoever holds this coordinator holds its workers.
    pub fn claim_for(&self, reservation: &Reservation) {
        // A roster belongs to one coordinator.
        let _ = self.reservation.set(reservation.clone());
        for link in self.links() {
            link.claim_for(reservation);
        }
    }

    /// Tells the workers at once who holds the coordinator: they confirm it, or hold their players for another session.
    pub fn tell_claim(&self) {
        for link in self.links() {
            link.call_now();
        }
    }

    /// Returns the workers, without those that had enrolled themselves and are gone.
    fn present(&self) -> MutexGuard<'_, Vec<RosterEntry>> {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.retain(|member| {
            let is_lost = member.link.lost_for() > Some(FORGOTTEN_AFTER);
            let is_gone = member.origin == WorkerOrigin::Enrolled && is_lost;
            if is_gone {
                let (address, worker) = (member.link.address(), member.link.name());
                info!(address, worker, "worker forgotten");
            }
            !is_gone
        });
        members
    }

    /// Returns the workers as they are now.
    fn links(&self) -> Vec<Arc<Link>> {
        let members = self.present();
        members
            .iter()
            .map(|member| Arc::clone(&member.link))
            .collect()
    }

    /// Waits until every worker has described itself, at most `patience`.
    pub async fn settle(&self, patience: Duration) {
        let links = self.links();
        let all = async {
            for link in &links {
                link.described().await;
            }
        };
        // A missing worker shows in `statuses`, and may still come.
        let _ = time::timeout(patience, all).await;
    }

    /// Tells whether every worker has described itself, and there is one. Where all workers enrol themselves, nobody
    /// knows how many are still to come.
    pub fn is_settled(&self) -> bool {
        let links = self.links();
        let is_open = self.lasting() == 0 && !self.is_closed.load(Ordering::Relaxed);
        !is_open && !links.is_empty() && links.iter().all(|link| link.is_described())
    }

    /// Returns every known player, with its channel or the failure of its worker.
    pub fn slots(&self) -> Vec<PlayerSlot> {
        slots_of(&self.present().clone())
    }

    /// Returns a summary of every worker, for people to read. Players are named as on the ballot.
    pub fn statuses(&self) -> Vec<WorkerStatus> {
        let members = self.present().clone();
        let slots = slots_of(&members);
        let status = |(index, member): (usize, &RosterEntry)| {
            let players = slots.iter().filter(|slot| slot.worker == index);
            WorkerStatus {
                players: players.map(|slot| slot.info.clone()).collect(),
                enrolled: member.origin == WorkerOrigin::Enrolled,
                ..member.link.status()
            }
        };
        members.iter().enumerate().map(status).collect()
    }

    /// Tells every worker that a session no longer holds its players, and waits at most `patience`; those that
    /// do not hear it are told when they are back.
    pub async fn release(&self, session: &str, patience: Duration) {
        let mut calls = JoinSet::new();
        for link in self.links().iter() {
            let (link, session) = (Arc::clone(link), session.to_owned());
            calls.spawn(async move { link.release(&session).await });
        }
        let _ = time::timeout(patience, calls.join_all()).await;
    }

    /// Tells every connected worker that a game begins, waits at most `patience`, and returns the
    /// problems, one line each. A failing worker is no loss: the first position of a game implies a new
    /// game. A worker that another session holds is told again for `lease_patience`, so that it joins as soon
    /// as the lease of that session ends.
    pub async fn new_game(
        &self,
        game_id: &str,
        claim: Option<&Claim>,
        patience: Duration,
        lease_patience: Duration,
    ) -> GameReadiness {
        let mut calls = JoinSet::new();
        let mut problems = Vec::new();
        let links = self.links();
        for link in &links {
            if let Some(reason) = link.failure() {
                let address = link.address();
                problems.push(format!("worker {address} is not connected: {reason}"));
                continue;
            }
            let client = door::worker_client(link.channel());
            let address = link.address().to_owned();
            let request = NewGameRequest {
                game_id: game_id.to_owned(),
                patience_ms: u64::try_from(patience.mul_f64(0.9).as_millis()).ok(),
                claim: claim.cloned(),
            };
            let told = tell_once_free(client, request, lease_patience);
            calls.spawn(async move {
                match time::timeout(patience, told).await {
                    Ok(Ok(response)) => (door::problems(response.into_inner().problems), None),
                    Ok(Err(status)) => {
                        let reason = reason(&status);
                        let problem = format!("worker {address} refused a new game: {reason}");
                        (
                            vec![problem],
                            reservation::is_held(&status).then_some(reason),
                        )
                    }
                    Err(_) => {
                        let problem = format!("worker {address} is slow to prepare a new game");
                        (vec![problem], None)
                    }
                }
            });
        }
        let (lines, refusals): (Vec<_>, Vec<_>) = calls.join_all().await.into_iter().unzip();
        problems.extend(lines.into_iter().flatten());
        let refusals: Option<Vec<String>> = refusals.into_iter().collect();
        let all = async {
            for link in links.iter().filter(|link| link.failure().is_none()) {
                link.describe_again().await;
            }
        };
        // The game does not wait for late names.
        let _ = time::timeout(DESCRIPTION_PATIENCE, all).await;
        problems.sort();
        for problem in problems.iter().take(MOST_TOLD) {
            warn!(problem, "before the game");
        }
        if problems.len() > MOST_TOLD {
            warn!(more = problems.len() - MOST_TOLD, "further problems");
        }
        GameReadiness {
            problems,
            refusal: refusals.and_then(|refusals| refusals.into_iter().next()),
        }
    }
}

/// The answers of the workers to a new game.
#[derive(Debug)]
pub struct GameReadiness {
    /// Reasons why players are not ready, and errors that they report, one line each.
    pub problems: Vec<String>,
    /// Where other sessions hold the players of every connected worker, the words of one of them.
    pub refusal: Option<String>,
}

/// Tells a worker that a game begins, and again while another session holds it, at most for `lease_patience`.
async fn tell_once_free(
    mut client: WorkerClient<Channel>,
    request: NewGameRequest,
    lease_patience: Duration,
) -> Result<Response<NewGameResponse>, Status> {
    let latest = Instant::now() + lease_patience;
    loop {
        match client.new_game(request.clone()).await {
            Err(status) if reservation::is_held(&status) && Instant::now() < latest => {
                time::sleep(HELD_POLL).await;
            }
            answer => return answer,
        }
    }
}

/// Returns the players of workers, of which those that have enrolled themselves are the last.
fn slots_of(members: &[RosterEntry]) -> Vec<PlayerSlot> {
    let links = members.iter().map(|member| Arc::clone(&member.link));
    let lasting = members.partition_point(|member| member.origin != WorkerOrigin::Enrolled);
    slots::assign(&Vec::from_iter(links), lasting)
}

/// Returns the IP address in the URL of a worker that has enrolled itself; a name has none.
fn ip_of(url: &str) -> Option<IpAddr> {
    let address: SocketAddr = authority(url).parse().ok()?;
    Some(address.ip())
}

/// Sorts by origin, and those that have enrolled themselves by address; others keep their order.
fn arrange(members: &mut [RosterEntry]) {
    members.sort_by(|a, b| {
        let address = |member: &RosterEntry| match member.origin {
            WorkerOrigin::Enrolled => member.link.address().to_owned(),
            WorkerOrigin::Fixed | WorkerOrigin::Listed => String::new(),
        };
        (a.origin, address(a)).cmp(&(b.origin, address(b)))
    });
}

#[cfg(test)]
mod tests;
