//! The fallback search of a coordinator: the one of its process.

use crate::team::AssembleError;
use monju_coordinator::fallback::{FallbackSearcher, RunningFallback};
use monju_engine::Game;
use monju_host::fallback::{FallbackHandle, FallbackSearch};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Lets a coordinator use a fallback search.
#[derive(Debug)]
pub struct CoordinatorFallback {
    handle: FallbackHandle,
    /// Counts its searches: none keeps the memory of another one, which may be about another game.
    searches: AtomicU64,
}

impl CoordinatorFallback {
    /// Uses the search behind a handle.
    pub fn new(handle: FallbackHandle) -> Self {
        Self {
            handle,
            searches: AtomicU64::new(0),
        }
    }
}

impl FallbackSearcher for CoordinatorFallback {
    fn begin(&self, game: &Game, time: Duration) -> RunningFallback {
        let number = self.searches.fetch_add(1, Ordering::Relaxed);
        let mv = self.handle.begin(game, format!("fallback-{number}"), time);
        let stop = mv.stop();
        RunningFallback::new(
            async move { mv.found().await.answer.as_move() },
            move || stop.stop(),
        )
    }
}

/// Starts the fallback search of a coordinator that runs alone in its process. `ready` builds its player
/// at once rather than when it is needed.
///
/// # Errors
/// The system refuses another thread.
pub fn start(ready: bool) -> Result<FallbackHandle, AssembleError> {
    let mut fallback = FallbackSearch::start().map_err(AssembleError::fallback)?;
    if ready {
        fallback.prepare(FallbackSearch::beside_a_team(), String::new());
    }
    Ok(fallback.handle())
}
