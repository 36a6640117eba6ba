//! The connection to one worker, and the task that watches it.

use super::reach_error::ReachError;
use crate::{clock::RoundTrip, door};
use monju_proto::reservation::Reservation;
use monju_proto::serve::RESET_STREAMS;
use monju_proto::tls::Tls;
use monju_proto::v1::{
    Claim, DescribeRequest, DescribeResponse, PlayerInfo, ReleaseRequest, WorkerStatus,
    worker_client::WorkerClient,
};
use monju_proto::{build, convert::milliseconds};
use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::{self, Instant},
};
use tonic::{
    codegen::http::uri::Scheme,
    transport::{Channel, Endpoint, Uri},
};
use tracing::{info, warn};

/// Interval of the calls to a connected worker.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// Answer to such a call that is late: a storm in the network, which may be over soon.
const LATE: Duration = Duration::from_millis(100);
/// Interval of the calls to a worker whose last answer was late.
const LATE_INTERVAL: Duration = Duration::from_millis(100);
/// Pause before the first call to a worker that has just been lost, doubled before each further one.
const FIRST_RETRY: Duration = Duration::from_millis(50);
/// Longest pause between the calls to a lost worker.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// Time within which a host must accept a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(1);
/// Time within which a remote worker must describe itself.
const REMOTE_PATIENCE: Duration = Duration::from_secs(2);
/// The same for a worker in this process, which its own players may keep busy.
const IN_PROCESS_PATIENCE: Duration = Duration::from_secs(60);
/// Time after which a worker out of reach is no longer told that a session is over: its lease has ended, and
/// the session may play another game elsewhere.
const RELEASE_OVERDUE: Duration = Duration::from_secs(10);
/// Interval of the HTTP/2 keepalive pings.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);
/// Time that a peer has to answer a keepalive ping.
const KEEPALIVE_PATIENCE: Duration = Duration::from_secs(2);

/// Error of the address of a worker or a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not of the form `http://host:port`.
    #[error(
        "'{0}' is not an address; expected http://HOST:PORT, such as http://127.0.0.1:7410 for a coordinator, or :7411 \
         for a worker"
    )]
    Form(String),
    /// An encrypted address without certificates.
    #[error(
        "'{0}' asks for TLS, which needs the team's certificates: give their folder by --tls or \
         tls = …; 'monju certificates' makes one"
    )]
    NoCertificates(String),
    /// An unencrypted address in spite of certificates.
    #[error("'{0}' is not encrypted, though there are certificates; write https://")]
    Open(String),
}

/// One worker of the ensemble. Dropping it ends the task that watches it.
#[derive(Debug)]
pub struct Link {
    address: String,
    channel: Channel,
    state: watch::Receiver<LinkState>,
    /// Makes the watcher call the worker at once.
    wake: Arc<Notify>,
    /// The session that holds the coordinator, and so the worker.
    reservation: Arc<OnceLock<Reservation>>,
    /// The session whose release the worker has not heard of.
    overdue: Arc<Mutex<Option<OverdueRelease>>>,
    /// The reason why its players are not on the ballot, if they are not.
    left_out: Mutex<Option<String>>,
    watcher: JoinHandle<()>,
}

/// A release that has not reached the worker.
#[derive(Debug)]
struct OverdueRelease {
    session: String,
    since: Instant,
}

/// The last known state of a worker.
#[derive(Clone, Debug)]
struct LinkState {
    /// Its last description, connected or not.
    described: Option<DescribeResponse>,
    /// The failure of its last call, if it is not connected.
    failure: Option<ReachError>,
    /// The last failure, also of a worker that is connected again, and its moment.
    last_failure: Option<(String, Instant)>,
    /// The moment of its last answer, or of the first attempt.
    reached: Instant,
    round_trip: RoundTrip,
}

impl Link {
    /// A worker in this process, reached over an in-memory connection.
    pub fn in_process(channel: Channel) -> Self {
        let address = "in-process".to_owned();
        Self::limited(address, channel, IN_PROCESS_PATIENCE, door::MOST_VOTES)
    }

