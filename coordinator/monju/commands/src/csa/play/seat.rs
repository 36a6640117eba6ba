//! The engine's seat: one that fails is started again while the game is played on.

use super::{
    super::start::started,
    Board, CsaConnection, EngineTask, Left,
    departure::Departure,
    failure::{EngineFailure, in_time},
};
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
        self.give_up();
        if let Some(departure) = self.departure.clone() {
            departure.over().await;
        }
        let engine = started(self.spec.clone(), self.conditions.clone()).await?;
        self.take_up(engine);
        Ok(())
    }

    /// Goes on with an engine that is ready.
    pub(super) fn take_up(&mut self, engine: UsiChild) {
        self.engine = Some(engine);
        self.departure = None;
        self.start_until = None;
        self.thinking = EngineTask::Nothing;
        self.told = 0;
        self.tell_reports();
    }

    /// Returns the engine.
    ///
    /// # Errors
    /// It was given up.
    pub(super) fn seated(&mut self) -> Result<&mut UsiChild, ChildError> {
        let none = || ChildError::Ended("it was given up".to_owned());
        self.engine.as_mut().ok_or_else(none)
    }

    /// Tells the engine to end its search.
    pub(super) async fn stop(&mut self) -> Result<(), EngineFailure> {
        let until = self.line_until();
        in_time(until, self.seated()?.stop()).await
    }

    /// Waits for what comes of the engine, or of the one that is started in its place. Safe to drop and call again.
    pub(super) async fn next_of_engine(&mut self) -> EngineEvent {
        if self.engine.is_some() {
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
            EngineEvent::Said(Err(error)) => self.restart_after(error.into()),
            EngineEvent::Started(Ok(Ok(engine))) => self.take_up(engine),
            EngineEvent::Started(Ok(Err(error))) => self.has_not_started(&error),
            EngineEvent::Started(Err(error)) => self.has_not_started(&error),
        }
        Ok(())
    }

    /// As [`Board::restart`], for an engine that ended or does not listen. One that ends before its first word may not
    /// know increments.
    pub(super) fn restart_after(&mut self, failure: EngineFailure) {
        let was_asked = matches!(self.thinking, EngineTask::Move | EngineTask::Ponder(..));
        let is_silent = self.info.line(Duration::ZERO).r#move.is_empty();
        if matches!(failure, EngineFailure::Child(ChildError::Ended(_)))
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
        self.restart(failure);
    }

    /// Leaves it to the game to start the engine again, which has failed for this reason.
    pub(super) fn restart(&mut self, reason: impl Display) {
        tell!("the engine failed, and is started again: {reason}");
        self.failures += 1;
        self.give_up();
    }

    /// Begins to start the engine again, once the one that failed is gone.
    pub(super) fn begin_to_start(&mut self) {
        let departure = self.departure.clone();
        let started = started(self.spec.clone(), self.conditions.clone());
        self.starting.spawn(async move {
            if let Some(departure) = departure {
                departure.over().await;
            }
            started.await
        });
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

    /// Begins to end the engine that failed, which is started again later.
    pub(super) fn give_up(&mut self) {
        self.tell_reports();
        self.thinking = EngineTask::Nothing;
        if let Some(engine) = self.engine.take() {
            self.departure = Some(Departure::of(engine));
        }
    }
}
