//! The coordinators of a team: one is asked, and the next takes over when it fails.

use monju_proto::v1::coordinator_client::CoordinatorClient;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::{sync::watch, time::Instant};
use tonic::{Code, Status, transport::Channel};

/// The client of a coordinator.
pub type Client = CoordinatorClient<Channel>;

/// The way by which pages hear which coordinator is asked.
pub type CoordinatorWatchers = watch::Sender<Option<Client>>;

/// The coordinators in the order in which they take over. Clones share the turn.
#[derive(Clone, Debug)]
pub struct Coordinators {
    /// Names for people, and clients.
    clients: Arc<[(String, Client)]>,
    turn: Arc<AtomicUsize>,
    /// Nothing was heard of the one that was asked last.
    is_silent: Arc<AtomicBool>,
    observers: CoordinatorWatchers,
}

/// The coordinator whose turn it is.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The client.
    pub client: Client,
    /// The moment at which it was looked up to be asked.
    pub since: Instant,
    turn: usize,
}

impl Coordinators {
    /// The first of them is asked first.
    pub fn new(first: (String, Client), others: Vec<(String, Client)>) -> Self {
        Self {
            clients: [first].into_iter().chain(others).collect(),
            turn: Arc::default(),
            is_silent: Arc::default(),
            observers: CoordinatorWatchers::new(None),
        }
    }

    /// Tells pages of the coordinator that is asked, and of each that takes over.
    pub fn observed_by(self, observers: CoordinatorWatchers) -> Self {
        observers.send_replace(Some(self.asked().client));
        Self { observers, ..self }
    }

    /// Returns the number of coordinators.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Returns the coordinator whose turn it is.
    pub fn asked(&self) -> Asked {
        let turn = self.turn.load(Ordering::Relaxed);
        let (_, client) = &self.clients[turn % self.clients.len()];
        Asked {
            client: client.clone(),
            since: Instant::now(),
            turn,
        }
    }

    /// Returns true if nothing was heard of the coordinator that was asked last.
    pub fn is_silent(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Notes if something was heard of the coordinator that was asked.
    pub fn note_silence(&self, is_silent: bool) {
        self.is_silent.store(is_silent, Ordering::Relaxed);
    }

    /// Gives the turn to the next coordinator after a failed one, unless another search has done so already, and
    /// returns the name of the one whose turn it is now; `None` if there is no other.
    pub fn take_over(&self, failed: &Asked) -> Option<&str> {
        let next = failed.turn + 1;
        let exchanged =
            (self.turn).compare_exchange(failed.turn, next, Ordering::Relaxed, Ordering::Relaxed);
        if exchanged.is_ok() && self.clients.len() > 1 {
            self.note_silence(false);
            self.observers.send_replace(Some(self.asked().client));
        }
        let turn = self.turn.load(Ordering::Relaxed);
        let (name, _) = &self.clients[turn % self.clients.len()];
        (self.clients.len() > 1).then_some(name)
    }
}

/// Returns true for a failure after which another coordinator may do better: this one is gone, or ends.
pub fn is_lost(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable
            | Code::Cancelled
            | Code::Unknown
            | Code::Internal
            | Code::DeadlineExceeded
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::client::coordinator_client;
    use tonic::transport::Endpoint;

    fn client(name: &str) -> (String, Client) {
        let endpoint = Endpoint::from_static("http://127.0.0.1:1");
        (name.to_owned(), coordinator_client(endpoint.connect_lazy()))
    }

    #[tokio::test]
    async fn a_page_follows_the_coordinator_that_is_asked() {
        let observers = CoordinatorWatchers::new(None);
        let mut page = observers.subscribe();
        let all = Coordinators::new(client("a"), vec![client("b")]).observed_by(observers.clone());
        assert!(page.borrow_and_update().is_some());
        let asked = all.asked();
        all.take_over(&asked);
        assert!(page.has_changed().expect("a sender"));
        page.mark_unchanged();
        all.take_over(&asked);
        assert!(!page.has_changed().expect("a sender"), "the same failure");
    }

    #[tokio::test]
    async fn the_next_takes_over_once_for_each_failure() {
        let all = Coordinators::new(client("a"), vec![client("b"), client("c")]);
        let (one, other) = (all.asked(), all.asked());
        assert_eq!(all.take_over(&one), Some("b"));
        assert_eq!(all.take_over(&other), Some("b"), "the same failure");
        assert_eq!(all.take_over(&all.asked()), Some("c"));
        assert_eq!(all.take_over(&all.asked()), Some("a"));
        let alone = Coordinators::new(client("a"), Vec::new());
        assert_eq!(alone.take_over(&alone.asked()), None);
    }
}
