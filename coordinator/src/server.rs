//! Serving a coordinator.

use crate::service::Service;
use monju_proto::{
    serve::{self, CheckedServer, Router, ServeError},
    tls::Tls,
    v1::coordinator_server::CoordinatorServer,
};
use std::{future::Future, time::Duration};
use tokio::net::TcpListener;

/// Time for pending decisions when the service ends; watchers would never leave.
const DRAIN_PATIENCE: Duration = Duration::from_secs(1);

/// Greatest number of calls at once over one connection: a front end has a handful.
const CALLS: u32 = 32;

/// Returns the coordinator with health and reflection services, for this process.
///
/// # Errors
/// The descriptors for server reflection are broken.
pub async fn router(service: Service) -> Result<Router, ServeError> {
    with_service(&mut serve::server(), service).await
}

async fn with_service(server: &mut CheckedServer, service: Service) -> Result<Router, ServeError> {
    let is_ready = service.is_ready();
    let service = CoordinatorServer::new(service);
    let service = service.max_decoding_message_size(serve::LONGEST_REQUEST);
    serve::router(server, service, is_ready).await
}

/// Serves a coordinator with health and reflection on a listener until `shutdown` resolves, and its consultations until
/// `closing` resolves after that. With `tls`, only members of the team are served. The process needs `others` file
/// descriptors beside those of its workers and of this service. As many workers may enrol themselves as there are
/// descriptors for.
///
/// # Errors
/// The connections failed.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    service: Service,
    others: usize,
    shutdown: impl Future<Output = ()>,
    closing: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let mut server = serve::network_server().max_concurrent_streams(CALLS);
    let shares = service.count_descriptors(others);
    let router = with_service(&mut server, service).await?;
    serve::serve_tcp(
        listener,
        tls,
        shares.connections,
        router,
        shutdown,
        closing,
        DRAIN_PATIENCE,
    )
    .await
}
