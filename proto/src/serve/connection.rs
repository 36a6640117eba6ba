//! A connection that is served, whatever carries it.
//!
//! HTTP/2 is compiled once, for this type alone, and in this crate.

use super::{
    caller::{Caller, CallerOrigin},
    guard::Router,
    incoming::Guarded,
};
use crate::{tls::MemberStream, watched_stream::WatchedStream};
use std::{io, pin::Pin};
use tokio::{
    io::{AsyncRead, AsyncWrite, DuplexStream},
    net::TcpStream,
    sync::oneshot,
};
use tokio_rustls::server::TlsStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::server::Connected;

/// A server at work, until it ends.
pub type Serving = Pin<Box<dyn Future<Output = Result<(), tonic::transport::Error>> + Send>>;

/// Connections as they come in.
type Connections = Pin<Box<dyn Stream<Item = io::Result<Connection>> + Send>>;

/// Serves connections until `draining` says so or is dropped, and then the calls under way.
pub fn serve<C: Into<Connection>>(
    router: Router,
    connections: impl Stream<Item = io::Result<C>> + Send + 'static,
    draining: oneshot::Receiver<()>,
) -> Serving {
    let connections = connections.map(|connection| connection.map(Into::into));
    serve_connections(router, Box::pin(connections), draining)
}

fn serve_connections(
    router: Router,
    connections: Connections,
    draining: oneshot::Receiver<()>,
) -> Serving {
    let draining = async {
        let _ = draining.await;
    };
    Box::pin(router.serve_with_incoming_shutdown(connections, draining))
}

/// Something that carries a connection.
pub trait Carrier: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Carrier for T {}

/// A connection, and who is at its other end.
pub type Connection = WatchedStream<Box<dyn Carrier>, Caller>;

impl From<DuplexStream> for Connection {
    fn from(stream: DuplexStream) -> Self {
        Self {
            stream: Box::new(stream),
            watcher: CallerOrigin::ThisProcess.into(),
        }
    }
}

impl From<Guarded<TcpStream>> for Connection {
    fn from(stream: Guarded<TcpStream>) -> Self {
        Self {
            watcher: CallerOrigin::Anybody(stream.connect_info()).into(),
            stream: Box::new(stream),
        }
    }
}

impl From<MemberStream<TlsStream<Guarded<TcpStream>>>> for Connection {
    fn from(stream: MemberStream<TlsStream<Guarded<TcpStream>>>) -> Self {
        Self {
            watcher: CallerOrigin::Member(stream.connect_info()).into(),
            stream: Box::new(stream),
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.watcher.clone()
    }
}
