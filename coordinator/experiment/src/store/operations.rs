//! The operations that every database provides.

use super::{
    error::StoreError,
    plan::{GameUnderWay, Lease, PlayedPair},
    rows::{
        CellStanding, GameMoves, GameRow, IncidentRow, KeptResults, OtherCell, PairUnderWay,
        PlanRow, StoredGame,
    },
};
use crate::{record::Incident, statistics::PairOutcome};
use std::{fmt::Debug, time::Duration};

/// The operations that every database provides. A store is bound to one experiment when it is opened.
#[tonic::async_trait]
pub trait Store: Send + Sync + Debug {
    /// Hash of the specification by which cells were played last whose own settings are not known, because
    /// an older version wrote them; `None` without such cells in the plan.
    fn older_specification(&self) -> Option<&str>;

    /// Returns true where the store had not all planned cells when it was opened, or is read as it stood then; it does
    /// not see what is made later.
    fn lacks_cells(&self) -> bool {
        false
    }

    /// Cells of the store that have games and are not planned, because their settings or their labels are others.
    async fn other_cells(&self) -> Result<Vec<OtherCell>, StoreError>;

    /// The plans by which it was played, by date; empty for a store of a version that wrote none.
    async fn plans(&self) -> Result<Vec<PlanRow>, StoreError>;

    /// Writes what was played of the experiment into another store; this one has no games of it. `file` is the
    /// text of its file.
    async fn restore(&self, kept: &KeptResults, file: &str) -> Result<(), StoreError>;

    /// Hands out the next pair in dispatch order; `None` when no pair is free.
    async fn lease(&self, runner: &str, term: Duration) -> Result<Option<Lease>, StoreError>;

    /// Makes a lease last for `term` from now, and tells the game under way; returns false when another runner
    /// holds the pair.
    async fn extend(
        &self,
        lease: &Lease,
        term: Duration,
        game: &GameUnderWay,
    ) -> Result<bool, StoreError>;

    /// Writes the first result of a pair, also of a runner whose lease has run out. Returns true also where it stands
    /// there already from this very lease, whose runner may not have heard of it, and false where another runner has
    /// finished the pair, or its cell was closed meanwhile.
    async fn finish(
        &self,
        lease: &Lease,
        runner: &str,
        played: &PlayedPair,
    ) -> Result<bool, StoreError>;

    /// Records a failure of the machinery. The pair is free again, or given up after
    /// [`ATTEMPTS`](super::ATTEMPTS) failures.
    async fn fail(
        &self,
        lease: &Lease,
        runner: &str,
        incident: &Incident,
    ) -> Result<(), StoreError>;

    /// Gives a lease back without a result.
    async fn give_back(&self, lease: &Lease) -> Result<(), StoreError>;

    /// Frees the pairs that were given up, as if they had never failed; returns their number.
    async fn retry_given_up(&self) -> Result<u64, StoreError>;

    /// Hands out no more pairs of a cell.
    async fn close_cell(&self, cell: usize) -> Result<(), StoreError>;

    /// Hands out the pairs of a closed cell again.
    async fn reopen_cell(&self, cell: usize) -> Result<(), StoreError>;

    /// Progress of every cell, in the order of the plan.
    async fn standings(&self) -> Result<Vec<CellStanding>, StoreError>;

    /// The pairs that runners are playing, by runner; at most some thousands.
    async fn under_way(&self) -> Result<Vec<PairUnderWay>, StoreError>;

    /// The planned pairs of a cell that are over, by number, starting with `from`.
    async fn outcomes(&self, cell: usize, from: u32) -> Result<Vec<PairOutcome>, StoreError>;

    /// The finished games of a cell, by pair and game.
    async fn games(&self, cell: usize) -> Result<Vec<GameRow>, StoreError>;

    /// The moves and ballots of at most `count` games of a cell, by pair and game, starting with pair
    /// `from`.
    async fn records(
        &self,
        cell: usize,
        from: u32,
        count: u32,
    ) -> Result<Vec<StoredGame>, StoreError>;

    /// The moves alone of at most `count` games of a cell, by pair and game, starting with pair `from`.
    async fn moves(&self, cell: usize, from: u32, count: u32)
    -> Result<Vec<GameMoves>, StoreError>;

    /// The last incidents of all cells, at most `count`, each with the index of its cell, in the order in which they
    /// were recorded.
    async fn last_incidents(&self, count: u32) -> Result<Vec<(usize, IncidentRow)>, StoreError>;

    /// The incidents of a cell.
    async fn incidents(&self, cell: usize) -> Result<Vec<IncidentRow>, StoreError>;

    /// Lets go of the database, and waits until everything stands in its file; another operation opens it again.
    async fn close(&self) {}
}

/// Does work with a store and closes it, whatever comes of the work.
pub async fn closing<T>(store: &dyn Store, work: impl Future<Output = T>) -> T {
    let outcome = work.await;
    store.close().await;
    outcome
}
