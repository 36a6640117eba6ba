//! The history between the observer, which enters it, and the pages, which read it.

use super::history::CouncilHistory;
use crate::server::json_text;
use monju_proto::v1::coordinator_client::CoordinatorClient;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;
use tonic::transport::Channel;

/// The client of a coordinator; `None` while there is none.
pub type CurrentCoordinator = Option<CoordinatorClient<Channel>>;

/// Number of events that a slow page may lag behind.
const BACKLOG: usize = 64;

/// The history, and its events. Clones are the same.
#[derive(Clone, Debug)]
pub struct Feed {
    history: Arc<Mutex<CouncilHistory>>,
    events: broadcast::Sender<Arc<str>>,
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            history: Arc::default(),
            events: broadcast::Sender::new(BACKLOG),
        }
    }
}

impl Feed {
    /// Changes the history, and tells all pages of the event that comes of it, if one does.
    pub fn note(&self, change: impl FnOnce(&mut CouncilHistory) -> Option<Value>) {
        if let Some(event) = change(&mut self.history()) {
            // There may be no page.
            let _ = self.events.send(json_text(&event).into());
        }
    }

    /// Returns all but the positions of earlier games.
    pub fn json(&self) -> Value {
        self.history().json()
    }

    /// Returns a game with all its positions; `None` if it is not known.
    pub fn game(&self, id: &str) -> Option<Value> {
        self.history().game(id)
    }

    /// Returns all but the positions of earlier games, and the events from then on: none is missed, and none comes
    /// twice.
    pub fn subscribe(&self) -> (Value, broadcast::Receiver<Arc<str>>) {
        // While the history is held, `note` can send nothing.
        let history = self.history();
        (history.json(), self.events.subscribe())
    }

    fn history(&self) -> MutexGuard<'_, CouncilHistory> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
