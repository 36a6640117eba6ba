//! Storage of an experiment's pairs and games, and the only place where runners meet.
//!
//! A runner leases a pair, plays it, and writes the result. A lease that is not extended in time
//! is free again, so a runner may be switched off at any moment; a result is written once, however
//! often it is sent.

mod address;
mod database;
mod error;
mod fault;
mod operations;
mod plan;
mod rows;
mod sqlite_file;

#[cfg(test)]
pub(crate) mod meanwhile;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use database::Database;
pub use error::StoreError;
pub use fault::DatabaseFault;
pub use operations::{Store, closing};
pub use plan::{
    ATTEMPTS, Accepted, ExperimentPlan, GameUnderWay, Lease, OpenMode, PlannedCell, PlannedGames,
    PlayedPair, RegisteredPlan, base_of_file,
};
pub use rows::{
    CellStanding, GameMoves, GameRow, IncidentRow, KeptCell, KeptResults, Occasion, Origin,
    OtherCell, PairUnderWay, PlanRow, StoredGame,
};

use std::sync::Arc;

/// Opens a store for one experiment.
///
/// # Errors
/// The store cannot be reached, or holds another experiment.
pub async fn open(
    address: &Address,
    plan: &ExperimentPlan,
    mode: OpenMode,
) -> Result<Arc<dyn Store>, StoreError> {
    let opened = match address {
        Address::Sqlite(file) => Database::sqlite(file, plan, mode).await,
        Address::Postgres(url) => Database::postgres(url, plan, mode).await,
    };
    match opened {
        Ok(database) => Ok(Arc::new(database)),
        Err(StoreError::Unavailable(source) | StoreError::Database(source)) => {
            Err(StoreError::Open {
                address: address.to_string(),
                source,
            })
        }
        Err(other) => Err(other),
    }
}
