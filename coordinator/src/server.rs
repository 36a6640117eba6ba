//! Serving a coordinator, and what both services need to listen.

use crate::service::Service;
use monju_proto::v1::coordinator_server::CoordinatorServer;
use monju_worker::tls::Tls;
use std::{
    future::{self, Future},
    io,
    net::SocketAddr,
    time::Duration,
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    time::timeout,
};
use tonic::transport::{
    Server,
    server::{Router, TcpIncoming},
};
use tracing::warn;

/// How long a decision that is on its way may take at the end; watchers would stay for ever.
const DRAIN_PATIENCE: Duration = Duration::from_secs(1);

/// How often a silent peer is asked whether it is there, and how long it may take to say so.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// Why a service is not served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Somebody listens there already.
    #[error("cannot listen on {0}: address in use; stop the other process or choose --listen")]
    InUse(String),
    /// The system refuses.
    #[error("cannot listen on {address}: {source}; choose another --listen HOST:PORT")]
    Listen {
        /// Where.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// The descriptors for server reflection are broken.
    #[error("server reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The connections failed.
    #[error("serving failed: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Listens on `host:port`, and warns when that is open to a network without certificates.
///
/// # Errors
/// The port is in use, or the system refuses otherwise.
pub async fn listen(
    address: &str,
    tls: Option<&Tls>,
) -> Result<(TcpListener, SocketAddr), ServeError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ServeError::InUse(address.to_owned()),
        _ => ServeError::Listen {
            address: address.to_owned(),
            source,
        },
    };
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let local = listener.local_addr().map_err(fail)?;
    if tls.is_none() && !local.ip().is_loopback() {
        warn!(
            address = %local,
            "listening without tls: whoever reaches this port can use it; \
             see 'monju certificates --help'"
        );
    }
    Ok((listener, local))
}

/// The coordinator with health and reflection. With `tls`, members of the team alone are served.
///
/// # Errors
/// The descriptors for server reflection are broken, or the certificates are none.
pub async fn routes(service: Service, tls: Option<&Tls>) -> Result<Router, ServeError> {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_serving::<CoordinatorServer<Service>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(monju_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE));
    if let Some(tls) = tls {
        server = server.tls_config(tls.server())?;
    }
    Ok(server
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(CoordinatorServer::new(service)))
}

/// Serves a coordinator until `shutdown` resolves.
///
/// # Errors
/// The connections failed.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    service: Service,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let router = routes(service, tls).await?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let (drain, draining) = oneshot::channel::<()>();
    let serving = router.serve_with_incoming_shutdown(incoming, async {
        let _ = draining.await;
    });
    tokio::pin!(serving);
    tokio::select! {
        result = &mut serving => return Ok(result?),
        () = shutdown => drop(drain),
    }
    match timeout(DRAIN_PATIENCE, serving).await {
        Ok(result) => Ok(result?),
        Err(_) => Ok(()),
    }
}

/// Tells every time that the process is asked to end, whatever the receiver does meanwhile.
pub fn every_time_told_to_end() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            told_to_end().await;
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Resolves when the process is asked to end: by an interrupt or, on Unix, SIGTERM.
pub async fn told_to_end() {
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            warn!(%error, "cannot listen to interrupts");
            future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            terminate.recv().await;
        }
        Err(error) => {
            warn!(%error, "cannot listen to SIGTERM");
            future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
async fn terminated() {
    future::pending::<()>().await;
}
