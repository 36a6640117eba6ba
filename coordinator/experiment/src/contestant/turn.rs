//! One turn of a contestant: the question and the answer.

use monju_engine::Game;
use monju_proto::v1::Ballot;
use std::time::Duration;

/// A question for a move.
#[derive(Clone, Debug)]
pub struct MoveQuestion<'a> {
    /// The position with its history.
    pub game: &'a Game,
    /// Name of the game.
    pub game_id: &'a str,
    /// Seed of the side in this game.
    pub seed: u64,
    /// The clock of the side, if it has one.
    pub clock: Option<ClockReading>,
}

/// A side's clock before its move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clocks of both sides as words of a `go` command.
    pub words: String,
    /// Time until the side loses, without the margin.
    pub allowed: Duration,
}

/// Answer of a contestant.
#[derive(Clone, Debug)]
pub struct TurnAnswer {
    /// The decided ballot; an engine casts its only vote.
    pub ballot: Ballot,
    /// Time from the question to the answer.
    pub elapsed: Duration,
    /// Longest stall of the machine meanwhile; zero where none was measured.
    pub stall: Duration,
}
