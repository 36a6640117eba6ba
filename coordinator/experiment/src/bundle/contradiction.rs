//! Contradictions of a bundle: its files are those that were sealed, and what they say cannot be.

use monju_engine::GameError;

/// A part of a bundle that contradicts the rest of it or the rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}; {}", .what.remedy())]
pub struct Contradiction {
    /// Cell, pair and game.
    pub place: String,
    /// The fault.
    pub what: ContradictionKind,
}

/// A fault of a game or of a pair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContradictionKind {
    /// The specification has no such cell.
    #[error("the specification has no such cell")]
    Cell,
    /// The bundle lacks a cell of the specification.
    #[error("the bundle lacks this cell of the specification")]
    NoCell,
    /// The manifest counts other games.
    #[error("there are {found} games, but bundle.json counts {counted}")]
    Count {
        /// Games in the file of games.
        found: u64,
        /// Games by the manifest.
        counted: u64,
    },
    /// The same game is there several times.
    #[error("the game is there {0} times")]
    Repeated(usize),
    /// A game of the pair is missing.
    #[error("the game in which the first side has {} is missing", colour(.0))]
    Missing(u32),
    /// A pair has two games.
    #[error("a pair has only games 0 and 1, one for each colour of the first side")]
    Number,
    /// The pair counts as given up, and has games.
    #[error("the pair is marked as given up, but has games")]
    GivenUp,
    /// No plan asks for the pair.
    #[error("no plan of the bundle has more than {0} games in this cell")]
    Unplanned(u64),
    /// The moves are not those of a game.
    #[error("{0}")]
    Moves(#[from] GameError),
    /// The game has another number of plies.
    #[error("the game counts {counted} plies and has {found}")]
    Plies {
        /// Plies that it counts.
        counted: u32,
        /// Plies of its moves.
        found: usize,
    },
    /// The game has no opening of the bundle.
    #[error("the game begins with none of the openings in openings.sfen")]
    Opening,
    /// The games of a pair have different openings.
    #[error("the games of the pair begin with different openings")]
    Openings,
    /// The pair has the opening of another one.
    #[error("the pair does not begin with the opening that the seed gives to its number")]
    OtherOpening,
    /// Pairs before the last one are neither there nor given up, and no longer to be played.
    #[error(
        "{missing} pairs before its last one are missing, and only {open} are still to be played"
    )]
    Lost {
        /// Missing pairs.
        missing: u64,
        /// Pairs that are to be played.
        open: u64,
    },
    /// The ending, the last position and the result do not go together.
    #[error("its last position does not allow a {result} of the first side by {ending}")]
    Ending {
        /// Reason for which the game ended.
        ending: String,
        /// Result for the first side.
        result: String,
    },
}

fn colour(number: &u32) -> &'static str {
    match number {
        0 => "Black",
        _ => "White",
    }
}

impl ContradictionKind {
    /// Returns what would mend it.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Moves(_)
            | Self::Plies { .. }
            | Self::Opening
            | Self::Openings
            | Self::OtherOpening
            | Self::Ending { .. } => {
                "export the bundle again; if its store has the same, play the experiment again in a new one"
            }
            _ => "export the bundle again from its store",
        }
    }
}
