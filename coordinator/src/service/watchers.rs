//! Ballots for those who watch the coordinator, in the order in which they came about.

use monju_proto::v1::{Ballot, WatchResponse};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;
use tokio_stream::{Stream, StreamExt, wrappers::BroadcastStream};
use tonic::Status;
use tracing::warn;

/// Number of decided ballots that a slow watcher may lag behind before it loses some.
const BACKLOG: usize = 64;

/// The same for watchers of standings, of which a consultation has up to ten a second.
const BACKLOG_WITH_STANDINGS: usize = 1_024;

/// Everyone who watches.
#[derive(Debug)]
pub struct Watchers {
    /// Decided ballots alone, which standings cannot crowd out.
    decided: broadcast::Sender<Ballot>,
    /// Decided ballots, and those that stand undecided before them.
    all: broadcast::Sender<Ballot>,
}

/// The ballot of one consultation: nothing of it follows its decision. Clones are the same.
#[derive(Clone, Debug)]
pub struct WatchedBallot {
    watchers: Arc<Watchers>,
    is_decided: Arc<Mutex<bool>>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self {
            decided: broadcast::Sender::new(BACKLOG),
            all: broadcast::Sender::new(BACKLOG_WITH_STANDINGS),
        }
    }
}

impl Watchers {
    /// Begins a ballot.
    pub fn ballot(self: &Arc<Self>) -> WatchedBallot {
        WatchedBallot {
            watchers: Arc::clone(self),
            is_decided: Arc::default(),
        }
    }

    /// Returns the ballots from now on: decided ones, and standings too where they are asked for.
    pub fn watch(
        &self,
        standings: bool,
    ) -> impl Stream<Item = Result<WatchResponse, Status>> + use<> {
        let sender = if standings { &self.all } else { &self.decided };
        BroadcastStream::new(sender.subscribe()).filter_map(|ballot| match ballot {
            Ok(ballot) => Some(Ok(WatchResponse {
                ballot: Some(ballot),
            })),
            Err(lag) => {
                warn!(%lag, "a watcher is too slow and misses ballots");
                None
            }
        })
    }
}

impl WatchedBallot {
    /// Shows the ballot as it stands, unless it is decided by now.
    pub fn show_standing(&self, standing: &Ballot) {
        let is_decided = self.is_decided.lock();
        let is_decided = is_decided.unwrap_or_else(PoisonError::into_inner);
        if !*is_decided && self.watchers.all.receiver_count() > 0 {
            // The watchers may be gone by now.
            let _ = self.watchers.all.send(standing.clone());
        }
    }

    /// Shows the decided ballot.
    pub fn show_decided(&self, ballot: &Ballot) {
        let is_decided = self.is_decided.lock();
        *is_decided.unwrap_or_else(PoisonError::into_inner) = true;
        // There may be no watcher.
        let _ = self.watchers.decided.send(ballot.clone());
        let _ = self.watchers.all.send(ballot.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Decision;

    #[tokio::test]
    async fn no_standing_follows_its_decision() {
        let watchers = Arc::new(Watchers::default());
        let all = watchers.watch(true);
        let decisions = watchers.watch(false);
        let [first, second] = [1, 2].map(|id| Ballot {
            id,
            ..Ballot::default()
        });
        let decided = Ballot {
            decision: Some(Decision::default()),
            ..first.clone()
        };
        let (ballot, other) = (watchers.ballot(), watchers.ballot());
        ballot.show_standing(&first);
        ballot.show_decided(&decided);
        ballot.show_standing(&first);
        other.show_standing(&second);
        drop((ballot, other, watchers));
        let seen = |response: Result<WatchResponse, Status>| {
            let ballot = response.expect("no error").ballot.expect("a ballot");
            (ballot.id, ballot.decision.is_some())
        };
        let all: Vec<(u64, bool)> = all.map(seen).collect().await;
        assert_eq!(all, [(1, false), (1, true), (2, false)]);
        let decisions: Vec<(u64, bool)> = decisions.map(seen).collect().await;
        assert_eq!(decisions, [(1, true)]);
    }
}