    /// A worker at a URL, which need not be running yet.
    ///
    /// # Errors
    /// The URL is not of the form `http://host:port`, or with `tls` `https://host:port`.
    pub fn remote(url: &str, tls: Option<&Tls>) -> Result<Self, AddressError> {
        Ok(Self::over(url.to_owned(), channel(url, tls)?))
    }

    /// A worker that has enrolled itself, at a URL. It may have fewer votes than one that a configuration lists.
    ///
    /// # Errors
    /// As [`Link::remote`].
    pub(super) fn enrolled(url: &str, tls: Option<&Tls>) -> Result<Self, AddressError> {
        let channel = channel(url, tls)?;
        let most = door::MOST_VOTES_ENROLLED;
        Ok(Self::limited(
            url.to_owned(),
            channel,
            REMOTE_PATIENCE,
            most,
        ))
    }

    /// A worker at the other end of a connection that is made elsewhere, as [`endpoint`] sets it up.
    pub fn over(address: String, channel: Channel) -> Self {
        Self::watch(address, channel, REMOTE_PATIENCE)
    }

    /// A worker that counts as lost if it does not describe itself within `patience`.
    pub(crate) fn watch(address: String, channel: Channel, patience: Duration) -> Self {
        Self::limited(address, channel, patience, door::MOST_VOTES_LISTED)
    }

    /// As [`Link::watch`]; a worker with more than `most_votes` is refused.
    pub(super) fn limited(
        address: String,
        channel: Channel,
        patience: Duration,
        most_votes: usize,
    ) -> Self {
        let (sender, state) = watch::channel(LinkState {
            described: None,
            failure: Some(ReachError::NotConnected),
            last_failure: None,
            reached: Instant::now(),
            round_trip: RoundTrip::default(),
        });
        let client = door::worker_client(channel.clone());
        let wake = Arc::<Notify>::default();
        let reservation = Arc::<OnceLock<Reservation>>::default();
        let overdue = Arc::<Mutex<Option<OverdueRelease>>>::default();
        let watcher = WorkerWatcher {
            address: address.clone(),
            client,
            patience,
            most_votes,
            wake: Arc::clone(&wake),
            reservation: Arc::clone(&reservation),
            overdue: Arc::clone(&overdue),
            state: sender,
        };
        Self {
            watcher: tokio::spawn(watcher.run()),
            reservation,
            overdue,
            left_out: Mutex::default(),
            address,
            channel,
            state,
            wake,
        }
    }

    /// Returns `in-process`, or the URL.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// From now on, whoever holds the coordinator holds the worker.
    pub fn claim_for(&self, reservation: &Reservation) {
        // A link belongs to one coordinator.
        let _ = self.reservation.set(reservation.clone());
    }

    /// Tells the worker that a session no longer holds its players; as soon as it is back, if it is out of reach.
    pub(super) async fn release(&self, session: &str) {
        let since = Instant::now();
        *lock(&self.overdue) = Some(OverdueRelease {
            session: session.to_owned(),
            since,
        });
        let request = ReleaseRequest {
            session: session.to_owned(),
        };
        let mut client = door::worker_client(self.channel());
        if self.failure().is_none() && client.release(request).await.is_ok() {
            lock(&self.overdue).take_if(|overdue| overdue.since == since);
        }
    }

    /// Returns the connection.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Returns the failure of the last call, if the worker is not connected.
    pub fn failure(&self) -> Option<ReachError> {
        self.state.borrow().failure.clone()
    }

    /// Returns the time for which the worker has been lost, or not been reached yet; `None` while it is connected.
    pub(super) fn lost_for(&self) -> Option<Duration> {
        let state = self.state.borrow();
        (state.failure.is_some()).then(|| state.reached.elapsed())
    }

    /// Returns the time to set aside for a round trip, including its jitter; zero while the worker is
    /// not connected.
    pub fn round_trip(&self) -> Duration {
        let state = self.state.borrow();
        match state.failure {
            None => state.round_trip.allowance(),
            Some(_) => Duration::ZERO,
        }
    }

