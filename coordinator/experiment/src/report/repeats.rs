//! Games that are played more than once.

use crate::store::{Store, StoreError};
use std::collections::{BTreeSet, HashMap};

/// Games that are held in memory at a time.
const BATCH: u32 = 1000;

/// Different games of a cell. Games are the same with the same opening, moves and colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DifferentGames {
    /// Number of different games.
    pub different: u64,
    /// Number of times that the most frequent of them was played.
    pub most_often: u64,
}

impl DifferentGames {
    /// Counts the different games among those of some pairs of a cell.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) async fn of(
        store: &dyn Store,
        cell: usize,
        pairs: &BTreeSet<u32>,
    ) -> Result<Self, StoreError> {
        let mut times = HashMap::<(u32, String), u64>::new();
        let mut from = 0;
        loop {
            let games = store.moves(cell, from, BATCH).await?;
            let Some(last) = games.last() else { break };
            from = last.pair + 1;
            for game in games.into_iter().filter(|game| pairs.contains(&game.pair)) {
                *times.entry((game.game, game.moves)).or_default() += 1;
            }
        }
        Ok(Self {
            different: times.len() as u64,
            most_often: times.into_values().max().unwrap_or(0),
        })
    }
}
