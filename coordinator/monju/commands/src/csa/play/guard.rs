//! The end of our clock, before which a move leaves in any case.

use super::{Board, ConnectionError, CsaConnection, EngineTask};
use monju_engine::Answer;
use std::time::Duration;
use tokio::time::Instant;

/// Time before the end of our clock at which an engine that still thinks is told to stop, or an eighth of the time of
/// the move. A move leaves when half of it is left.
const RESERVE: Duration = Duration::from_millis(500);

/// Time of the engine to take a line while no move is due.
const LINE_PATIENCE: Duration = Duration::from_millis(500);

/// Least time for a move whose end is not known: the server that takes up a game again knows better than we do.
const AFTER_LOSS: Duration = Duration::from_secs(2);

/// Time with which a search of the substitute is better than what a failed engine has thought of.
const TIME_TO_SEARCH: Duration = Duration::from_secs(2);

impl Board {
    /// Returns when our clock ends, and the part of it that is kept; `None` while no move is due, or without a clock.
    pub(super) fn end_of_clock(&self) -> Option<(Instant, Duration)> {
        let time = self.clocks.of_move(self.ours)?;
        let mut end = self.turn_began.checked_add(time)?;
        if let Some(resumed) = self.resumed {
            end = end.max(resumed + AFTER_LOSS.min(time));
        }
        self.owes_move().then(|| (end, RESERVE.min(time / 8)))
    }

    /// Returns when the engine is told to stop, or when a move leaves without it.
    pub(super) fn hurry_at(&self) -> Option<Instant> {
        let (end, reserve) = self.end_of_clock()?;
        let last = end - reserve / 2;
        Some(match (self.is_stoppable(), self.start_until) {
            (true, _) => end - reserve,
            (false, Some(until)) if self.engine.is_none() => until.min(last),
            (false, _) => last,
        })
    }

    /// Returns the time by which the engine has to have taken a line of ours: a quarter of the reserve before a move
    /// leaves without it. The wait is short while no move is due, too: the server is not heard meanwhile.
    pub(super) fn line_until(&self) -> Instant {
        let now = Instant::now();
        match self.end_of_clock() {
            Some((end, reserve)) => (end - reserve * 3 / 4).max(now + reserve / 8),
            None => now + LINE_PATIENCE,
        }
    }

    /// Returns true while the engine searches for our move, and was not told to stop.
    pub(super) fn is_stoppable(&self) -> bool {
        self.thinking == EngineTask::Move && !self.is_hurried
    }

    /// Sees to it that a move leaves before our clock ends: an engine that still thinks is told to stop, and has half
    /// of the reserve to answer.
    pub(super) async fn hurry(
        &mut self,
        connection: &mut CsaConnection,
    ) -> Result<(), ConnectionError> {
        if self.is_stoppable() {
            self.is_hurried = true;
            if let Err(error) = self.stop().await {
                self.restart_after(error);
            }
            return Ok(());
        }
        tell!("the engine has not named a move in time");
        if self.thinking == EngineTask::Move {
            self.thinking = EngineTask::Discarded(Instant::now());
        }
        self.move_for_engine(connection).await
    }

    /// Sends a move in the engine's place: one of the substitute, or without the time for a search the one that the
    /// engine has thought of last.
    pub(super) async fn move_for_engine(
        &mut self,
        connection: &mut CsaConnection,
    ) -> Result<(), ConnectionError> {
        let left = self
            .end_of_clock()
            .map(|(end, reserve)| (end - reserve / 2).saturating_duration_since(Instant::now()));
        let left = left.unwrap_or(Duration::MAX);
        let line = self.info.line(self.turn_began.elapsed());
        let thought = self.game.parse_move(&line.r#move).ok();
        let (answer, score) = match thought.filter(|_| left < TIME_TO_SEARCH) {
            Some(mv) => (Answer::Move(mv), line.score),
            None => (self.substitute.answer(&self.game, left).await, None),
        };
        tell!("{answer} is played in the engine's place");
        let pv = if score.is_some() { &line.pv[..] } else { &[] };
        self.send(answer, score, pv, connection).await
    }
}
