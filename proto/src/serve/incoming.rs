//! Connections of strangers: those within the limits are accepted, and may say nothing for a while.

use super::{
    pace::{Rate, Turns},
    permits::{ConnectionLimits, ConnectionPermit, ConnectionPermits},
};
use crate::{
    tls::{MemberStream, Tls},
    watched_stream::{WatchedStream, Watcher},
};
use std::{
    io, mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::{Instant, Sleep, sleep},
};
use tokio_rustls::server::TlsStream;
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::transport::server::Connected;
use tracing::{debug, warn};

/// Time in which a connection must have said that it speaks HTTP/2, or have begun a TLS handshake.
const PREFACE_PATIENCE: Duration = Duration::from_secs(3);

/// Unit in which what comes over a connection is counted.
const KIBIBYTE: usize = 1 << 10;

/// Length of the words by which HTTP/2 begins.
const PREFACE_BYTES: usize = 24;

/// Pause after the system has refused a connection, such as for want of descriptors.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// The rate at which connections are closed at once. Those of a flood that come faster wait to be accepted, which would
/// take half a core otherwise.
const REFUSALS: Rate = Rate {
    interval: Duration::from_micros(500),
    burst: 64,
};

/// The kibibytes of one connection that never wait for those of others from its address.
const OWN_KIBIBYTES: Rate = Rate {
    interval: Duration::from_millis(62),
    burst: 64,
};

/// Time between two lines of the log about connections that are closed at once.
const REFUSALS_INTERVAL: Duration = Duration::from_secs(60);

