//! gRPC inside one process: the same services over an in-memory connection.

use hyper_util::rt::TokioIo;
use std::io;
use tokio::{io::DuplexStream, sync::mpsc};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};
use tonic::transport::{Channel, Endpoint, Uri, server::Router};

/// Bytes in flight per direction; ballots of many players fit without blocking.
const BUFFER: usize = 256 * 1024;

/// Serves `router` to the returned channel, and to nobody else, until the task handle is dropped.
pub fn serve(router: Router) -> (Channel, ServerTask) {
    let (connections, incoming) = mpsc::channel::<DuplexStream>(4);
    let incoming = ReceiverStream::new(incoming).map(Ok::<_, io::Error>);
    let task = tokio::spawn(async move {
        if let Err(error) = router.serve_with_incoming(incoming).await {
            tracing::error!(%error, "in-process server failed");
        }
    });
    let connect = tower::service_fn(move |_: Uri| {
        let connections = connections.clone();
        async move {
            let (near, far) = tokio::io::duplex(BUFFER);
            connections.send(far).await.map_err(|_| {
                io::Error::new(io::ErrorKind::ConnectionRefused, "the server has ended")
            })?;
            Ok::<_, io::Error>(TokioIo::new(near))
        }
    });
    let channel = Endpoint::from_static("http://in-process").connect_with_connector_lazy(connect);
    (channel, ServerTask(task))
}

/// A running server, ended when dropped.
#[derive(Debug)]
pub struct ServerTask(tokio::task::JoinHandle<()>);

impl Drop for ServerTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
