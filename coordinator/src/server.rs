//! Serving a coordinator.

use crate::service::Service;
use monju_proto::{
    serve::{self, ServeError},
    tls::Tls,
    v1::coordinator_server::CoordinatorServer,
};
use std::{
    future::{self, Future},
    time::Duration,
};
use tokio::net::TcpListener;
use tonic::transport::{Server, server::Router};

/// Time for pending decisions when the service ends; watchers would never leave.
const DRAIN_PATIENCE: Duration = Duration::from_secs(1);

/// File descriptors of the connection to a worker, with one that is being made anew.
const WORKER_DESCRIPTORS: usize = 2;

/// Returns the coordinator with health and reflection services, for this process.
///
/// # Errors
/// The descriptors for server reflection are broken.
pub async fn router(service: Service) -> Result<Router, ServeError> {
    serve::router(&mut Server::builder(), CoordinatorServer::new(service)).await
}

/// Serves a coordinator with health and reflection on a listener until `shutdown` resolves. With `tls`,
/// only members of the team are served.
///
/// # Errors
/// The connections failed, or the certificates are not valid.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    service: Service,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let mut server = serve::network_server(tls)?;
    let team = service.workers() * WORKER_DESCRIPTORS;
    let router = serve::router(&mut server, CoordinatorServer::new(service)).await?;
    serve::serve_tcp(
        listener,
        team,
        router,
        shutdown,
        future::ready(()),
        DRAIN_PATIENCE,
    )
    .await
}
