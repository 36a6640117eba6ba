//! Contestants: the sides of a game as processes that are asked for moves.

mod engine;
mod error;
mod ponder;
mod resources;
mod stalls;
mod team;
mod turn;

pub use engine::EngineContestant;
pub(crate) use engine::time_limit;
pub use error::ContestantError;
pub use resources::BoardResources;
pub use team::TeamContestant;
pub use turn::{ClockReading, MoveQuestion, TurnAnswer};

use crate::specification::{Members, SideEnsemble};
use monju_engine::Game;
use std::{convert::Infallible, future};

/// A side that is ready to play.
#[derive(Debug)]
pub enum Contestant {
    /// A coordinator with its players.
    Team(Box<TeamContestant>),
    /// A USI engine.
    Engine(Box<EngineContestant>),
}

impl Contestant {
    /// Starts the players or the engine of an ensemble, or connects to its coordinator. Players whose effort is
    /// not measured in time take turns; the others are kept on the cores of the board.
    ///
    /// # Errors
    /// They cannot be started or reached.
    pub async fn start(
        ensemble: &SideEnsemble,
        board: &BoardResources,
    ) -> Result<Self, ContestantError> {
        match &ensemble.members {
            Members::Engine(engine) => {
                let started = EngineContestant::start(ensemble, engine, board).await?;
                Ok(Self::Engine(Box::new(started)))
            }
            Members::Embedded { .. } | Members::Remote { .. } => {
                let started = TeamContestant::start(ensemble, board).await?;
                Ok(Self::Team(Box::new(started)))
            }
        }
    }

    /// Its ensemble.
    pub fn ensemble(&self) -> &SideEnsemble {
        match self {
            Self::Team(team) => team.ensemble(),
            Self::Engine(engine) => engine.ensemble(),
        }
    }

    /// Takes the limits and the clock of another ensemble with the same members.
    pub fn adopt(&mut self, ensemble: &SideEnsemble) {
        match self {
            Self::Team(team) => team.adopt(ensemble),
            Self::Engine(engine) => engine.adopt(ensemble),
        }
    }

    /// Prepares for a game: tables are cleared, engines are told.
    ///
    /// # Errors
    /// The coordinator or the engine is gone.
    pub async fn new_game(&mut self, game_id: &str) -> Result<(), ContestantError> {
        match self {
            Self::Team(team) => team.new_game(game_id).await,
            Self::Engine(engine) => engine.new_game().await,
        }
    }

    /// Lets it think while the other side is to move in `game`, if it ponders and expects a reply. A failure shows when
    /// it is asked next.
    pub async fn ponder(&mut self, game: &Game, clock: Option<ClockReading>) {
        match self {
            Self::Team(_) => {}
            Self::Engine(engine) => engine.ponder(game, clock).await,
        }
    }

    /// Listens to it while the other side thinks, and never returns. Safe to drop at any moment; a failure shows
    /// when it is asked next.
    pub async fn attend(&mut self) -> Infallible {
        match self {
            Self::Team(_) => future::pending().await,
            Self::Engine(engine) => engine.attend().await,
        }
    }

    /// Ends its thought on the opponent's time at the end of a game.
    pub async fn stop_pondering(&mut self) {
        if let Self::Engine(engine) = self {
            engine.stop_pondering().await;
        }
    }

    /// Asks for a move.
    ///
    /// # Errors
    /// The coordinator or the engine is gone.
    pub async fn ask(
        &mut self,
        question: &MoveQuestion<'_>,
    ) -> Result<TurnAnswer, ContestantError> {
        match self {
            Self::Team(team) => team.ask(question).await,
            Self::Engine(engine) => engine.ask(question).await,
        }
    }

    /// Returns the errors that its engine has reported since they were last taken, in the engine's words. Players of
    /// a team report to the log.
    pub fn take_errors(&mut self) -> Vec<String> {
        match self {
            Self::Team(_) => Vec::new(),
            Self::Engine(engine) => engine.take_errors(),
        }
    }

    /// Ends everything that was started for it.
    pub async fn close(self) {
        match self {
            Self::Team(team) => team.close().await,
            Self::Engine(engine) => engine.close().await,
        }
    }
}
