//! The interface between a session and the team or the single player behind it.

use super::{best_move::BestMove, go::GoSearch, option_table::OptionError, output::Output};
use crate::clock_options::ClockOptions;
use monju_coordinator::clock::{ClockRules, time_for_one_move};
use monju_engine::{Game, GameRules};
use monju_proto::v1::{Clock, GameOutcome};
use std::{future::Future, time::Duration};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};

/// A command of the GUI to a running search.
#[derive(Clone, Copy, Debug)]
pub enum SearchControl {
    /// Answer now.
    Stop,
    /// The pondered move was played.
    PonderHit {
        /// The clock, if the GUI sends it, and its use.
        clock: Option<(Clock, ClockRules)>,
        /// The moment at which the GUI said so: the clock has been running since then.
        at: Instant,
    },
}

/// A `go` as it was received.
#[derive(Debug)]
pub struct GoRequest {
    /// The position with its history.
    pub game: Game,
    /// The limits of the search.
    pub go: GoSearch,
    /// The moment at which `go` was received.
    pub asked: Instant,
    /// The use of the clock. Its overhead is the time that the GUI's clock loses with every move, beyond
    /// the time that we take.
    pub clock_rules: ClockRules,
}

impl GoRequest {
    /// Returns the time of the clock for this move; zero without a clock.
    pub fn time(&self) -> Duration {
        let side = self.game.position().side_to_move();
        let clock = self.go.limits.clock.as_ref();
        clock.map_or(Duration::ZERO, |clock| time_for_one_move(clock, side))
    }
}

/// A player or a team of players that a session speaks for. None of its methods blocks.
pub trait Backend: Send {
    /// The name in `id name`, before the version.
    const NAME: &str;

    /// Returns the `option` lines, in the order in which a GUI shows them.
    fn declarations() -> Vec<String>;

    /// Sets an option; undeclared options are ignored.
    ///
    /// # Errors
    /// The value does not fit the declaration; the option keeps its former value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// Returns the options about the clock.
    fn clock_options(&self) -> &ClockOptions;

    /// Returns the rules of the game.
    fn game_rules(&self) -> GameRules;

    /// Returns the size of the transposition tables in MiB.
    fn hash_mib(&self) -> u32;

    /// Returns the memory in MiB that a mate search takes in addition, while it lasts: one part in four.
    fn mate_hash_mib(&self) -> u32 {
        self.hash_mib() / 4
    }

    /// Starts to prepare for the next game, for `isready`.
    fn get_ready(&mut self);

    /// Starts a new game. Does nothing if no move was searched since [`Backend::get_ready`].
    fn new_game(&mut self);

    /// Returns true once all preparation has ended, with or without success.
    fn is_ready(&self) -> bool;

    /// Returns the reason why the last preparation failed.
    fn failure(&self) -> Option<String>;

    /// Waits until the result of [`Backend::is_ready`] may have changed.
    fn changed(&mut self) -> impl Future<Output = ()> + Send;

    /// Searches on a task of its own. The task obeys `controls` and ends once the answer may be
    /// told. Aborting the task ends the search.
    fn search(
        &mut self,
        request: GoRequest,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> JoinHandle<BestMove>;

    /// Ends the game, and records its result, if there is one and a record is kept.
    fn game_over(&mut self, _outcome: Option<GameOutcome>) {}

    /// Ends everything that the backend has started.
    fn close(self) -> impl Future<Output = ()> + Send;
}
