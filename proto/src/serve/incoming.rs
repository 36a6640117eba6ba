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
struct Places {
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    limits: ConnectionLimits,
}

impl Places {
    fn new(limits: ConnectionLimits) -> Self {
        Self {
            taken: Arc::default(),
            limits,
        }
    }

    fn take(&self, address: IpAddr) -> Option<Place> {
        let mut taken = self.lock();
        let own = taken.get(&address).copied().unwrap_or(0);
        let ConnectionLimits { all, from_one } = self.limits;
        if own >= from_one || taken.values().sum::<usize>() >= all {
            return None;
        }
        taken.insert(address, own + 1);
        Some(Place {
            places: self.clone(),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection, which is given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Places,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(own) = taken.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// Accepts connections within the limits, each with its place; those beyond them are closed at once. It never ends.
pub fn placed(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> impl Stream<Item = (TcpStream, Place)> + Send + Unpin {
    Placed {
        listener,
        places: Places::new(limits),
        pause: None,
        is_full: false,
    }
}

/// As [`placed`]; each connection has to begin as one of HTTP/2 in time.
pub fn incoming(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> impl Stream<Item = io::Result<Guarded<TcpStream>>> + Send {
    placed(listener, limits).map(|(stream, place)| Ok(Guarded::new(stream, Some(place))))
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

struct Placed {
    listener: TcpListener,
    places: Places,
    pause: Option<Pin<Box<Sleep>>>,
    /// The last connection found no place.
    is_full: bool,
}

impl Stream for Placed {
    type Item = (TcpStream, Place);

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(context)) {
                Ok((stream, peer)) => {
                    let place = self.places.take(peer.ip().to_canonical());
                    if self.is_full != place.is_none() {
                        self.is_full = place.is_none();
                        if self.is_full {
                            warn!(%peer, "too many connections, the latest are closed at once");
                        }
                    }
                    if let Some(place) = place {
                        // Without it, messages are only late.
                        let _ = stream.set_nodelay(true);
                        return Poll::Ready(Some((stream, place)));
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
    _place: Option<Place>,
}

impl<S> Guarded<S> {
    fn new(stream: S, place: Option<Place>) -> Self {
        let watcher = Beginning {
            missing: Some((Box::pin(sleep(PREFACE_PATIENCE)), 0)),
            _place: place,
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
    fn places_are_limited_in_all_and_by_address_and_given_back() {
        let places = Places::new(ConnectionLimits::of_service(MOST_FROM_ONE + 2));
        let address = |last| IpAddr::from(Ipv4Addr::new(10, 0, 0, last));
        let mut from_one: Vec<Place> = (0..MOST_FROM_ONE)
            .filter_map(|_| places.take(address(1)))
            .collect();
        assert_eq!(from_one.len(), MOST_FROM_ONE);
        assert!(places.take(address(1)).is_none());
        let _others = [2, 3].map(|last| places.take(address(last)).expect("room for others"));
        assert!(places.take(address(4)).is_none());
        from_one.pop();
        drop(places.take(address(4)).expect("a place was given back"));
        places.take(address(1)).expect("a place was given back");
    }
}
