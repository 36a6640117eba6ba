//! The pairs of a runner: however many boards it has, one of them at a time asks the store for the next pair.

use super::{
    event::{RunnerEvent, StopLevel},
    patience::{jittered, patiently_unless},
};
use crate::store::{Lease, Store, StoreError};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, Notify, mpsc, watch},
    time,
};

/// The first pause of an idle runner that looks for pairs which another one has given back, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The place where the boards of a runner get their pairs.
#[derive(Debug)]
pub(super) struct Dispatch {
    store: Arc<dyn Store>,
    /// Name of the runner.
    runner: String,
    term: Duration,
    /// True once no pair is left. The board that holds it is the one that asks.
    is_over: Mutex<bool>,
    /// A board of this runner has ended a pair.
    ended: Notify,
}

impl Dispatch {
    /// The pairs of a store for the boards of a runner.
    pub fn new(store: Arc<dyn Store>, runner: String, term: Duration) -> Self {
        Self {
            store,
            runner,
            term,
            is_over: Mutex::new(false),
            ended: Notify::new(),
        }
    }

    /// Leases the next pair; waits for pairs that other runners hold. `None` when no pair is left, or when the
    /// runner is told to stop.
    ///
    /// # Errors
    /// The store refuses, or was away for too long.
    pub async fn next(
        &self,
        stop: &mut watch::Receiver<StopLevel>,
        events: &mpsc::UnboundedSender<RunnerEvent>,
    ) -> Result<Option<Lease>, StoreError> {
        let mut is_over = self.is_over.lock().await;
        let (mut pause, longest) = (PAUSES.0.min(self.term / 3), PAUSES.1.min(self.term / 3));
        while !*is_over && *stop.borrow() == StopLevel::No {
            // Never cancelled: the store may already have leased a pair to this call.
            let lease = || self.store.lease(&self.runner, self.term);
            let Some(leased) = patiently_unless(stop, events, lease).await? else {
                return Ok(None);
            };
            if leased.is_some() {
                return Ok(leased);
            }
            let standings = || self.store.standings();
            let Some(standings) = patiently_unless(stop, events, standings).await? else {
                return Ok(None);
            };
            // A pair that was given back since is free again.
            *is_over = (standings.iter()).all(|cell| cell.closed || cell.leased + cell.open == 0);
            if *is_over {
                break;
            }
            tokio::select! {
                () = time::sleep(jittered(pause)) => pause = (pause * 2).min(longest),
                () = self.ended.notified() => {}
                _ = stop.wait_for(|stop| *stop != StopLevel::No) => {}
            }
        }
        Ok(None)
    }

    /// Tells that a board has ended a pair, so that the board that waits looks again at once.
    pub fn note_end(&self) {
        self.ended.notify_one();
    }
}
