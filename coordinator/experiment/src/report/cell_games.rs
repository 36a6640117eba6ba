//! The games of a cell, and all that is read beside them.

use super::repeats::DifferentGames;
use crate::{
    counted::CountedPairs,
    specification::Specification,
    store::{GameRow, IncidentRow, Store, StoreError},
};
use std::collections::BTreeSet;

/// The games of a cell, and all that is read beside them. A store in play is read piece by piece: pairs that are
/// finished after the games were read are left out of every number.
#[derive(Debug)]
pub(super) struct CellGames {
    /// Games that count.
    pub games: Vec<GameRow>,
    /// Number of the games that do not count.
    pub without_say: u64,
    /// The pairs that count.
    pub counted: CountedPairs,
    /// Incidents of these pairs.
    pub incidents: Vec<IncidentRow>,
    /// Different games among those that count.
    pub different: DifferentGames,
}

impl CellGames {
    /// Reads them.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn read(
        specification: &Specification,
        store: &dyn Store,
        cell: usize,
    ) -> Result<Self, StoreError> {
        let games = store.games(cell).await?;
        let mut incidents = store.incidents(cell).await?;
        let outcomes = store.outcomes(cell, 0).await?;
        let read: BTreeSet<u32> = games.iter().map(|game| game.pair).collect();
        let (known, late): (Vec<_>, Vec<_>) = (outcomes.into_iter())
            .partition(|(pair, half_points)| half_points.is_none() || read.contains(pair));
        let late: BTreeSet<u32> = late.into_iter().map(|(pair, _)| pair).collect();
        let counted = CountedPairs::among(specification, cell, &known);
        incidents.retain(|it| counted.includes(it.pair) && !late.contains(&it.pair));
        let (games, others): (Vec<GameRow>, Vec<GameRow>) =
            (games.into_iter()).partition(|game| counted.includes(game.pair));
        let pairs = games.iter().map(|game| game.pair).collect();
        Ok(Self {
            different: DifferentGames::of(store, cell, &pairs).await?,
            games,
            without_say: others.len() as u64,
            counted,
            incidents,
        })
    }
}
