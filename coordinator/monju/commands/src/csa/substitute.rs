//! The player that moves when the engine does not: it has failed, or its move would come too late.

use monju_engine::{Answer, Game};
use monju_host::fallback::{FallbackHandle, FallbackSearch};
use std::{io, time::Duration};

/// Longest search for a move in the engine's place.
const LONGEST: Duration = Duration::from_secs(2);

/// A search of our own, ready before it is needed.
#[derive(Debug)]
pub struct Substitute {
    search: FallbackSearch,
    handle: FallbackHandle,
    game_id: String,
}

impl Substitute {
    /// Starts its thread.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn start() -> io::Result<Self> {
        let search = FallbackSearch::start()?;
        Ok(Self {
            handle: search.handle(),
            search,
            game_id: String::new(),
        })
    }

    /// Gets ready for a game.
    pub fn prepare(&mut self, game_id: &str) {
        game_id.clone_into(&mut self.game_id);
        let player = FallbackSearch::beside_a_team();
        self.search.prepare(player, self.game_id.clone());
    }

    /// Returns an answer that the rules allow, with a tenth of the time that is left: the moves that follow need some,
    /// too.
    pub async fn answer(&self, game: &Game, left: Duration) -> Answer {
        let time = (left / 10).min(LONGEST);
        let found = self.handle.begin(game, &[], self.game_id.clone(), time);
        found.found().await.answer
    }
}
