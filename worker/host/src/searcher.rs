//! Players as a search thread owns them.

use crate::choice::{BuildError, PlayerChoice};
use monju_engine::{Control, Game, Limits, Line, Outcome, Player};
use std::{fmt, sync::Arc};

/// The part of a player that a search thread needs.
pub trait GameSearcher: Send {
    /// Forgets the last game and takes the noise seed of the next one.
    fn new_game(&mut self, noise_seed: u64);

    /// Searches the position of a game.
    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome;

    /// Searches the opponent's position in preparation for every reply; as any other, unless it can do more.
    fn ponder(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        self.think(game, limits, control, progress)
    }
}

impl GameSearcher for Player {
    fn new_game(&mut self, noise_seed: u64) {
        Player::new_game(self, noise_seed);
    }

    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        Player::think(self, game, limits, control, progress)
    }

    fn ponder(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        progress: &mut dyn FnMut(&Line),
    ) -> Outcome {
        Player::ponder(self, game, limits, control, progress)
    }
}

/// A player that was built for a search thread.
pub struct BuiltPlayer {
    searcher: Box<dyn GameSearcher>,
    /// Why it is not the chosen one.
    flaw: Option<Arc<SearchFailure>>,
}

impl BuiltPlayer {
    /// The reason why it is not the chosen player, if it is not.
    pub fn flaw(&self) -> Option<Arc<SearchFailure>> {
        self.flaw.clone()
    }

    /// The player itself.
    pub fn searcher(&mut self) -> &mut dyn GameSearcher {
        &mut *self.searcher
    }

    /// The chosen player.
    pub fn as_chosen(searcher: impl GameSearcher + 'static) -> Self {
        Self {
            searcher: Box::new(searcher),
            flaw: None,
        }
    }

    /// The chosen player, or one of the defaults where it cannot be built: a misspelt file loses no
    /// game.
    ///
    /// # Errors
    /// The player of the defaults cannot be built either.
    pub fn chosen_or_stand_in(choice: &PlayerChoice) -> Result<Self, BuildError> {
        let reason = match choice.build() {
            Ok(player) => return Ok(Self::as_chosen(player)),
            Err(reason) => reason,
        };
        let player = choice.stand_in().build()?;
        let flaw = SearchFailure::StandIn(reason);
        tracing::error!(%flaw, "the chosen player cannot be built");
        Ok(Self {
            searcher: Box::new(player),
            flaw: Some(Arc::new(flaw)),
        })
    }
}

impl fmt::Debug for BuiltPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltPlayer")
            .field("flaw", &self.flaw)
            .finish_non_exhaustive()
    }
}

/// Why a search thread did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum SearchFailure {
    /// The player cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A player of the defaults plays in place of the chosen one.
    #[error("{0}; until that is corrected, a player with default settings plays")]
    StandIn(#[source] BuildError),
    /// The search panicked.
    #[error("the native search failed: {0}")]
    Panic(String),
    /// The thread has ended.
    #[error("the search thread has ended")]
    Ended,
}