/// Accepts connections within the limits, each with its permit; those beyond them are closed at once. It never ends.
pub fn limited(
    listener: TcpListener,
    limits: ConnectionLimits,
) -> impl Stream<Item = (TcpStream, ConnectionPermit)> + Send + Unpin {
    LimitedListener {
        listener,
        permits: ConnectionPermits::new(limits),
        pause: None,
        refusals: Refusals::default(),
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
                        handshakes.spawn(async move {
                            let member = tls.accept(stream).await?;
                            member.stream.get_ref().0.watcher.note_member();
                            Ok::<_, io::Error>(member)
                        });
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
    refusals: Refusals,
}

/// The connections that found no permit.
#[derive(Debug, Default)]
struct Refusals {
    /// The moment of the last line about them.
    told: Option<Instant>,
    /// Those since then.
    untold: u64,
    turns: Turns,
}

impl Refusals {
    /// Counts one more; returns the number of those that have to be told now.
    fn add(&mut self, now: Instant) -> Option<u64> {
        self.untold += 1;
        let is_told = |told: Instant| now.duration_since(told) < REFUSALS_INTERVAL;
        if self.told.is_some_and(is_told) {
            return None;
        }
        self.told = Some(now);
        Some(mem::take(&mut self.untold))
    }
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
                    let now = Instant::now();
                    if let Some(permit) = self.permits.take(peer.ip().to_canonical(), now) {
                        // Without it, messages are only late.
                        let _ = stream.set_nodelay(true);
                        return Poll::Ready(Some((stream, permit)));
                    }
                    if let Some(refused) = self.refusals.add(now) {
                        warn!(%peer, refused, "too many connections, the latest are closed at once");
                    }
                    let wait = self.refusals.turns.take(REFUSALS, now);
                    if !wait.is_zero() {
                        self.pause = Some(Box::pin(sleep(wait)));
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
    permit: Option<ConnectionPermit>,
    /// Bytes that have come since kibibytes were counted.
    uncounted: usize,
    kibibytes: Turns,
    /// The end of the time in which nothing more may come.
    wait: Option<Pin<Box<Sleep>>>,
}

impl<S> Guarded<S> {
    fn new(stream: S, permit: Option<ConnectionPermit>) -> Self {
        let watcher = Beginning {
            missing: Some((Box::pin(sleep(PREFACE_PATIENCE)), 0)),
            permit,
            uncounted: 0,
            kibibytes: Turns::default(),
            wait: None,
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

impl Beginning {
    fn note_member(&self) {
        if let Some(permit) = &self.permit {
            permit.note_member(Instant::now());
        }
    }

    /// Counts bytes that have come, and lets the connection wait if too many have come over it and from its address.
    fn count(&mut self, bytes: usize) {
        self.uncounted += bytes;
        let kibibytes = u32::try_from(self.uncounted / KIBIBYTE).unwrap_or(u32::MAX);
        let Some(permit) = &self.permit else {
            return;
        };
        if kibibytes > 0 {
            self.uncounted %= KIBIBYTE;
            let now = Instant::now();
            self.kibibytes.take_many(kibibytes, OWN_KIBIBYTES, now);
            let own = self.kibibytes.wait(OWN_KIBIBYTES, now);
            let wait = permit.count(kibibytes, now).min(own);
            self.wait = (!wait.is_zero()).then(|| Box::pin(sleep(wait)));
        }
    }
}

impl Watcher for Beginning {
    fn poll_read_turn(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(wait) = &mut self.wait {
            ready!(wait.as_mut().poll(context));
            self.wait = None;
        }
        Poll::Ready(())
    }

    fn after_read(&mut self, context: &mut Context<'_>, bytes: usize) -> io::Result<()> {
        self.count(bytes);
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

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

    #[tokio::test(start_paused = true)]
    async fn whoever_sends_as_much_as_it_can_is_read_at_a_pace() {
        const MEBIBYTE: usize = KIBIBYTE * KIBIBYTE;
        let permits = ConnectionPermits::new(ConnectionLimits {
            all: 2,
            from_one: 2,
        });
        let address = Ipv4Addr::LOCALHOST.into();
        let permit = permits.take(address, Instant::now());
        let (mut near, far) = tokio::io::duplex(64 * KIBIBYTE);
        let mut guarded = Guarded::new(far, permit);
        let sent = async {
            near.write_all(&vec![0; 3 * MEBIBYTE])
                .await
                .expect("a reader");
        };
        let read = async {
            let mut text = vec![0; 3 * MEBIBYTE];
            let (first, rest) = text.split_at_mut(MEBIBYTE - 64 * KIBIBYTE);
            let begun = Instant::now();
            guarded.read_exact(first).await.expect("sent");
            assert_eq!(begun.elapsed(), Duration::ZERO);
            guarded.read_exact(rest).await.expect("sent");
            let time = begun.elapsed();
            // The last read is not waited for.
            assert!(time.as_millis().abs_diff(2_000) < 100, "{time:?}");
        };
        tokio::join!(sent, read);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_sends_little_does_not_wait_for_others_from_its_address() {
        let limits = ConnectionLimits {
            all: 2,
            from_one: 2,
        };
        let permits = ConnectionPermits::new(limits);
        let permit = || permits.take(Ipv4Addr::LOCALHOST.into(), Instant::now());
        let (mut near, far) = tokio::io::duplex(KIBIBYTE);
        let mut guarded = Guarded::new(far, permit());
        let flood = permit().expect("a permit");
        let begun = Instant::now();
        for _ in 0..50 {
            flood.count(1_024, begun);
            near.write_all(&[0; KIBIBYTE]).await.expect("a reader");
            guarded.read_exact(&mut [0; KIBIBYTE]).await.expect("sent");
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test]
    async fn whoever_connects_again_and_again_is_let_in_at_a_pace() {
        const MOST: u32 = 16;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let limits = ConnectionLimits {
            all: 1_000,
            from_one: MOST as usize,
        };
        let mut connections = limited(listener, limits);
        tokio::spawn(async move {
            while let Some((mut stream, _permit)) = connections.next().await {
                let _ = stream.write_all(b"!").await;
            }
        });
        let begun = Instant::now();
        let mut let_in = 0;
        for _ in 0..10 * MOST {
            let mut stream = TcpStream::connect(address).await.expect("a listener");
            // Connections that are closed at once may be reset.
            let read = stream.read(&mut [0]).await;
            let_in += u32::from(read.is_ok_and(|bytes| bytes == 1));
        }
        let seconds = begun.elapsed().as_secs_f64();
        assert!(let_in >= MOST, "{let_in}");
        assert!(f64::from(let_in - MOST) <= 64.0 * seconds + 1.0, "{let_in}");
    }

    #[test]
    fn a_flood_of_connections_is_a_line_of_the_log_each_minute() {
        let mut refusals = Refusals::default();
        let begun = Instant::now();
        let told = (0..150).filter_map(|second| refusals.add(begun + Duration::from_secs(second)));
        assert_eq!(Vec::from_iter(told), [1, 60, 60]);
    }
}
