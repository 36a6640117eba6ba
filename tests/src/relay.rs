//! A TCP connection between two processes that a test can cut.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// State of the edge between two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeState {
    /// Bytes pass.
    Open,
    /// Nothing passes, and no end hears of it, as with a cable that is pulled. What was sent meanwhile
    /// arrives when the edge is open again.
    Silent,
    /// Connections are closed, and new ones end at once, as with a port that nobody listens on.
    Closed,
}

/// Passes the bytes of every connection on to another port. Dropping it closes them.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    state: Mutex<RelayedEdge>,
    changed: Condvar,
}

/// A relayed edge, with its connections.
#[derive(Debug)]
struct RelayedEdge {
    edge: EdgeState,
    has_ended: bool,
    /// Both ends of every connection.
    ends: Vec<TcpStream>,
}

impl Relay {
    /// Listens on a free port of this machine for connections to `target`, such as `127.0.0.1:7411`.
    pub fn to(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            target: target.parse().expect("an address of this machine"),
            state: Mutex::new(RelayedEdge {
                edge: EdgeState::Open,
                has_ended: false,
                ends: Vec::new(),
            }),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                if accepting.state().has_ended {
                    return;
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || shared.connect(near));
            }
        });
        Self { address, shared }
    }

    /// The URL that leads through the relay.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the state of the edge.
    pub fn set(&self, edge: EdgeState) {
        let mut state = self.shared.state();
        state.edge = edge;
        if edge == EdgeState::Closed {
            state.close();
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.state().has_ended = true;
        self.set(EdgeState::Closed);
        // The listener waits for one more connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl RelayedEdge {
    fn close(&mut self) {
        for end in self.ends.drain(..) {
            // The other side may have closed it before.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, RelayedEdge> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the edge is silent. Returns false where it is closed.
    fn is_passable(&self) -> bool {
        let is_silent = |state: &mut RelayedEdge| state.edge == EdgeState::Silent;
        let state = self.changed.wait_while(self.state(), is_silent);
        state.unwrap_or_else(PoisonError::into_inner).edge == EdgeState::Open
    }

    fn connect(self: Arc<Self>, near: TcpStream) {
        if !self.is_passable() {
            return;
        }
        // A port that nobody listens on is the end of the connection.
        let Ok(far) = TcpStream::connect(self.target) else {
            return;
        };
        let ends = [&near, &far].map(|end| {
            // Small messages must not wait for others.
            let _ = end.set_nodelay(true);
            end.try_clone().expect("another descriptor")
        });
        let [near_again, far_again] = ends;
        {
            let mut state = self.state();
            let clones = [&near, &far].map(|end| end.try_clone().expect("another descriptor"));
            state.ends.extend(clones);
        }
        let back = Arc::clone(&self);
        thread::spawn(move || back.pass(far_again, near_again));
        self.pass(near, far);
    }

    /// Passes bytes on in one direction until either end is closed.
    fn pass(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if !self.is_passable() || to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        for end in [from, to] {
            // The other direction may have closed it before.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, time::Duration};

    /// A server that says every byte again.
    fn echo() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || {
                    let mut to = stream.try_clone().expect("a descriptor");
                    std::io::copy(&mut &stream, &mut to)
                });
            }
        });
        address.to_string()
    }

    #[test]
    fn a_silent_edge_holds_bytes_and_a_closed_one_ends_connections() {
        let relay = Relay::to(&echo());
        let mut stream = TcpStream::connect(relay.address).expect("a connection");
        let mut byte = [0];
        stream.write_all(b"a").expect("an open edge");
        stream.read_exact(&mut byte).expect("an open edge");
        assert_eq!(byte, *b"a");
        relay.set(EdgeState::Silent);
        stream.write_all(b"b").expect("nobody hears of it");
        let (sender, receiver) = mpsc::channel();
        let mut reading = stream.try_clone().expect("a descriptor");
        thread::spawn(move || {
            let mut byte = [0];
            let read = reading.read_exact(&mut byte).map(|()| byte);
            let _ = sender.send(read);
        });
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        relay.set(EdgeState::Open);
        let read = receiver.recv().expect("an answer");
        assert_eq!(read.expect("a byte"), *b"b");
        relay.set(EdgeState::Closed);
        assert!(matches!(stream.read(&mut byte), Ok(0) | Err(_)));
        let mut refused = TcpStream::connect(relay.address).expect("a listener");
        assert!(matches!(refused.read(&mut byte), Ok(0) | Err(_)));
    }
}
