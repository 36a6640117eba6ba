//! One worker: the way to it, and a task that watches whether it is there.

use crate::clock::RoundTrip;
use monju_proto::client::{innermost, reason};
use monju_proto::tls::Tls;
use monju_proto::v1::{
    DescribeRequest, DescribeResponse, PlayerInfo, WorkerStatus, worker_client::WorkerClient,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::{self, Instant},
};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint, Uri},
};
use tracing::{info, warn};

/// A connected worker is asked this often whether it is still there.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// A lost worker is asked this often whether it is back.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// A host that does not answer the first packet within this time is not there.
const CONNECT_PATIENCE: Duration = Duration::from_secs(1);
/// A remote worker that does not describe itself within this time is lost.
const REMOTE_PATIENCE: Duration = Duration::from_secs(2);
/// A worker in this process cannot be lost, only kept waiting by its own players.
const IN_PROCESS_PATIENCE: Duration = Duration::from_secs(60);
/// HTTP/2 keepalive: how often an unanswered connection is probed, and when it is given up.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);
const KEEPALIVE_PATIENCE: Duration = Duration::from_secs(2);

/// Why a text is no worker's or coordinator's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not of the form `http://host:port`.
    #[error("'{0}' is no address; expected a form like http://127.0.0.1:7411")]
    Form(String),
    /// Encrypted, but there are no certificates.
    #[error(
        "'{0}' asks for TLS, which needs the team's certificates: give their folder by --tls or \
         tls = …; 'monju certificates' makes one"
    )]
    NoCertificates(String),
    /// There are certificates, but the connection would be open.
    #[error("'{0}' is not encrypted, though there are certificates; write https://")]
    Open(String),
    /// The certificates are none.
    #[error("the team's certificates do not do: {0}; make new ones with 'monju certificates'")]
    Certificates(String),
}

/// One worker of the ensemble. Dropping it ends the watching.
#[derive(Debug)]
pub struct Link {
    address: String,
    channel: Channel,
    state: watch::Receiver<State>,
    /// Has the worker asked at once.
    wake: Arc<Notify>,
    watcher: JoinHandle<()>,
}

/// What is known of a worker.
#[derive(Clone, Debug)]
struct State {
    /// What it said last, connected or not.
    described: Option<DescribeResponse>,
    /// Why it is not connected.
    failure: Option<String>,
    round_trip: RoundTrip,
}

impl Link {
    /// A worker in this process, reached over an in-memory connection.
    pub fn in_process(channel: Channel) -> Self {
        Self::watch("in-process".to_owned(), channel, IN_PROCESS_PATIENCE)
    }

    /// A worker at a URL. It need not be there yet.
    ///
    /// # Errors
    /// The URL is not of the form `http://host:port`, or with `tls` `https://host:port`.
    pub fn remote(url: &str, tls: Option<&Tls>) -> Result<Self, AddressError> {
        let endpoint = endpoint(url, tls)?;
        let channel = endpoint.connect_lazy();
        Ok(Self::watch(url.to_owned(), channel, REMOTE_PATIENCE))
    }

    /// A worker that is lost when it does not describe itself within `patience`.
    pub(crate) fn watch(address: String, channel: Channel, patience: Duration) -> Self {
        let (sender, state) = watch::channel(State {
            described: None,
            failure: Some("not connected yet".to_owned()),
            round_trip: RoundTrip::default(),
        });
        let client = WorkerClient::new(channel.clone());
        let wake = Arc::<Notify>::default();
        let watcher = watch_worker(address.clone(), client, patience, Arc::clone(&wake), sender);
        Self {
            watcher: tokio::spawn(watcher),
            address,
            channel,
            state,
            wake,
        }
    }

    /// `in-process`, or the URL.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The connection.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Why the worker is not connected.
    pub fn failure(&self) -> Option<String> {
        self.state.borrow().failure.clone()
    }

    /// What to set aside for a round trip, from those that were measured, with their jitter; zero
    /// while it is not connected.
    pub fn round_trip(&self) -> Duration {
        let state = self.state.borrow();
        match state.failure {
            None => state.round_trip.allowance(),
            Some(_) => Duration::ZERO,
        }
    }

    /// The worker's own name, or its address until it is known.
    pub fn name(&self) -> String {
        match &self.state.borrow().described {
            Some(described) if !described.name.is_empty() => described.name.clone(),
            _ => self.address.clone(),
        }
    }

    /// The players as they were described last.
    pub fn players(&self) -> Vec<PlayerInfo> {
        match &self.state.borrow().described {
            Some(described) => described.players.clone(),
            None => Vec::new(),
        }
    }

