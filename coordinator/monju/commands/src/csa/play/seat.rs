//! The engine's seat: one that fails is started again while the game is played on.

use super::{super::start::started, Board, CsaConnection, EngineTask, Left};
use monju_host::usi_child::{ChildError, UsiChild, UsiMessage};
use std::{fmt::Display, future, time::Duration};
use tokio::{task::JoinError, time::Instant};

/// Time after its question in which an engine that ends without a word has not understood it.
const FIRST_WORD: Duration = Duration::from_secs(3);

/// Longest wait of our move for an engine that is being started.
const START_PATIENCE: Duration = Duration::from_secs(20);

/// What comes of the engine.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it is moved once"
)]
pub(super) enum EngineEvent {
    /// A line, or the end of it.
    Said(Result<UsiMessage, ChildError>),
    /// Another one is ready, or could not be started.
    Started(Result<Result<UsiChild, ChildError>, JoinError>),
}

impl Board {
    /// Starts another engine in place of the one that failed, for the same game. That may hang, and leaves its memory
    /// and cores first.
    pub(super) async fn start_again(&mut self) -> Result<(), ChildError> {
        self.engine.kill().await;
        let engine = started(self.spec.clone(), self.conditions.clone()).await?;
        self.take_up(engine);
        Ok(())
    }

    /// Goes on with an engine that is ready.
    pub(super) fn take_up(&mut self, engine: UsiChild) {
        self.engine = engine;
        self.has_failed = false;
        self.start_until = None;
        self.thinking = EngineTask::Nothing;
        self.told = 0;
        self.tell_reports();
    }

    /// Waits for what comes of the engine, or of the one that is started in its place. Safe to drop and call again.
    pub(super) async fn next_of_engine(&mut self) -> EngineEvent {
        if !self.has_failed {
            return EngineEvent::Said(self.listen().await);
        }
        match self.starting.join_next().await {
            Some(started) => EngineEvent::Started(started),
            None => future::pending().await,
        }
    }

    /// Takes in what has come of the engine.
    pub(super) async fn take_in(
        &mut self,
        event: EngineEvent,
        connection: &mut CsaConnection,
    ) -> Result<(), Left> {
        match event {
            EngineEvent::Said(Ok(message)) => return self.hear(message, connection).await,
            EngineEvent::Said(Err(error)) => self.restart_after(error).await,
            EngineEvent::Started(Ok(Ok(engine))) => self.take_up(engine),
            EngineEvent::Started(Ok(Err(error))) => self.has_not_started(&error),
            EngineEvent::Started(Err(error)) => self.has_not_started(&error),
        }
        Ok(())
    }

    /// As [`Board::restart`], for an engine that ended or does not listen. One that ends before its first word may not
    /// know increments.
    pub(super) async fn restart_after(&mut self, error: ChildError) {
        let was_asked = matches!(self.thinking, EngineTask::Move | EngineTask::Ponder(..));
        let is_silent = self.info.line(Duration::ZERO).r#move.is_empty();
        if matches!(error, ChildError::Ended(_))
            && was_asked
            && is_silent
            && self.asked.elapsed() < FIRST_WORD
            && self.clocks.has_increments()
            && !self.knows_no_increments
            && !self.knows_late_clock()
        {
            tell!("the engine may not know increments, and is told them as byoyomi from now on");
            self.knows_no_increments = true;
        }
        self.restart(error).await;
    }

    /// Leaves it to the game to start the engine again, which has failed for this reason.
    pub(super) async fn restart(&mut self, reason: impl Display) {
        tell!("the engine failed, and is started again: {reason}");
        self.failures += 1;
        self.give_up().await;
    }

    /// Begins to start the engine again.
    pub(super) fn begin_to_start(&mut self) {
        let started = started(self.spec.clone(), self.conditions.clone());
        self.starting.spawn(started);
        self.start_until = self.patience_with_start();
    }

    /// Returns how long our move waits for an engine that is being started: half of the time that is left, and some
    /// seconds at most; `None` while no move is due.
    pub(super) fn patience_with_start(&self) -> Option<Instant> {
        let now = Instant::now();
        let (end, _) = self.end_of_clock()?;
        Some(now + (end.saturating_duration_since(now) / 2).min(START_PATIENCE))
    }

    pub(super) fn has_not_started(&mut self, error: &dyn Display) {
        tell!("the engine cannot be started again: {error}");
        self.failures += 1;
    }

    /// Ends the engine that failed, which is started again later.
    pub(super) async fn give_up(&mut self) {
        self.has_failed = true;
        self.thinking = EngineTask::Nothing;
        self.engine.kill().await;
    }
}
