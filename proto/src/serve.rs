//! The one way in which services are served: over TCP, or to this process over an in-memory connection.

mod caller;
mod connection;
pub mod descriptors;
mod guard;
mod incoming;
mod pace;
mod permits;

pub use guard::{CheckedServer, Router};
pub use incoming::limited;
pub use permits::{ConnectionLimits, ConnectionPermit};

use crate::tls::Tls;
use connection::Connection;
use guard::GuardLayer;
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::DuplexStream,
    net::TcpListener,
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::{
    body::Body,
    codegen::{Service, http},
    server::NamedService,
    transport::{Channel, Endpoint, Server, Uri},
};
use tonic_health::ServingStatus;
use tracing::warn;

/// Tells whether a host, as in a URL, is this machine's loopback.
pub fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Interval of the keepalive pings to a silent peer, and the time that it has to answer one.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// Streams that one end of a connection remembers after they were reset: some for each player of a large worker. Every
/// decision resets the searches that are not over.
pub const RESET_STREAMS: usize = 1_024;

/// Bytes in flight per direction of an in-memory connection; ballots of many players fit without blocking.
const PIPE_BYTES: usize = 256 << 10;

/// Reason why a service cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another process listens on the address.
    #[error("cannot listen on {0}: address in use; stop the other process or choose --listen")]
    InUse(String),
    /// The system refuses the address.
    #[error("cannot listen on {address}: {source}; choose another --listen HOST:PORT")]
    Listen {
        /// Address as it was given.
        address: String,
        /// Error of the system.
        source: io::Error,
    },
    /// A network can reach the address, and nobody has to prove anything there.
    #[error(
        "refused to listen on {0} without TLS, where everybody who reaches the port could use it; make \
         certificates with 'monju certificates', or allow it with --without-tls"
    )]
    Open(SocketAddr),
    /// The descriptors for server reflection are broken.
    #[error("server reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The connections failed.
    #[error("serving failed: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// The callers that a service lets in.
#[derive(Clone, Copy, Debug)]
pub enum Admission<'a> {
    /// The members of a team.
    Members(&'a Tls),
    /// Everybody on this machine.
    ThisMachine,
    /// Everybody who reaches the port.
    Everybody,
}

impl<'a> Admission<'a> {
    /// Returns the certificates of the members.
    pub fn tls(self) -> Option<&'a Tls> {
        match self {
            Self::Members(tls) => Some(tls),
            Self::ThisMachine | Self::Everybody => None,
        }
    }
}

/// Listens on `host:port`.
///
/// # Errors
/// The port is in use, the system refuses otherwise, or a network can reach the address of a service for
/// this machine.
pub async fn listen(
    address: &str,
    admission: Admission<'_>,
) -> Result<(TcpListener, SocketAddr), ServeError> {
    let (listener, local) = bind(address).await?;
    match admission {
        Admission::ThisMachine if !local.ip().is_loopback() => Err(ServeError::Open(local)),
        Admission::Everybody if !local.ip().is_loopback() => {
            warn!(address = %local, "listening without TLS: everybody who reaches this port can use it");
            Ok((listener, local))
        }
        _ => Ok((listener, local)),
    }
}

/// Greatest message that a service takes, in bytes: the longest question fits many times over.
pub const LONGEST_REQUEST: usize = 256 << 10;

/// Greatest numbers of connections of probes at once.
const HEALTH_LIMITS: ConnectionLimits = ConnectionLimits {
    all: 64,
    from_one: 16,
};

/// Interval at which the health of a service is looked at.
const HEALTH_INTERVAL: Duration = Duration::from_millis(200);

/// Adds a service, the standard health service and server reflection to a server. `is_ready` tells whether the
/// service can do its work now; `None` ends the reports.
///
/// # Errors
/// The descriptors for server reflection are broken.
pub async fn router<S>(
    server: &mut CheckedServer,
    service: S,
    is_ready: impl Fn() -> Option<bool> + Send + Sync + 'static,
) -> Result<Router, ServeError>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    let (reporter, health) = tonic_health::server::health_reporter();
    let report = async move || {
        let status = match is_ready()? {
            true => ServingStatus::Serving,
            false => ServingStatus::NotServing,
        };
        for name in ["", S::NAME] {
            reporter.set_service_status(name, status).await;
        }
        Some(())
    };
    report().await;
    tokio::spawn(async move {
        while report().await.is_some() {
            sleep(HEALTH_INTERVAL).await;
        }
    });
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(crate::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(server
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(service))
}

