//! Errors in the players of a configuration.

use crate::kind::SpecKind;
use monju_engine::{PlayerError, SearchOptionsError, eval::UnknownEvaluator, names::UnknownName};
use monju_proto::{convert::MOST_PLAYERS, text::LONGEST_NAME};

/// Error in a `[[player]]` table, with its place.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("player {player:?}: {problem}")]
pub struct PlayersError {
    /// Index of the table, counted from 0.
    pub index: usize,
    /// Its name.
    pub player: String,
    /// The error.
    pub problem: PlayerProblem,
}

/// Error in a `[[player]]` table.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PlayerProblem {
    /// Empty, too long, or with spaces or control characters.
    #[error("name must be 1 to {LONGEST_NAME} characters without spaces or control characters")]
    Name,
    /// Two players would have this name.
    #[error("the name {0:?} is taken by another player; choose another one")]
    Taken(String),
    /// The count is 0 or too large.
    #[error("count must be between 1 and {MOST_PLAYERS}, not {0}")]
    Count(u32),
    /// The tables together stand for more players than a worker may have.
    #[error("with this table there are more than {MOST_PLAYERS} players, the most of one worker")]
    TooMany,
    /// A key of the other kind of player.
    #[error(
        "{key} belongs to players of kind \"{belongs_to}\", remove it or set kind = \"{belongs_to}\""
    )]
    ForeignKey {
        /// The key.
        key: &'static str,
        /// The kind it belongs to.
        belongs_to: SpecKind,
    },
    /// A setting that the engine refuses.
    #[error(transparent)]
    Engine(#[from] PlayerError),
    /// An evaluator that does not exist.
    #[error(transparent)]
    Evaluator(#[from] UnknownEvaluator),
    /// A noise model that does not exist.
    #[error(transparent)]
    NoiseModel(#[from] UnknownName),
    /// A text that is not one of search options.
    #[error(transparent)]
    Search(#[from] SearchOptionsError),
    /// Virtual players without noise, whose votes would all be the same.
    #[error(
        "lanes differ by noise alone: they need a sigma above 0 and noise_model = \"position\" or \"leaf\""
    )]
    LanesAlike,
    /// A weight outside 0 to [`GREATEST_WEIGHT`](monju_proto::convert::GREATEST_WEIGHT).
    #[error("weight must be a number from 0 to 1,000,000, not {0}")]
    Weight(f64),
    /// A share outside 0 to 1.
    #[error("clock_share must be above 0 and at most 1, not {0}")]
    ClockShare(f64),
    /// Both a share of the time and a time.
    #[error("clock_share and time_ms both say how long to think; leave one out")]
    TimeTwice,
    /// Two files of weights.
    #[error("weights are given twice, by weights and by evaluator; leave one out")]
    WeightsTwice,
    /// A player of kind "usi" without a program.
    #[error("kind \"usi\" needs a command, such as command = [\"/usr/games/gpsusi\"]")]
    Command,
    /// A text with control characters, which cannot be sent in one line or given to a process.
    #[error(
        "{key} may not contain line breaks, control characters or characters that show nothing: {text:?}"
    )]
    Control {
        /// The key.
        key: &'static str,
        /// The text.
        text: String,
    },
    /// An environment variable without a usable name.
    #[error("environment has a variable named {0:?}, a name is not empty and has no '='")]
    Variable(String),
    /// Forms of `go` without the one that searches until it is stopped.
    #[error("go must contain \"infinite\", the form that is stopped when the time has come")]
    GoWithoutInfinite,
    /// A limit of 0.
    #[error("{0} must be at least 1")]
    ZeroLimit(&'static str),
}
