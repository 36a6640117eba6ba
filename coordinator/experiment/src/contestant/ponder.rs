//! The search of a USI engine on the opponent's time.

use monju_engine::Game;
use monju_host::{
    EngineAnswer, EngineInfo,
    usi_child::{ChildError, UsiChild, UsiMessage},
};

/// A search after `go ponder`.
#[derive(Debug)]
pub(super) struct PonderSearch {
    /// The position after the expected reply, as words of USI.
    pub position: String,
    info: EngineInfo,
    /// The answer of an engine that did not wait for `ponderhit`, or its failure.
    end: Option<Result<EngineAnswer, ChildError>>,
}

impl PonderSearch {
    /// Starts the search after `expected`, with words of a clock; returns `None`, and starts nothing, where that is no
    /// move. An engine that has ended fails as one does that ends in the middle: when it is asked next.
    pub async fn begin(
        child: &mut UsiChild,
        game: &Game,
        expected: &str,
        clock: &str,
    ) -> Option<Self> {
        let reply = game.parse_move(expected).ok()?;
        let mut after = game.clone();
        if after.play(reply).is_err() || after.legal_moves().is_empty() {
            return None;
        }
        let position = after.to_usi();
        let go = format!("go ponder {clock}");
        let told = child.go(&format!("position {position}"), &go).await;
        Some(Self {
            position,
            info: EngineInfo::default(),
            end: told.err().map(Err),
        })
    }

    /// Reads what the engine says, until it answers or fails. Safe to drop at any moment.
    pub async fn attend(&mut self, child: &mut UsiChild) {
        if self.end.is_none() {
            self.end = Some(hear_out(child, &mut self.info).await);
        }
    }

    /// Tells the engine that the expected reply was played; returns what it has told so far, and its answer if that has
    /// come.
    ///
    /// # Errors
    /// The engine has ended.
    pub async fn hit(
        self,
        child: &mut UsiChild,
    ) -> Result<(EngineInfo, Option<EngineAnswer>), ChildError> {
        let answer = self.end.transpose()?;
        child.ponder_hit().await?;
        Ok((self.info, answer))
    }

    /// Ends the search, and drops its answer.
    ///
    /// # Errors
    /// The engine has ended.
    pub async fn stop(mut self, child: &mut UsiChild) -> Result<(), ChildError> {
        if self.end.is_none() {
            child.stop().await?;
            self.attend(child).await;
        }
        self.end.transpose().map(|_| ())
    }
}

/// Reads until `bestmove`. Safe to drop and call again.
///
/// # Errors
/// The engine has ended, or names no move.
pub(super) async fn hear_out(
    child: &mut UsiChild,
    info: &mut EngineInfo,
) -> Result<EngineAnswer, ChildError> {
    loop {
        match child.next().await? {
            UsiMessage::Info(text) => {
                info.hear(&text);
            }
            UsiMessage::BestMove(best) => return Ok(best),
            UsiMessage::ReadyOk | UsiMessage::Other => {}
        }
    }
}
