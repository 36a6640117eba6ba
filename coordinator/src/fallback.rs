//! The coordinator's access to a fallback search, which finds a move when no player has one.
//!
//! The coordinator knows the rules but no search: the program that assembles it provides one.

use monju_engine::{Game, Move};
use std::{
    fmt,
    future::{self, Future},
    pin::Pin,
    time::Duration,
};

/// Searches for moves in place of silent players.
pub trait FallbackSearcher: fmt::Debug + Send + Sync {
    /// Begins to search for a move that is due after `time`, for one of the moves `among` if there are any.
    fn begin(&self, game: &Game, among: &[Move], time: Duration) -> RunningFallback;
}

/// Finds the first legal move without a search, for consultations whose decision is not played.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstLegalMove;

impl FallbackSearcher for FirstLegalMove {
    fn begin(&self, game: &Game, among: &[Move], _: Duration) -> RunningFallback {
        let mv = among.first().or(game.legal_moves().first()).copied();
        RunningFallback::new(future::ready(mv), || ())
    }
}

type Found = Pin<Box<dyn Future<Output = Option<Move>> + Send>>;

/// A fallback search under way. Dropping it ends the search.
pub struct RunningFallback {
    found: Found,
    stop: Box<dyn Fn() + Send + Sync>,
}

impl RunningFallback {
    /// A search that `found` waits for, and that `stop` ends early, after which the wait must be short.
    pub fn new(
        found: impl Future<Output = Option<Move>> + Send + 'static,
        stop: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            found: Box::pin(found),
            stop: Box::new(stop),
        }
    }

    /// Ends the search early; it returns its best move so far.
    pub fn stop(&self) {
        (self.stop)();
    }

    /// Waits for the end of the search. May be dropped and called again until it has returned.
    pub async fn found(&mut self) -> Option<Move> {
        (&mut self.found).await
    }
}

impl Drop for RunningFallback {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for RunningFallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningFallback").finish_non_exhaustive()
    }
}