    /// Returns the last measured round trip: after a storm it tells at once that an answer can come. Zero
    /// while the worker is not connected.
    pub fn last_round_trip(&self) -> Duration {
        let state = self.state.borrow();
        match state.failure {
            None => state.round_trip.last(),
            Some(_) => Duration::ZERO,
        }
    }

    /// Returns the worker's own name, or its address until the name is known.
    pub fn name(&self) -> String {
        match &self.state.borrow().described {
            Some(described) if !described.name.is_empty() => described.name.clone(),
            _ => self.address.clone(),
        }
    }

    /// Returns the worker's build; empty until it is known.
    pub fn build(&self) -> String {
        match &self.state.borrow().described {
            Some(described) => described.build.clone(),
            None => String::new(),
        }
    }

    /// Returns the players of the last description.
    pub fn players(&self) -> Vec<PlayerInfo> {
        match &self.state.borrow().described {
            Some(described) => described.players.clone(),
            None => Vec::new(),
        }
    }

    /// Returns the number of the worker's process; `None` until it is known, and of workers that have none.
    pub(super) fn instance(&self) -> Option<u64> {
        let state = self.state.borrow();
        let described = state.described.as_ref()?;
        Some(described.instance).filter(|&instance| instance != 0)
    }

    /// Notes the reason why the players of the worker are not on the ballot; `None` if they are.
    pub(super) fn leave_out(&self, reason: Option<String>) {
        let mut left_out = lock(&self.left_out);
        if let Some(reason) = reason.as_ref().filter(|_| left_out.is_none()) {
            let (address, worker) = (&self.address, self.name());
            warn!(address, worker, reason, "worker left out");
        }
        *left_out = reason;
    }

    /// Returns a summary for people to read, without the players.
    pub fn status(&self) -> WorkerStatus {
        let name = self.name();
        let left_out = lock(&self.left_out).clone();
        let state = self.state.borrow();
        let (last_failure, last_failure_ago_ms) = match &state.last_failure {
            Some((reason, at)) => (reason.clone(), milliseconds(at.elapsed())),
            None => (String::new(), 0),
        };
        let microseconds = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        WorkerStatus {
            round_trip_us: microseconds(state.round_trip.mean()),
            jitter_us: microseconds(state.round_trip.jitter()),
            last_failure,
            last_failure_ago_ms,
            name,
            address: self.address.clone(),
            connected: state.failure.is_none() && left_out.is_none(),
            failure: match &state.failure {
                Some(failure) => failure.to_string(),
                None => left_out.unwrap_or_default(),
            },
            version: match &state.described {
                Some(described) => described.version.clone(),
                None => String::new(),
            },
            players: Vec::new(),
            loading: match (&state.described, &state.failure) {
                (Some(described), None) => described.loading.clone(),
                _ => Vec::new(),
            },
            draining: matches!(state.failure, Some(ReachError::Draining)),
            enrolled: false,
            build: match &state.described {
                Some(described) => described.build.clone(),
                None => String::new(),
            },
            held_by: match &state.described {
                Some(described) => described.held_by.clone(),
                None => String::new(),
            },
        }
    }

    /// Calls the worker at once, with the claim in force.
    pub(super) fn call_now(&self) {
        self.wake.notify_one();
    }

    /// Waits until the worker has described itself again: engines have names only after they started.
    pub async fn describe_again(&self) {
        let mut state = self.state.clone();
        state.mark_unchanged();
        self.call_now();
        // An error means that the watcher has ended, which it does only with the link.
        let _ = state.changed().await;
    }

    /// Returns true once the worker has described itself.
    pub fn is_described(&self) -> bool {
        self.state.borrow().described.is_some()
    }

