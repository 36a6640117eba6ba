//! The moment at which a `go` may be answered.

use super::{backend::SearchControl, go::GoSearch};
use tokio::sync::mpsc;

/// Holds a finished answer back until the GUI may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerGate {
    /// The answer may be told as soon as it is found.
    Open,
    /// The answer waits for `stop`.
    UntilStop,
    /// The answer waits for `ponderhit` or `stop`: a GUI drops a `bestmove` that comes while it
    /// ponders, and then waits for another one forever.
    UntilPonderHit,
}

impl AnswerGate {
    /// Returns the gate that a `go` calls for.
    pub fn of(go: &GoSearch) -> Self {
        match () {
            () if go.limits.ponder => Self::UntilPonderHit,
            () if go.infinite => Self::UntilStop,
            () => Self::Open,
        }
    }

    /// Opens if the GUI's control calls for it.
    pub fn handle(&mut self, control: SearchControl) {
        match (control, *self) {
            (SearchControl::Stop, _) | (SearchControl::PonderHit { .. }, Self::UntilPonderHit) => {
                *self = Self::Open;
            }
            _ => {}
        }
    }

    /// Waits until the gate is open, or until no control can come any more.
    pub async fn opened(mut self, controls: &mut mpsc::UnboundedReceiver<SearchControl>) {
        while self != Self::Open {
            match controls.recv().await {
                Some(control) => self.handle(control),
                None => return,
            }
        }
    }
}
