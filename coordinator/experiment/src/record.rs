//! What a game leaves behind: its result, its moves, what it cost, and what went wrong.

use super::notes::Notes;
use std::{collections::BTreeMap, fmt, str::FromStr};

/// One of the two sides of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The one whose score is reported.
    First,
    /// The other one.
    Second,
}

impl Side {
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
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// How a game ended for the first side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// It won.
    Win,
    /// Nobody won.
    Draw,
    /// It lost.
    Loss,
}

impl GameResult {
    /// The result when `winner` won, or nobody did.
    pub fn won_by(winner: Option<Side>) -> Self {
        match winner {
            Some(Side::First) => Self::Win,
            Some(Side::Second) => Self::Loss,
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

    /// The word that stores and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
        }
    }
}

impl FromStr for GameResult {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Win, Self::Draw, Self::Loss]
            .into_iter()
            .find(|result| result.name() == text)
            .ok_or_else(|| format!("'{text}' is no result of a game"))
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is mated, or has no legal move.
    Mate,
    /// A side resigned.
    Resignation,
    /// A side declared a win by entering-king rules.
    Declaration,
    /// Fourfold repetition: a draw.
    Repetition,
    /// Fourfold repetition with perpetual check: the checking side loses.
    PerpetualCheck,
    /// Too many plies: a draw.
    MaximumPlies,
    /// Both sides agreed on the winner for long enough.
    Adjudication,
    /// A side had nothing but illegal moves to offer.
    IllegalMove,
    /// A side exceeded its time.
    TimeLoss,
}

impl Ending {
    /// The words that stores and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Resignation => "resignation",
            Self::Declaration => "declaration",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaximumPlies => "maximum plies",
            Self::Adjudication => "adjudication",
            Self::IllegalMove => "illegal move",
            Self::TimeLoss => "time loss",
        }
    }
}

/// Positions by the number of different moves that were voted for (paper 002, table 1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variety(pub BTreeMap<u32, u64>);

impl Variety {
    /// Counts one position.
    pub fn note(&mut self, different_moves: u32) {
        *self.0.entry(different_moves).or_default() += 1;
    }

    /// Adds the counts of another game.
    pub fn add(&mut self, other: &Self) {
        for (moves, positions) in &other.0 {
            *self.0.entry(*moves).or_default() += positions;
        }
    }
}

impl fmt::Display for Variety {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (moves, positions)) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(formatter, "{space}{moves}:{positions}")?;
        }
        Ok(())
    }
}

impl FromStr for Variety {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut variety = Self::default();
        for word in text.split_whitespace() {
            let (moves, positions) = word
                .split_once(':')
                .and_then(|(moves, positions)| Some((moves.parse().ok()?, positions.parse().ok()?)))
                .ok_or_else(|| format!("'{word}' is no count of positions"))?;
            variety.0.insert(moves, positions);
        }
        Ok(variety)
    }
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// How it ended for the first side.
    pub result: GameResult,
    /// How it ended.
    pub ending: Ending,
    /// Plies that the opening gave.
    pub opening_plies: u32,
    /// The whole game as after `position`.
    pub moves: String,
    /// Plies, the opening's included.
    pub plies: u32,
    /// What each side spent: first, second.
    pub effort: [super::store::Effort; 2],
    /// One JSON object a line; empty where ballots are not kept.
    pub ballots: String,
    /// Of every move that is not the opening's.
    pub notes: Notes,
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An engine ended, or could not be started.
    Crash,
    /// A coordinator elsewhere could not be reached.
    Disconnect,
    /// An engine offered a move that the rules forbid.
    IllegalMove,
    /// A side exceeded its time.
    TimeLoss,
}

impl Cause {
    /// The words that stores and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Disconnect => "disconnect",
            Self::IllegalMove => "illegal move",
            Self::TimeLoss => "time loss",
        }
    }
}

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Which game of the pair.
    pub game: u32,
    /// What went wrong.
    pub cause: Cause,
    /// Whose fault it was.
    pub side: Side,
    /// In words, with the player's name.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varieties_are_written_and_read() {
        let mut variety = Variety::default();
        for moves in [3, 1, 1, 12] {
            variety.note(moves);
        }
        assert_eq!(variety.to_string(), "1:2 3:1 12:1");
        assert_eq!("1:2 3:1 12:1".parse(), Ok(variety.clone()));
        assert_eq!("".parse(), Ok(Variety::default()));
        assert!("1:x".parse::<Variety>().is_err());
        variety.add(&"1:1 2:5".parse().expect("a variety"));
        assert_eq!(variety.to_string(), "1:3 2:5 3:1 12:1");
    }
}
