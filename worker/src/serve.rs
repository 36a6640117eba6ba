//! Serving a worker: over TCP, or to the same process over an in-memory connection.

use crate::{service::Service, tls::Tls, worker::Worker};
use hyper_util::rt::TokioIo;
use monju_proto::v1::worker_server::WorkerServer;
use std::{future::Future, io, time::Duration};
use tokio::{
    io::{DuplexStream, duplex},
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{
    Channel, Endpoint, Server,
    server::{Router, TcpIncoming},
};
use tower::service_fn;

/// How often a silent peer is asked whether it is there, and how long it may take to say so.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// How long calls may take to end after the worker has: longest are streams that watch health.
const DRAIN_PATIENCE: Duration = Duration::from_millis(500);

/// Bytes on their way within an in-memory connection.
const PIPE_BYTES: usize = 64 << 10;

/// Why a worker is not served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The descriptors for server reflection are broken.
    #[error("server reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The connections failed.
    #[error("serving failed: {0}")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves a worker with health and reflection on a listener until `shutdown` resolves, then closes
/// it within 5 s. With `tls`, members of the team alone are served.
///
/// # Errors
/// The connections failed, or the certificates are none.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    worker: Worker,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE));
    if let Some(tls) = tls {
        server = server.tls_config(tls.server())?;
    }
    let router = routes(&mut server, &worker).await?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let (drain, draining) = oneshot::channel::<()>();
    let serving = router.serve_with_incoming_shutdown(incoming, async {
        let _ = draining.await;
    });
    tokio::pin!(serving);
    tokio::select! {
        result = &mut serving => return Ok(result?),
        () = shutdown => {}
    }
    drop(drain);
    // The server goes on meanwhile, so that thinks can tell how they end.
    let closed = worker.close();
    tokio::pin!(closed);
    tokio::select! {
        () = &mut closed => {}
        result = &mut serving => {
            closed.await;
            return Ok(result?);
        }
    }
    match timeout(DRAIN_PATIENCE, serving).await {
        Ok(result) => Ok(result?),
        Err(_) => Ok(()),
    }
}

/// A worker inside this process, reached by gRPC over an in-memory connection. Dropping it ends
/// its players in the background; [`InProcessWorker::close`] waits for that.
#[derive(Debug)]
pub struct InProcessWorker {
    channel: Channel,
    worker: Option<Worker>,
    server: JoinHandle<()>,
}

impl Worker {
    /// Serves the worker, with health and reflection, to this process only.
    pub async fn in_process(self) -> Result<InProcessWorker, ServeError> {
        let (connections, incoming) = mpsc::channel::<io::Result<DuplexStream>>(1);
        let router = routes(&mut Server::builder(), &self).await?;
        let server = tokio::spawn(async move {
            let served = router
                .serve_with_incoming(ReceiverStream::new(incoming))
                .await;
            if let Err(error) = served {
                tracing::error!(%error, "the in-process worker is no longer served");
            }
        });
        let connect = service_fn(move |_| {
            let connections = connections.clone();
            async move {
                let (near, far) = duplex(PIPE_BYTES);
                let gone = |_| io::Error::new(io::ErrorKind::NotConnected, "the worker is closed");
                connections.send(Ok(far)).await.map_err(gone)?;
                Ok::<_, io::Error>(TokioIo::new(near))
            }
        });
        // The address is never resolved; it is what HTTP/2 needs as an authority.
        let endpoint = Endpoint::from_static("http://in-process");
        Ok(InProcessWorker {
            channel: endpoint.connect_with_connector_lazy(connect),
            worker: Some(self),
            server,
        })
    }
}

impl InProcessWorker {
    /// The connection; clones share it.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Ends all players within 5 s: running thinks fail, engines are told to quit and then killed.
    pub async fn close(mut self) {
        if let Some(worker) = self.worker.take() {
            worker.close().await;
        }
    }
}

impl Drop for InProcessWorker {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn routes(server: &mut Server, worker: &Worker) -> Result<Router, ServeError> {
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_serving::<WorkerServer<Service>>().await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(monju_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(server
        .add_service(health)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .add_service(WorkerServer::new(Service::new(worker.roster.clone()))))
}