    /// Waits until the worker has described itself.
    pub async fn described(&self) {
        let mut state = self.state.clone();
        // As above.
        let _ = state.wait_for(|state| state.described.is_some()).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

/// Returns the part of a URL that names the machine and the port.
pub(super) fn authority(url: &str) -> String {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.trim_end_matches('/').to_lowercase()
}

/// Checks a URL.
///
/// # Errors
/// It is not of the form `http://host:port` or `https://host:port`.
pub fn address(url: &str) -> Result<Uri, AddressError> {
    let form = || AddressError::Form(url.to_owned());
    let uri: Uri = url.parse().map_err(|_| form())?;
    let is_known = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
    if !is_known || uri.port_u16().is_none() || !is_bare {
        return Err(form());
    }
    Ok(uri)
}

/// Checks a URL and returns a connection that is made with the first call, and again when it is lost.
///
/// # Errors
/// The URL is not of the form `http://host:port`, or with `tls` `https://host:port`.
pub fn channel(url: &str, tls: Option<&Tls>) -> Result<Channel, AddressError> {
    let endpoint = endpoint(url, tls)?;
    Ok(match tls {
        Some(tls) => tls.channel(&endpoint, CONNECT_PATIENCE),
        None => endpoint.connect_lazy(),
    })
}

/// Checks a URL and sets up a connection that notices a dead peer; the connector of the certificates encrypts it.
///
/// # Errors
/// The URL is not of the form `http://host:port`, or with `tls` `https://host:port`.
pub fn endpoint(url: &str, tls: Option<&Tls>) -> Result<Endpoint, AddressError> {
    let uri = address(url)?;
    let encrypted = uri.scheme_str() == Some("https");
    match (encrypted, tls.is_some()) {
        (false, true) => return Err(AddressError::Open(url.to_owned())),
        (true, false) => return Err(AddressError::NoCertificates(url.to_owned())),
        (false, false) | (true, true) => {}
    }
    let mut plain = uri.clone().into_parts();
    plain.scheme = Some(Scheme::HTTP);
    let plain = Uri::from_parts(plain).map_err(|_| AddressError::Form(url.to_owned()))?;
    Ok(Endpoint::from(plain)
        .origin(uri)
        .connect_timeout(CONNECT_PATIENCE)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_PATIENCE)
        .keep_alive_while_idle(true)
        // Late answers to searches that were reset are no errors of a peer.
        .http2_max_concurrent_reset_streams(RESET_STREAMS)
        .http2_max_local_error_reset_streams(None))
}

/// Asks a worker to describe itself, which also renews the claim on its players.
struct WorkerWatcher {
    address: String,
    client: WorkerClient<Channel>,
    patience: Duration,
    /// Greatest number of its votes.
    most_votes: usize,
    wake: Arc<Notify>,
    reservation: Arc<OnceLock<Reservation>>,
    overdue: Arc<Mutex<Option<OverdueRelease>>>,
    state: watch::Sender<LinkState>,
}

impl WorkerWatcher {
    /// Asks until the task is aborted. The channel reconnects by itself.
    async fn run(mut self) {
        let mut retry = FIRST_RETRY;
        loop {
            let claim = self.reservation.get().and_then(Reservation::claim);
            let present = claim.as_ref().map(|claim| claim.session.clone());
            let holder = claim.as_ref().map(|claim| claim.holder.clone());
            let asked = Instant::now();
            let described = self.describe(claim).await;
            let round_trip = asked.elapsed();
            let connected = described.is_ok();
            if let (Some(reservation), Some(session)) = (self.reservation.get(), &present)
                && let Ok(described) = &described
            {
                // Older builds tell the holder alone.
                let is_named = |holder: &str| described.held_by.starts_with(holder);
                if described.holds || holder.as_deref().is_some_and(is_named) {
                    reservation.confirm(session);
                } else if !described.held_by.is_empty() {
                    reservation.refuse(session);
                }
            }
            if connected {
                self.release_overdue(present).await;
            }
            self.state
                .send_modify(|state| state.note(&self.address, described, round_trip));
            let pause = match connected {
                true if round_trip > LATE => LATE_INTERVAL,
                true => WATCH_INTERVAL,
                false => retry,
            };
            retry = match connected {
                true => FIRST_RETRY,
                false => (2 * retry).min(RETRY_INTERVAL),
            };
            tokio::select! {
                () = time::sleep(pause) => {}
                () = self.wake.notified() => {}
            }
        }
    }

