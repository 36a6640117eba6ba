//! What a session talks for: the team, or one player.

use super::{answer::Answer, command::Go, output::Output, values::OptionError};
use monju_engine::Game;
use monju_proto::v1::{Clock, GameOutcome};
use std::{future::Future, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};

/// What the GUI says to a running search.
#[derive(Clone, Copy, Debug)]
pub enum Control {
    /// Answer now.
    Stop,
    /// The pondered move was played; the clock as it stands now, when the GUI says it.
    PonderHit(Option<Clock>),
}

/// When the answer may be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// As soon as it is there.
    Free,
    /// After `stop`.
    UntilStop,
    /// After `ponderhit` or `stop`: a GUI drops what it is told while it ponders, and then waits
    /// for ever.
    UntilPonderHit,
}

impl Hold {
    /// What a `go` asks for.
    pub fn of(go: &Go) -> Self {
        match () {
            () if go.limits.ponder => Self::UntilPonderHit,
            () if go.infinite => Self::UntilStop,
            () => Self::Free,
        }
    }

    /// Lets go when the GUI says so.
    pub fn obey(&mut self, control: Control) {
        match (control, *self) {
            (Control::Stop, _) | (Control::PonderHit(_), Self::UntilPonderHit) => {
                *self = Self::Free;
            }
            _ => {}
        }
    }

    /// Waits until the answer may be said.
    pub async fn over(mut self, controls: &mut mpsc::UnboundedReceiver<Control>) {
        while self != Self::Free {
            match controls.recv().await {
                Some(control) => self.obey(control),
                None => return,
            }
        }
    }
}

/// A `go`, as it was heard.
#[derive(Debug)]
pub struct Question {
    /// The position with its history; it must have a legal move or be mate.
    pub game: Game,
    /// Its limits, and whether it is to be answered without being told to.
    pub go: Go,
    /// When the GUI asked.
    pub asked: Instant,
    /// What its clock was seen to lose with every move, beyond what we took.
    pub lag: Duration,
}

/// What thinks behind a session. None of its methods blocks.
pub trait Thinker: Send {
    /// What it is called in `id name`, before the version.
    const NAME: &str;

    /// The `option` lines, in the order in which a GUI shows them.
    fn declarations() -> Vec<String>;

    /// Sets an option; those that are not declared are passed over.
    ///
    /// # Errors
    /// The value is not what the declaration allows; the option keeps the value it had.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// What `USI_Hash` says, or whatever stands for it, in MiB.
    fn hash_mib(&self) -> u32;

    /// Begins to get ready for the next game, as `isready` asks for.
    fn get_ready(&mut self);

    /// Begins a new game. There is nothing to do when none was played since `get_ready`.
    fn new_game(&mut self);

    /// Whether everything that was begun is done, well or not.
    fn is_ready(&self) -> bool;

    /// Why it is not ready for a game after all.
    fn failure(&self) -> Option<String>;

    /// Waits until what [`Thinker::is_ready`] says may have changed.
    fn changed(&mut self) -> impl Future<Output = ()> + Send;

    /// Searches on a task of its own, which obeys `controls` and ends with the answer, when it may
    /// be said. Aborting the task ends the search.
    fn think(
        &mut self,
        question: Question,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> JoinHandle<Answer>;

    /// Hears how the game ended. There is nothing to do for who keeps no record.
    fn game_over(&mut self, _outcome: GameOutcome) {}

    /// Ends everything that it has started.
    fn close(self) -> impl Future<Output = ()> + Send;
}
