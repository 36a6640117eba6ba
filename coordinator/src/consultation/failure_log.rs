//! The lines in the log about players that failed.

use crate::roster::PlayerSlot;
use std::collections::HashSet;
use tracing::{debug, warn};

/// The workers whose players have failed in one consultation: the log has one line for each, and the ballot the rest.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    /// The indices of the workers in the roster.
    workers: HashSet<usize>,
}

impl FailureLog {
    /// Notes the failure of a player. Returns true for the first one of its worker, which the log names.
    pub fn note(&mut self, slot: &PlayerSlot, reason: &str) -> bool {
        let (worker, player) = (&slot.info.worker, &slot.info.name);
        let is_first = self.workers.insert(slot.worker);
        match is_first {
            true => warn!(
                worker,
                player, reason, "the first player of a worker failed"
            ),
            false => debug!(worker, player, reason, "another player of a worker failed"),
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeWorker;

    #[tokio::test]
    async fn the_failed_players_of_a_worker_are_one_line() {
        let worker = FakeWorker::named("desk").player("a", &[]).player("b", &[]);
        let (roster, _server) = worker.roster().await;
        let mut slots = roster.slots();
        slots.push(PlayerSlot {
            worker: 1,
            ..slots[0].clone()
        });
        let mut log = FailureLog::default();
        let lines = slots.iter().map(|slot| log.note(slot, "held"));
        assert_eq!(Vec::from_iter(lines), [true, false, true]);
        assert!(!log.note(&slots[2], "held"));
    }
}
