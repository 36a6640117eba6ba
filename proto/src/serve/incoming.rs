//! Connections of strangers: how many there may be, and how long one may say nothing.

use crate::{
    tls::{MemberStream, Tls},
    watched_stream::{WatchedStream, Watcher},
};
use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::{Sleep, sleep},
};
use tokio_rustls::server::TlsStream;
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::transport::server::Connected;
use tracing::{debug, warn};

/// Time in which a connection must have said that it speaks HTTP/2, or have begun a TLS handshake.
const PREFACE_PATIENCE: Duration = Duration::from_secs(3);

/// Length of the words by which HTTP/2 begins.
const PREFACE_BYTES: usize = 24;

/// Greatest number of a service's connections from one address: a runner has one for each game that it plays at once.
const MOST_FROM_ONE: usize = 256;

/// Pause after the system has refused a connection, such as for want of descriptors.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// Greatest numbers of the connections that a listener has at once.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Those of all addresses together.
    pub all: usize,
    /// Those from one address.
    pub from_one: usize,
}

impl ConnectionLimits {
    /// The limits of a service with `all` connections.
    pub(super) fn of_service(all: usize) -> Self {
        Self {
            all,
            from_one: MOST_FROM_ONE,
        }
    }
}

/// The connections of a listener, by their addresses.
#[derive(Clone, Debug)]
struct ConnectionPermits {
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    limits: ConnectionLimits,
}

impl ConnectionPermits {
    fn new(limits: ConnectionLimits) -> Self {
        Self {
            taken: Arc::default(),
            limits,
        }
    }

    fn take(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let mut taken = self.lock();
        let own = taken.get(&address).copied().unwrap_or(0);
        let ConnectionLimits { all, from_one } = self.limits;
        if own >= from_one || taken.values().sum::<usize>() >= all {
            return None;
        }
        taken.insert(address, own + 1);
        Some(ConnectionPermit {
            permits: self.clone(),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one connection, which is given back when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    permits: ConnectionPermits,
    address: IpAddr,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut taken = self.permits.lock();
        if let Some(own) = taken.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// Accepts connections within the limits, each with its permit; those beyond them are closed at once. It never ends.
pub fn limited(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> impl Stream<Item = (TcpStream, ConnectionPermit)> + Send + Unpin {
    LimitedListener {
        listener,
        permits: ConnectionPermits::new(limits),
        pause: None,
        is_full: false,
    }
}

/// As [`limited`]; each connection has to begin as one of HTTP/2 in time.
pub fn incoming(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> impl Stream<Item = io::Result<Guarded<TcpStream>>> + Send {
    limited(listener, limits).map(|(stream, permit)| Ok(Guarded::new(stream, Some(permit))))
}

/// Lets members of the team through, after their handshakes, which do not wait for each other.
pub fn members<S>(
    connections: impl Stream<Item = io::Result<Guarded<S>>> + Send + 'static,
    tls: Tls,
) -> impl Stream<Item = io::Result<MemberStream<TlsStream<Guarded<S>>>>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, members) = mpsc::channel(1);
    tokio::spawn(async move {
        tokio::pin!(connections);
        let mut handshakes = JoinSet::new();
        loop {
            let shaken = tokio::select! {
                () = sender.closed() => return,
                next = connections.next() => match next {
                    Some(Ok(stream)) => {
                        let tls = tls.clone();
                        handshakes.spawn(async move { tls.accept(stream).await });
                        continue;
                    }
                    Some(Err(_)) => continue,
                    None => return,
                },
                Some(shaken) = handshakes.join_next() => shaken,
            };
            match shaken {
                Ok(Ok(member)) => {
                    if sender.send(Ok(member)).await.is_err() {
                        return;
                    }
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
                    warn!(%error, "a connection was refused");
                }
                Ok(Err(error)) => debug!(%error, "a handshake failed"),
                Err(error) => warn!(%error, "a handshake failed"),
            }
        }
    });
    ReceiverStream::new(members)
}

struct LimitedListener {
    listener: TcpListener,
    permits: ConnectionPermits,
    pause: Option<Pin<Box<Sleep>>>,
    /// The last connection found no permit.
    is_full: bool,
}

impl Stream for LimitedListener {
    type Item = (TcpStream, ConnectionPermit);

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(context)) {
                Ok((stream, peer)) => {
                    let permit = self.permits.take(peer.ip().to_canonical());
                    if self.is_full != permit.is_none() {
                        self.is_full = permit.is_none();
                        if self.is_full {
                            warn!(%peer, "too many connections, the latest are closed at once");
                        }
                    }
                    if let Some(permit) = permit {
                        // Without it, messages are only late.
                        let _ = stream.set_nodelay(true);
                        return Poll::Ready(Some((stream, permit)));
                    }
                }
                Err(error) => {
                    warn!(%error, "cannot accept a connection");
                    self.pause = Some(Box::pin(sleep(REFUSED_PAUSE)));
                }
            }
        }
    }
}

/// A connection that fails unless it begins in time.
pub type Guarded<S> = WatchedStream<S, Beginning>;

/// The beginning of a connection.
#[derive(Debug)]
pub struct Beginning {
    /// The end of the patience, and the number of bytes that came; `None` once it has begun.
    missing: Option<(Pin<Box<Sleep>>, usize)>,
    _permit: Option<ConnectionPermit>,
}

impl<S> Guarded<S> {
    fn new(stream: S, permit: Option<ConnectionPermit>) -> Self {
        let watcher = Beginning {
            missing: Some((Box::pin(sleep(PREFACE_PATIENCE)), 0)),
            _permit: permit,
        };
        Self { stream, watcher }
    }
}

impl<S: Connected> Connected for Guarded<S> {
    type ConnectInfo = S::ConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.stream.connect_info()
    }
}

