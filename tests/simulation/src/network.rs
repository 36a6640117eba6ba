//! The edges of the network. Bytes arrive in order and late; a lost packet is late by a retransmission; a
//! cut edge holds everything until it is mended, and no end hears of it.

use crate::draw::Draws;
use hyper_util::rt::TokioIo;
use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf},
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{Instant, sleep, sleep_until},
};
use tonic::transport::{Channel, Endpoint, Uri};

/// Bytes in flight of one connection, in each direction.
const PIPE_BYTES: usize = 64 << 10;
/// Packets in flight of one connection, in each direction.
const PACKETS: usize = 64;
/// Time after which TCP sends a lost packet again.
const RETRANSMISSION: Duration = Duration::from_millis(200);

/// Latency and loss of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// Least time of a packet, in milliseconds.
    pub latency_ms: u64,
    /// Greatest time on top of it.
    pub jitter_ms: u64,
    /// Lost packets of a thousand.
    pub loss_per_mille: u64,
}

/// The connections between two processes. Clones are the same edge.
#[derive(Clone, Debug)]
pub struct Edge(Arc<SharedEdge>);

#[derive(Debug)]
struct SharedEdge {
    draws: Draws,
    weather: Mutex<Weather>,
    /// Number of reasons for which nothing passes.
    holds: watch::Sender<u32>,
    listener: Mutex<Option<mpsc::UnboundedSender<DuplexStream>>>,
    wires: Mutex<Vec<JoinHandle<()>>>,
    connections: AtomicU64,
}

/// One direction of one connection.
struct Wire {
    edge: Edge,
    draws: Draws,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Edge {
    /// An edge on whose far end nobody listens yet.
    pub fn new(draws: Draws, weather: Weather) -> Self {
        Self(Arc::new(SharedEdge {
            draws,
            weather: Mutex::new(weather),
            holds: watch::Sender::new(0),
            listener: Mutex::default(),
            wires: Mutex::default(),
            connections: AtomicU64::new(0),
        }))
    }

    /// Changes latency and loss.
    pub fn set_weather(&self, weather: Weather) {
        *lock(&self.0.weather) = weather;
    }

    /// Returns latency and loss.
    pub fn weather(&self) -> Weather {
        *lock(&self.0.weather)
    }

    /// Lets nothing pass until as many calls of [`Edge::mend`] have come.
    pub fn hold(&self) {
        self.0.holds.send_modify(|holds| *holds += 1);
    }

    /// Ends one hold.
    pub fn mend(&self) {
        self.0.holds.send_modify(|holds| *holds -= 1);
    }

    /// Returns true while nothing passes.
    pub fn is_held(&self) -> bool {
        *self.0.holds.borrow() > 0
    }

    /// Ends all connections, as both ends see at once.
    pub fn reset(&self) {
        for wire in lock(&self.0.wires).drain(..) {
            wire.abort();
        }
    }

    /// Listens at the far end, in place of whoever did.
    pub fn listen(&self) -> mpsc::UnboundedReceiver<DuplexStream> {
        let (sender, receiver) = mpsc::unbounded_channel();
        *lock(&self.0.listener) = Some(sender);
        receiver
    }

    /// Refuses new connections from now on.
    pub fn stop_listening(&self) {
        *lock(&self.0.listener) = None;
    }

    /// Returns the near end: a channel as `endpoint` describes it.
    pub fn channel(&self, endpoint: &Endpoint) -> Channel {
        let edge = self.clone();
        endpoint.connect_with_connector_lazy(tower::service_fn(move |_: Uri| {
            let edge = edge.clone();
            async move { Ok::<_, io::Error>(TokioIo::new(edge.connect().await?)) }
        }))
    }

    async fn connect(&self) -> io::Result<DuplexStream> {
        let number = self.0.connections.fetch_add(1, Ordering::Relaxed);
        let draws = self.0.draws.at(number);
        let mut outward = Wire {
            edge: self.clone(),
            draws: draws.at(0),
        };
        let mut back = Wire {
            edge: self.clone(),
            draws: draws.at(1),
        };
        // The packets that open a connection.
        for (wire, packet) in [(&mut outward, 0), (&mut back, 1)] {
            sleep(wire.latency(u64::MAX - packet)).await;
            wire.passable().await;
        }
        let refused = || io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let (near, near_end) = tokio::io::duplex(PIPE_BYTES);
        let (far_end, far) = tokio::io::duplex(PIPE_BYTES);
        let listener = lock(&self.0.listener).clone().ok_or_else(refused)?;
        listener.send(far).map_err(|_| refused())?;
        let (near_read, near_write) = tokio::io::split(near_end);
        let (far_read, far_write) = tokio::io::split(far_end);
        let wires = tokio::spawn(async move {
            tokio::join!(
                outward.carry(near_read, far_write),
                back.carry(far_read, near_write)
            );
        });
        let mut all = lock(&self.0.wires);
        all.retain(|wire| !wire.is_finished());
        all.push(wires);
        Ok(near)
    }
}

impl Wire {
    /// Time of a packet.
    fn latency(&self, packet: u64) -> Duration {
        let weather = self.edge.weather();
        let jitter = self.draws.at(0).below(packet, weather.jitter_ms + 1);
        let mut latency = Duration::from_millis(weather.latency_ms + jitter);
        if self.draws.at(1).chance(packet, weather.loss_per_mille) {
            latency += RETRANSMISSION;
        }
        latency
    }

    /// Waits while the edge is held.
    async fn passable(&self) {
        let mut holds = self.edge.0.holds.subscribe();
        // The sender lives in the edge.
        let _ = holds.wait_for(|holds| *holds == 0).await;
    }

    /// Carries bytes until either end is gone.
    async fn carry(self, mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>) {
        let (packets, mut in_flight) = mpsc::channel::<(Instant, Vec<u8>)>(PACKETS);
        let sending = async {
            let mut bytes = vec![0; 16 << 10];
            let mut last = Instant::now();
            let mut number = 0;
            while let Ok(count @ 1..) = from.read(&mut bytes).await {
                last = last.max(Instant::now() + self.latency(number));
                number += 1;
                if packets.send((last, bytes[..count].to_vec())).await.is_err() {
                    return;
                }
            }
            drop(packets);
        };
        let receiving = async {
            while let Some((at, bytes)) = in_flight.recv().await {
                sleep_until(at).await;
                self.passable().await;
                if to.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            // The other end has closed it as well, or will see that.
            let _ = to.shutdown().await;
        };
        tokio::join!(sending, receiving);
    }
}