    async fn describe(&mut self, claim: Option<Claim>) -> Result<DescribeResponse, ReachError> {
        let request = DescribeRequest { claim };
        let is_known = self.state.borrow().described.is_some();
        match time::timeout(self.patience, self.client.describe(request)).await {
            Ok(Ok(response)) => {
                let described = response.into_inner();
                door::description(&described)?;
                door::votes_within(&described, self.most_votes)?;
                Ok(described)
            }
            Ok(Err(status)) if is_known => Err(ReachError::Later(Box::new(status))),
            Ok(Err(status)) => Err(ReachError::First(Box::new(status))),
            Err(_) => Err(ReachError::Silent(self.patience)),
        }
    }

    /// Tells a worker that is back of the session that was over meanwhile; otherwise it would refuse the present
    /// one until its lease ends.
    async fn release_overdue(&mut self, present: Option<String>) {
        let overdue = lock(&self.overdue).take();
        let Some(overdue) = overdue.filter(|it| it.since.elapsed() < RELEASE_OVERDUE) else {
            return;
        };
        if present.as_ref() == Some(&overdue.session) {
            // This very call may have renewed it: it was asked before the session was over.
            lock(&self.overdue).get_or_insert(overdue);
            return;
        }
        let request = ReleaseRequest {
            session: overdue.session.clone(),
        };
        let released = time::timeout(self.patience, self.client.release(request)).await;
        if !matches!(released, Ok(Ok(_))) {
            lock(&self.overdue).get_or_insert(overdue);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LinkState {
    /// Enters the answer to one call, and the time that it took.
    fn note(
        &mut self,
        address: &str,
        described: Result<DescribeResponse, ReachError>,
        round_trip: Duration,
    ) {
        match described {
            Ok(described) if described.draining => {
                if !matches!(self.failure, Some(ReachError::Draining)) {
                    info!(address, worker = described.name, "worker draining");
                }
                self.reached = Instant::now();
                self.described = Some(described);
                self.failure = Some(ReachError::Draining);
            }
            Ok(described) => {
                self.reached = Instant::now();
                if self.failure.is_some() {
                    let worker = &described.name;
                    let players = described.players.len();
                    info!(address, worker, players, "worker connected");
                    let (its_build, our_build) = (&described.build, build::name());
                    if its_build != our_build {
                        warn!(
                            worker,
                            its_build,
                            our_build,
                            "another build of monju; copy one program to every machine"
                        );
                    }
                    // The time of the first call includes that of connecting.
                    self.round_trip = RoundTrip::default();
                } else {
                    self.round_trip.note(round_trip);
                }
                self.described = Some(described);
                self.failure = None;
            }
            Err(failure) => {
                if let ReachError::Offence(_) = failure {
                    // Its players are not believed in either.
                    self.described = None;
                }
                let reason = failure.to_string();
                if self.failure.as_ref().map(ReachError::to_string).as_ref() != Some(&reason) {
                    warn!(address, reason, "worker not connected");
                }
                self.last_failure = Some((reason, Instant::now()));
                self.failure = Some(failure);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        assert!(endpoint("http://127.0.0.1:7411", None).is_ok());
        assert!(endpoint("http://worker-1.local:7411/", None).is_ok());
        assert!(endpoint("http://[::1]:7411", None).is_ok());
        for bad in [
            "",
            "127.0.0.1:7411",
            "http://host",
            "ftp://host:1",
            "http://host:1/path",
            "a b",
        ] {
            assert_eq!(
                endpoint(bad, None).err(),
                Some(AddressError::Form(bad.to_owned()))
            );
        }
        assert!(matches!(
            endpoint("https://host:7411", None),
            Err(AddressError::NoCertificates(_))
        ));
    }
}