impl Watcher for Beginning {
    fn after_read(&mut self, context: &mut Context<'_>, bytes: usize) -> io::Result<()> {
        if let Some((patience, seen)) = &mut self.missing {
            *seen += bytes;
            if *seen >= PREFACE_BYTES {
                self.missing = None;
            } else if patience.as_mut().poll(context).is_ready() {
                let error = io::Error::new(io::ErrorKind::TimedOut, "it does not begin");
                return Err(error);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::Instant,
    };

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_does_not_begin_is_closed() {
        for (words, is_closed) in [
            (&b""[..], true),
            (b"GET / HTTP/1.1\r\n", true),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", false),
        ] {
            let (mut near, far) = tokio::io::duplex(100);
            let mut guarded = Guarded::new(far, None);
            near.write_all(words).await.expect("room");
            let begun = Instant::now();
            let mut read = vec![0; 100];
            let talk = async {
                loop {
                    if let Err(error) = guarded.read(&mut read).await {
                        return error;
                    }
                }
            };
            let ended = tokio::time::timeout(PREFACE_PATIENCE * 10, talk).await;
            assert_eq!(ended.is_ok(), is_closed, "{words:?}");
            if is_closed {
                assert_eq!(begun.elapsed(), PREFACE_PATIENCE);
            }
        }
    }

    #[test]
    fn permits_are_limited_in_all_and_by_address_and_given_back() {
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(MOST_FROM_ONE + 2));
        let address = |last| IpAddr::from(Ipv4Addr::new(10, 0, 0, last));
        let mut from_one: Vec<ConnectionPermit> = (0..MOST_FROM_ONE)
            .filter_map(|_| permits.take(address(1)))
            .collect();
        assert_eq!(from_one.len(), MOST_FROM_ONE);
        assert!(permits.take(address(1)).is_none());
        let _others = [2, 3].map(|last| permits.take(address(last)).expect("room for others"));
        assert!(permits.take(address(4)).is_none());
        from_one.pop();
        drop(permits.take(address(4)).expect("a permit was given back"));
        permits.take(address(1)).expect("a permit was given back");
    }
}