    /// The worker for people to read, without its players.
    pub fn status(&self) -> WorkerStatus {
        let name = self.name();
        let state = self.state.borrow();
        WorkerStatus {
            name,
            address: self.address.clone(),
            connected: state.failure.is_none(),
            failure: state.failure.clone().unwrap_or_default(),
            version: match &state.described {
                Some(described) => described.version.clone(),
                None => String::new(),
            },
            players: Vec::new(),
        }
    }

    /// Has the worker describe itself again, and waits for that: engines have names only when they have started.
    pub async fn describe_again(&self) {
        let mut state = self.state.clone();
        state.mark_unchanged();
        self.wake.notify_one();
        // As below.
        let _ = state.changed().await;
    }

    /// Waits until the worker has described itself.
    pub async fn described(&self) {
        let mut state = self.state.clone();
        // An error means that the watcher has ended, which it does only with the link.
        let _ = state.wait_for(|state| state.described.is_some()).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.watcher.abort();
    }
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

/// Checks a URL and sets the connection up so that a dead peer is noticed.
///
/// # Errors
/// The URL is not of the form `http://host:port`, or with `tls` `https://host:port`.
pub fn endpoint(url: &str, tls: Option<&Tls>) -> Result<Endpoint, AddressError> {
    let uri = address(url)?;
    let encrypted = uri.scheme_str() == Some("https");
    let endpoint = Endpoint::from(uri)
        .connect_timeout(CONNECT_PATIENCE)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_PATIENCE)
        .keep_alive_while_idle(true);
    match (encrypted, tls) {
        (false, None) => Ok(endpoint),
        (false, Some(_)) => Err(AddressError::Open(url.to_owned())),
        (true, None) => Err(AddressError::NoCertificates(url.to_owned())),
        (true, Some(tls)) => (endpoint.tls_config(tls.client()))
            .map_err(|error| AddressError::Certificates(innermost(&error).to_string())),
    }
}

/// The cause of a failed first call, with what is most likely wrong where that is not plain.
pub fn first_reason(status: &Status) -> String {
    let reason = reason(status);
    let hangs_up = [
        "connection closed",
        "broken pipe",
        "frame with invalid size",
    ];
    if hangs_up.iter().any(|words| reason.contains(words)) {
        "it hangs up at once; only one side may be using TLS (https:// and the certificates)"
            .to_owned()
    } else if reason.contains("invalid peer certificate") {
        format!("{reason}; its certificate is another team's, give both sides the same folder")
    } else if status.code() == Code::Unimplemented {
        "it does not know this service; a worker may have been taken for a coordinator, or the reverse"
            .to_owned()
    } else {
        reason
    }
}

/// Asks the worker to describe itself, for ever. The channel reconnects by itself.
async fn watch_worker(
    address: String,
    mut client: WorkerClient<Channel>,
    patience: Duration,
    wake: Arc<Notify>,
    state: watch::Sender<State>,
) {
    loop {
        let asked = Instant::now();
        let answer = time::timeout(patience, client.describe(DescribeRequest {})).await;
        let outcome = match answer {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) if is_known(&state) => Err(reason(&status)),
            Ok(Err(status)) => Err(first_reason(&status)),
            Err(_) => Err(format!("no answer within {} s", patience.as_secs())),
        };
        let connected = outcome.is_ok();
        state.send_modify(|state| state.note(&address, outcome, asked.elapsed()));
        let pause = if connected {
            WATCH_INTERVAL
        } else {
            RETRY_INTERVAL
        };
        tokio::select! {
            () = time::sleep(pause) => {}
            () = wake.notified() => {}
        }
    }
}

/// Whether the worker has ever been connected.
fn is_known(state: &watch::Sender<State>) -> bool {
    state.borrow().described.is_some()
}

impl State {
    fn note(
        &mut self,
        address: &str,
        outcome: Result<DescribeResponse, String>,
        round_trip: Duration,
    ) {
        match outcome {
            Ok(described) => {
                if self.failure.is_some() {
                    let worker = &described.name;
                    let players = described.players.len();
                    info!(address, worker, players, "worker connected");
                    // The first answer of a connection also makes the connection.
                    self.round_trip = RoundTrip::default();
                } else {
                    self.round_trip.note(round_trip);
                }
                self.described = Some(described);
                self.failure = None;
            }
            Err(reason) => {
                if self.failure.as_deref() != Some(reason.as_str()) {
                    warn!(address, reason, "worker not connected");
                }
                self.failure = Some(reason);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_first_call_is_said_as_one_thing() {
        let texts = [
            "connection closed",
            "stream closed because of a broken pipe",
        ];
        let said = texts.map(|text| first_reason(&Status::unavailable(text)));
        assert_eq!(said[0], said[1]);
        assert!(said[0].contains("TLS"));
        let elsewhere = first_reason(&Status::unimplemented(""));
        assert!(elsewhere.contains("coordinator"), "{elsewhere}");
        let refused = Status::unavailable("connection refused");
        assert_eq!(first_reason(&refused), "connection refused");
    }

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