/// A server for this process.
pub fn server() -> CheckedServer {
    Server::builder()
        // After a stall, streams come together with their resets.
        .http2_max_pending_accept_reset_streams(Some(RESET_STREAMS))
        .layer(GuardLayer)
}

/// A server for connections over a network: dead peers are found by keepalive pings.
pub fn network_server() -> CheckedServer {
    server()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
}

/// Serves over TCP until `shutdown` resolves; with `tls`, members of the team alone. No connection is accepted
/// after that; calls under way go on while `closing` runs, and for at most `patience` after it. There are at most
/// `connections` at once; [`descriptors::share`] tells how many there can be.
///
/// # Errors
/// The connections failed.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    connections: usize,
    router: Router,
    shutdown: impl Future<Output = ()>,
    closing: impl Future<Output = ()>,
    patience: Duration,
) -> Result<(), ServeError> {
    let (drain, draining) = oneshot::channel::<()>();
    let incoming = incoming::incoming(listener, ConnectionLimits::of_service(connections));
    let mut serving = match tls {
        Some(tls) => connection::serve(router, incoming::members(incoming, tls.clone()), draining),
        None => connection::serve(router, incoming, draining),
    };
    tokio::select! {
        result = &mut serving => return Ok(result?),
        () = shutdown => drop(drain),
    }
    tokio::pin!(closing);
    tokio::select! {
        () = &mut closing => {}
        result = &mut serving => {
            closing.await;
            return Ok(result?);
        }
    }
    match timeout(patience, serving).await {
        Ok(result) => Ok(result?),
        Err(_) => Ok(()),
    }
}

/// Takes `host:port`.
async fn bind(address: &str) -> Result<(TcpListener, SocketAddr), ServeError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(address.to_owned()),
        _ => ServeError::Listen {
            address: address.to_owned(),
            source,
        },
    };
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let local = listener.local_addr().map_err(fail)?;
    Ok((listener, local))
}

/// Serves the standard health service alone, to whoever reaches the address: probes of service managers have no
/// certificates. It ends with the returned handle.
///
/// # Errors
/// The port is in use, or the system refuses otherwise.
pub async fn health(
    address: &str,
    is_ready: impl Fn() -> Option<bool> + Send + Sync + 'static,
) -> Result<(SocketAddr, ServerTask), ServeError> {
    let (listener, local) = bind(address).await?;
    let (reporter, health) = tonic_health::server::health_reporter();
    tokio::spawn(async move {
        while let Some(ready) = is_ready() {
            let status = match ready {
                true => ServingStatus::Serving,
                false => ServingStatus::NotServing,
            };
            reporter.set_service_status("", status).await;
            sleep(HEALTH_INTERVAL).await;
        }
    });
    let router = network_server().add_service(health);
    let incoming = incoming::incoming(listener, HEALTH_LIMITS);
    Ok((local, ServerTask::spawn(router, incoming)))
}

/// Serves `router` only to the returned channel, until the handle is dropped.
pub fn in_process(router: Router) -> (Channel, ServerTask) {
    let (connections, incoming) = mpsc::channel::<DuplexStream>(4);
    let incoming = ReceiverStream::new(incoming).map(Ok::<_, io::Error>);
    let task = ServerTask::spawn(router, incoming);
    let connect = tower::service_fn(move |_: Uri| {
        let connections = connections.clone();
        async move {
            let (near, far) = tokio::io::duplex(PIPE_BYTES);
            connections.send(far).await.map_err(|_| {
                io::Error::new(io::ErrorKind::ConnectionRefused, "the server has ended")
            })?;
            Ok::<_, io::Error>(TokioIo::new(near))
        }
    });
    // The address is never resolved; HTTP/2 needs it as an authority.
    let endpoint = Endpoint::from_static("http://in-process")
        .http2_max_concurrent_reset_streams(RESET_STREAMS)
        .http2_max_local_error_reset_streams(None);
    let channel = endpoint.connect_with_connector_lazy(connect);
    (channel, task)
}

/// A running server, which ends when this handle is dropped.
#[derive(Debug)]
pub struct ServerTask(tokio::task::JoinHandle<()>);

impl ServerTask {
    fn spawn<C: Into<Connection>>(
        router: Router,
        connections: impl Stream<Item = io::Result<C>> + Send + 'static,
    ) -> Self {
        Self(tokio::spawn(async move {
            // The handle ends the task; nothing else ends the server.
            let (_drain, draining) = oneshot::channel();
            if let Err(error) = connection::serve(router, connections, draining).await {
                tracing::error!(%error, "serving failed");
            }
        }))
    }
}

impl Drop for ServerTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
