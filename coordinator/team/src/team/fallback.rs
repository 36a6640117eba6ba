//! The fallback search of a coordinator.

use super::error::AssembleError;
use monju_coordinator::fallback::{FallbackSearcher, RunningFallback};
use monju_engine::{Game, Move};
use monju_host::fallback::{FallbackHandle, FallbackSearch};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Access of a coordinator to the fallback search of its process.
#[derive(Debug)]
pub(super) struct CoordinatorFallback {
    handle: FallbackHandle,
    /// Number of its searches, each of which is a game of its own: successive ones may be about different
    /// games.
    searches: AtomicU64,
}

impl CoordinatorFallback {
    /// Access to the search behind a handle.
    pub fn new(handle: FallbackHandle) -> Self {
        Self {
            handle,
            searches: AtomicU64::new(0),
        }
    }
}

impl FallbackSearcher for CoordinatorFallback {
    fn begin(&self, game: &Game, among: &[Move], time: Duration) -> RunningFallback {
        let number = self.searches.fetch_add(1, Ordering::Relaxed);
        let game_id = format!("fallback-{number}");
        let mv = self.handle.begin(game, among, game_id, time);
        let stop = mv.stop();
        RunningFallback::new(
            async move { mv.found().await.answer.as_move() },
            move || stop.stop(),
        )
    }
}

/// Starts a fallback search for a coordinator. With `ready`, its player is built at once rather than
/// for the first search.
///
/// # Errors
/// The system refuses a thread.
pub(super) fn start(ready: bool) -> Result<FallbackHandle, AssembleError> {
    let mut fallback = FallbackSearch::start().map_err(AssembleError::Fallback)?;
    if ready {
        fallback.prepare(FallbackSearch::beside_a_team(), String::new());
    }
    Ok(fallback.handle())
}
