//! Importing: filling a store from a bundle, so that the experiment can be played on.

use super::{Bundle, BundleError};
use crate::{
    specification::Specification,
    store::{self, Accepted, Address, OpenMode, Store, StoreError},
};
use std::collections::BTreeSet;

/// Most pairs of a cell that are made beyond its plan, whatever numbers a bundle has.
const MOST_UNPLANNED_PAIRS: u32 = 1_000_000;

/// What was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Finished games.
    pub games: u64,
    /// The programs that played them, by version and commit where these are known, otherwise by hash.
    pub programs: BTreeSet<String>,
}

/// Writes games, plans and incidents of a bundle into a store, which has none of the experiment. Whatever plays on
/// must be the build that has played, or be accepted, as in any store.
///
/// # Errors
/// The store has games of the experiment, or cannot be written.
pub async fn import(
    specification: &Specification,
    bundle: &Bundle,
    address: &Address,
) -> Result<Imported, BundleError> {
    let kept = bundle.kept()?;
    let rows = || kept.cells.iter().flat_map(|cell| &cell.games);
    let rows = || rows().map(|(row, _)| row);
    let build = rows().next().map_or("", |row| &row.build);
    let mut plan = specification.plan(build);
    for (planned, cell) in plan.cells.iter_mut().zip(&kept.cells) {
        // A later plan may have been smaller than what was played.
        let played = cell.games.last().map(|(row, _)| row.pair);
        let last = played.max(cell.given_up.iter().max().copied());
        let pairs = last.map_or(0, |pair| pair.saturating_add(1));
        planned.pairs = planned.pairs.max(pairs.min(MOST_UNPLANNED_PAIRS));
    }
    // A look first: opening a store to play changes it.
    match store::open(address, &plan, OpenMode::Look).await {
        Ok(present) if has_begun(&*present).await? => {
            return Err(StoreError::Begun(plan.name).into());
        }
        Ok(_) | Err(StoreError::Absent(_) | StoreError::Unknown(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let store = store::open(address, &plan, OpenMode::Play(Accepted::default())).await?;
    store::closing(&*store, store.restore(&kept, &specification.text)).await?;
    Ok(Imported {
        games: rows().count() as u64,
        programs: rows()
            .map(|row| row.source.clone().unwrap_or_else(|| row.build.clone()))
            .collect(),
    })
}

/// Returns whether any pair of the experiment has been played or begun.
async fn has_begun(store: &dyn Store) -> Result<bool, StoreError> {
    let standings = store.standings().await?;
    let other_cells = store.other_cells().await?;
    let mut standings = standings.iter();
    Ok(!other_cells.is_empty()
        || standings.any(|cell| cell.finished + cell.leased + cell.given_up > 0))
}
