//! The record of a game: result, moves, effort, and incidents.

use super::{notes::Notes, stored_text::StoredTextError};
use monju_engine::rules::MOST_LEGAL_MOVES;
use std::{collections::BTreeMap, fmt, str::FromStr, time::Duration};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// One of the two sides of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum MatchSide {
    /// The side whose score is reported.
    First,
    /// Its opponent.
    Second,
}

impl MatchSide {
    /// The opponent.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 or 1.
    pub fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }

    /// `first` or `second`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Result of a game for the first side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString)]
#[strum(serialize_all = "lowercase", parse_err_ty = StoredTextError, parse_err_fn = unknown_outcome)]
pub enum MatchOutcome {
    /// The first side won.
    Win,
    /// A draw.
    Draw,
    /// The first side lost.
    Loss,
}

impl MatchOutcome {
    /// The result of a game that `winner` won; a draw without one.
    pub fn won_by(winner: Option<MatchSide>) -> Self {
        match winner {
            Some(MatchSide::First) => Self::Win,
            Some(MatchSide::Second) => Self::Loss,
            None => Self::Draw,
        }
    }

    /// 2, 1 or 0.
    pub fn half_points(self) -> u32 {
        match self {
            Self::Win => 2,
            Self::Draw => 1,
            Self::Loss => 0,
        }
    }

    /// Its name in stores and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown_outcome(text: &str) -> StoredTextError {
    StoredTextError::Outcome(text.to_owned())
}

/// Reason for which a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
pub enum GameEnding {
    /// The side to move has no legal move.
    #[strum(serialize = "mate")]
    Mate,
    /// A side resigned.
    #[strum(serialize = "resignation")]
    Resignation,
    /// A side declared a win by entering-king rules.
    #[strum(serialize = "declaration")]
    Declaration,
    /// Fourfold repetition: a draw.
    #[strum(serialize = "repetition")]
    Repetition,
    /// Fourfold repetition with perpetual check: the checking side loses.
    #[strum(serialize = "perpetual check")]
    PerpetualCheck,
    /// Too many plies: a draw.
    #[strum(serialize = "maximum plies")]
    MaximumPlies,
    /// Both sides agreed on the winner for as many plies as the adjudication asks for.
    #[strum(serialize = "adjudication")]
    Adjudication,
    /// A side offered only illegal moves.
    #[strum(serialize = "illegal move")]
    IllegalMove,
    /// A side exceeded its time.
    #[strum(serialize = "time loss")]
    TimeLoss,
    /// An engine of a side ended in its turn, where that loses.
    #[strum(serialize = "crash")]
    Crash,
}

impl GameEnding {
    /// Every reason.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Its name in stores and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Positions by the number of different moves that were voted for (Ito et al. (2011), table 1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveVariety(pub BTreeMap<u32, u64>);

impl MoveVariety {
    /// Counts one position.
    pub fn note(&mut self, different_moves: u32) {
        *self.0.entry(different_moves).or_default() += 1;
    }

    /// Adds the counts of another game.
    pub fn add(&mut self, other: &Self) {
        for (moves, positions) in &other.0 {
            let count = self.0.entry(*moves).or_default();
            *count = count.saturating_add(*positions);
        }
    }
}

impl fmt::Display for MoveVariety {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (moves, positions)) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(formatter, "{space}{moves}:{positions}")?;
        }
        Ok(())
    }
}

impl FromStr for MoveVariety {
    type Err = StoredTextError;

    fn from_str(text: &str) -> Result<Self, StoredTextError> {
        let mut variety = Self::default();
        for word in text.split_whitespace() {
            let (moves, positions) = word
                .split_once(':')
                .and_then(|(moves, positions)| {
                    let positions: u32 = positions.parse().ok()?;
                    Some((moves.parse().ok()?, positions))
                })
                .filter(|(moves, _)| *moves <= MOST_LEGAL_MOVES as u32)
                .ok_or_else(|| StoredTextError::MoveVariety(word.to_owned()))?;
            variety.0.insert(moves, positions.into());
        }
        Ok(variety)
    }
}

/// Effort of one side in one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes of all its players.
    pub nodes: u64,
    /// Time from question to decision, in milliseconds; that of the clock where it counts nodes.
    pub time_ms: u64,
    /// Moves that were decided by votes.
    pub moves: u32,
    /// Positions by the number of different moves voted for.
    pub variety: MoveVariety,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Result for the first side.
    pub result: MatchOutcome,
    /// Reason for which it ended.
    pub ending: GameEnding,
    /// Plies that the opening gave.
    pub opening_plies: u32,
    /// The whole game in the form of the USI command `position`.
    pub moves: String,
    /// Plies, the opening's included.
    pub plies: u32,
    /// Effort of the first and of the second side.
    pub effort: [Effort; 2],
    /// One JSON object a line; empty where ballots are not kept.
    pub ballots: String,
    /// One note for every move after the opening.
    pub notes: Notes,
}

/// Cause of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum Cause {
    /// An engine ended or could not be started.
    #[strum(serialize = "crash")]
    Crash,
    /// A remote coordinator could not be reached.
    #[strum(serialize = "disconnect")]
    Disconnect,
    /// An engine offered a move that the rules forbid.
    #[strum(serialize = "illegal move")]
    IllegalMove,
    /// A side exceeded its time.
    #[strum(serialize = "time loss")]
    TimeLoss,
    /// A side thought for a limited time with more threads than it had cores.
    #[strum(serialize = "crowded cores")]
    Crowded,
    /// An engine reported an error, and played on.
    #[strum(serialize = "reported error")]
    Reported,
}

impl Cause {
    /// Its name in stores and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A fault or failure during a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Game of the pair, 0 or 1.
    pub game: u32,
    /// Its cause.
    pub cause: Cause,
    /// Side at fault, or the side that had too few cores.
    pub side: MatchSide,
    /// Description with the name of the player.
    pub detail: String,
    /// Longest stall of the machine during a move that lost on time, where it was longer than the move was late.
    pub stall: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varieties_are_written_and_read() {
        let mut variety = MoveVariety::default();
        for moves in [3, 1, 1, 12] {
            variety.note(moves);
        }
        assert_eq!(variety.to_string(), "1:2 3:1 12:1");
        assert_eq!("1:2 3:1 12:1".parse(), Ok(variety.clone()));
        assert_eq!("".parse(), Ok(MoveVariety::default()));
        for wrong in ["1:x", "594:1", "1:4294967296"] {
            assert!(wrong.parse::<MoveVariety>().is_err(), "{wrong}");
        }
        variety.add(&"1:1 2:5".parse().expect("a variety"));
        assert_eq!(variety.to_string(), "1:3 2:5 3:1 12:1");
    }
}
