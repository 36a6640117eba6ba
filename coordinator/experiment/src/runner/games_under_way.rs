//! The games that a runner is playing, for pages that show them.

use crate::store::{GameUnderWay, Lease, PairUnderWay};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;

/// Games by cell and pair, with their runner.
type ShownGames = BTreeMap<(usize, u32), (String, watch::Receiver<GameUnderWay>)>;

/// The games that a runner is playing. Clones show the same.
#[derive(Clone, Debug, Default)]
pub struct GamesUnderWay(Arc<Mutex<ShownGames>>);

/// A game that is shown until this is dropped.
#[derive(Debug)]
pub(super) struct ShownGame {
    games: GamesUnderWay,
    place: (usize, u32),
}

impl GamesUnderWay {
    /// Returns the games as they stand.
    pub fn now(&self) -> Vec<PairUnderWay> {
        let shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let games = shown.iter();
        let games = games.map(|(&(cell, pair), (runner, game))| PairUnderWay {
            cell,
            pair,
            runner: runner.clone(),
            game: game.borrow().clone(),
            left_ms: 0,
        });
        games.collect()
    }

    /// Shows the game of a lease until the result is dropped.
    pub(super) fn show(
        &self,
        runner: &str,
        lease: &Lease,
        game: watch::Receiver<GameUnderWay>,
    ) -> ShownGame {
        let place = (lease.cell, lease.pair);
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.insert(place, (runner.to_owned(), game));
        ShownGame {
            games: self.clone(),
            place,
        }
    }
}

impl Drop for ShownGame {
    fn drop(&mut self) {
        let mut shown = (self.games.0.lock()).unwrap_or_else(PoisonError::into_inner);
        shown.remove(&self.place);
    }
}
