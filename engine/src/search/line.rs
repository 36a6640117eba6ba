use crate::rules::Move;
use std::time::Duration;

/// A value from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Plies to mate: positive mates, negative (or zero) is mated.
    Mate(i32),
}

impl Score {
    /// Centipawns of a mate in zero plies, more than any evaluation.
    pub const MATE: i32 = 32_000;

    /// Returns the score as one number that orders all scores: centipawns, where a mate in n plies
    /// counts as [`Score::MATE`] less n. Mates beyond 1000 plies count as mates in 1000.
    ///
    /// ```
    /// use monju_engine::Score;
    /// assert_eq!(Score::Cp(-50).to_centipawns(), -50);
    /// assert_eq!(Score::Mate(3).to_centipawns(), 31_997);
    /// assert_eq!(Score::Mate(-4).to_centipawns(), -31_996);
    /// ```
    pub const fn to_centipawns(self) -> i32 {
        const LONGEST: i32 = 1000;
        const LONGEST_LOST: i32 = -LONGEST;
        match self {
            Self::Cp(centipawns) => centipawns,
            Self::Mate(LONGEST..) => Self::MATE - LONGEST,
            Self::Mate(plies @ 1..) => Self::MATE - plies,
            Self::Mate(i32::MIN..=LONGEST_LOST) => LONGEST - Self::MATE,
            Self::Mate(plies) => -Self::MATE - plies,
        }
    }
}

/// How a score relates to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// One of several moves that a player has ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its value.
    pub score: Score,
}

/// What a player thinks of a position at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Principal variation; its first move is the move it would play. Empty only when there is no
    /// legal move or a win was declared.
    pub pv: Vec<Move>,
    /// The value.
    pub score: Score,
    /// How exact it is.
    pub bound: Bound,
    /// The iteration it comes from.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// The best moves, best first, as the last iteration that ranked several has ranked them; empty
    /// where none did.
    pub candidates: Vec<Candidate>,
    /// What each virtual player of a vector search prefers (paper 000, section 4); empty in an
    /// ordinary search.
    pub lanes: Vec<Candidate>,
}
