//! Ballots for those who watch the coordinator, in the order in which they came about.

use monju_proto::v1::{Ballot, WatchResponse};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Semaphore, broadcast};
use tokio_stream::{Stream, StreamExt, wrappers::BroadcastStream};
use tonic::Status;
use tracing::warn;

/// Number of decided ballots that a slow watcher may lag behind before it loses some.
const BACKLOG: usize = 64;

/// The same for watchers of standings, of which a consultation has up to ten a second. Whole ballots wait, of up to
/// some megabytes each.
const BACKLOG_WITH_STANDINGS: usize = 128;

/// Greatest number of watchers at once. Each ballot is written for each of them.
const MOST_WATCHERS: usize = 64;

/// Everyone who watches.
#[derive(Debug)]
pub struct Watchers {
    places: Arc<Semaphore>,
    /// Decided ballots alone, which standings cannot crowd out.
    decided: broadcast::Sender<WatchResponse>,
    /// Decided ballots, those that stand undecided before them, and missed ponders.
    all: broadcast::Sender<WatchResponse>,
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
            places: Arc::new(Semaphore::new(MOST_WATCHERS)),
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
    ///
    /// # Errors
    /// As many watch as may.
    pub fn watch(
        &self,
        standings: bool,
    ) -> Result<impl Stream<Item = Result<WatchResponse, Status>> + use<>, Status> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| {
            Status::resource_exhausted(format!("{MOST_WATCHERS} watch this coordinator already"))
        })?;
        let sender = if standings { &self.all } else { &self.decided };
        Ok(
            BroadcastStream::new(sender.subscribe()).filter_map(move |ballot| {
                let _place = &place;
                match ballot {
                    Ok(ballot) => Some(Ok(ballot)),
                    Err(lag) => {
                        warn!(%lag, "a watcher is too slow and misses ballots");
                        None
                    }
                }
            }),
        )
    }
}

impl WatchedBallot {
    /// Shows the ballot as it stands, unless it is decided by now.
    pub fn show_standing(&self, standing: &Ballot) {
        let is_decided = self.is_decided.lock();
        let is_decided = is_decided.unwrap_or_else(PoisonError::into_inner);
        if !*is_decided && self.watchers.all.receiver_count() > 0 {
            // The watchers may be gone by now.
            let _ = self.watchers.all.send(response(standing));
        }
    }

    /// Shows the decided ballot.
    pub fn show_decided(&self, ballot: &Ballot) {
        self.end();
        // There may be no watcher.
        let _ = self.watchers.decided.send(response(ballot));
        let _ = self.watchers.all.send(response(ballot));
    }

    /// Takes back what was shown of a ponder that was missed.
    pub fn show_missed(&self, ballot: &Ballot) {
        self.end();
        let _ = self.watchers.all.send(WatchResponse {
            missed: true,
            ..response(ballot)
        });
    }

    /// Lets no standing follow.
    fn end(&self) {
        let is_decided = self.is_decided.lock();
        *is_decided.unwrap_or_else(PoisonError::into_inner) = true;
    }
}

fn response(ballot: &Ballot) -> WatchResponse {
    WatchResponse {
        ballot: Some(ballot.clone()),
        missed: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Decision;

    #[tokio::test]
    async fn no_standing_follows_its_decision() {
        let watchers = Arc::new(Watchers::default());
        let all = watchers.watch(true).expect("a place");
        let decisions = watchers.watch(false).expect("a place");
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

    #[tokio::test]
    async fn a_missed_ponder_is_taken_back_and_is_no_decision() {
        let watchers = Arc::new(Watchers::default());
        let all = watchers.watch(true).expect("a place");
        let decisions = watchers.watch(false).expect("a place");
        let ballot = watchers.ballot();
        ballot.show_standing(&Ballot::default());
        ballot.show_missed(&Ballot::default());
        ballot.show_standing(&Ballot::default());
        drop((ballot, watchers));
        let missed = |response: Result<WatchResponse, Status>| response.expect("no error").missed;
        assert_eq!(all.map(missed).collect::<Vec<_>>().await, [false, true]);
        assert!(decisions.map(missed).collect::<Vec<_>>().await.is_empty());
    }

    #[test]
    fn places_for_watchers_are_few_and_are_given_back() {
        let watchers = Watchers::default();
        let mut all: Vec<_> = (0..MOST_WATCHERS)
            .map(|_| watchers.watch(true).expect("a place"))
            .collect();
        assert!(watchers.watch(false).is_err());
        all.pop();
        assert!(watchers.watch(false).is_ok());
    }
}
