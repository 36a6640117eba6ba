//! A store in which something happens between two operations, as in one that several runners use.

use super::{
    CellStanding, GameMoves, GameRow, GameUnderWay, IncidentRow, KeptResults, Lease, OtherCell,
    PairUnderWay, PlanRow, PlayedPair, Store, StoreError, StoredGame,
};
use crate::{record::Incident, statistics::PairOutcome};
use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

/// Work of somebody else.
type LateEvent = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store, and an event that happens once: right after the first call of one of its operations.
pub(crate) struct Meanwhile {
    store: Arc<dyn Store>,
    operation: &'static str,
    event: Mutex<Option<LateEvent>>,
}

impl Meanwhile {
    /// Lets an event happen after the first call of an operation of this name.
    pub fn after(
        operation: &'static str,
        store: Arc<dyn Store>,
        event: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self {
            store,
            operation,
            event: Mutex::new(Some(Box::pin(event))),
        }
    }

    /// Returns whether the event has happened.
    pub fn has_happened(&self) -> bool {
        self.event.lock().expect("not poisoned").is_none()
    }

    async fn call<T>(&self, operation: &str, result: impl Future<Output = T>) -> T {
        let result = result.await;
        let event = match operation == self.operation {
            true => self.event.lock().expect("not poisoned").take(),
            false => None,
        };
        if let Some(event) = event {
            event.await;
        }
        result
    }
}

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Meanwhile");
        fields.field("store", &self.store);
        fields
            .field("operation", &self.operation)
            .finish_non_exhaustive()
    }
}

#[tonic::async_trait]
impl Store for Meanwhile {
    fn older_specification(&self) -> Option<&str> {
        self.store.older_specification()
    }

    async fn other_cells(&self) -> Result<Vec<OtherCell>, StoreError> {
        self.call("other_cells", self.store.other_cells()).await
    }

    async fn plans(&self) -> Result<Vec<PlanRow>, StoreError> {
        self.call("plans", self.store.plans()).await
    }

    async fn restore(&self, kept: &KeptResults, file: &str) -> Result<(), StoreError> {
        self.call("restore", self.store.restore(kept, file)).await
    }

    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError> {
        self.call("lease", self.store.lease(runner, term)).await
    }

    async fn extend(
        &self,
        lease: &Lease,
        term: Duration,
        game: &GameUnderWay,
    ) -> Result<bool, StoreError> {
        let extended = self.store.extend(lease, term, game);
        self.call("extend", extended).await
    }

    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError> {
        let finished = self.store.finish(lease, runner, played);
        self.call("finish", finished).await
    }

    async fn fail(
        &self,
        lease: &Lease,
        runner: &str,
        incident: &Incident,
    ) -> Result<(), StoreError> {
        let failed = self.store.fail(lease, runner, incident);
        self.call("fail", failed).await
    }

    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError> {
        self.call("give_back", self.store.give_back(lease)).await
    }

    async fn retry_given_up(&self) -> Result<u64, StoreError> {
        self.call("retry_given_up", self.store.retry_given_up())
            .await
    }

    async fn close(&self) {
        self.call("close", self.store.close()).await
    }

    async fn close_cell(&self, cell: usize) -> Result<(), StoreError> {
        self.call("close_cell", self.store.close_cell(cell)).await
    }

    async fn reopen_cell(&self, cell: usize) -> Result<(), StoreError> {
        self.call("reopen_cell", self.store.reopen_cell(cell)).await
    }

    async fn standings(&self) -> Result<Vec<CellStanding>, StoreError> {
        self.call("standings", self.store.standings()).await
    }

    async fn under_way(&self) -> Result<Vec<PairUnderWay>, StoreError> {
        self.call("under_way", self.store.under_way()).await
    }

    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<PairOutcome>, StoreError> {
        self.call("outcomes", self.store.outcomes(cell, from)).await
    }

    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError> {
        self.call("games", self.store.games(cell)).await
    }

    async fn records(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<StoredGame>, StoreError> {
        let records = self.store.records(cell, from, count);
        self.call("records", records).await
    }

    async fn moves(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<GameMoves>, StoreError> {
        let moves = self.store.moves(cell, from, count);
        self.call("moves", moves).await
    }

    async fn last_incidents(&self, count: u32) -> Result<Vec<(usize, IncidentRow)>, StoreError> {
        self.call("last_incidents", self.store.last_incidents(count))
            .await
    }

    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError> {
        self.call("incidents", self.store.incidents(cell)).await
    }
}
