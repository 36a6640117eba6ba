use crate::rules::Move;
use std::time::Duration;

/// A score from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Plies to mate: positive when the side to move mates, zero or negative when it is mated.
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

/// Relation of a score to the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The score is the value.
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// A move with its score, one of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The score of the move.
    pub score: Score,
    /// Meaning of the score.
    pub bound: Bound,
    /// The expected line, which starts with the move; empty where none is kept.
    pub pv: Vec<Move>,
}

/// A root move under search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its place in the order of the search, from 1; ranked moves come before it.
    pub number: u16,
    /// Iteration of the search.
    pub depth: u16,
}

impl RootMove {
    /// Returns the move as one number, which is not 0.
    pub(super) const fn packed(self) -> u64 {
        self.mv.bits() as u64 | (self.number as u64) << 16 | (self.depth as u64) << 32
    }

    /// Returns the move of a number that [`RootMove::packed`] has made; `None` of 0.
    pub(super) fn unpacked(packed: u64) -> Option<Self> {
        Some(Self {
            mv: Move::try_from_bits(packed as u16)?,
            number: (packed >> 16) as u16,
            depth: (packed >> 32) as u16,
        })
    }
}

/// Report of a search: its best line so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Principal variation, whose first move is the best move. Empty only without a legal move or
    /// after a declaration.
    pub pv: Vec<Move>,
    /// Score of the principal variation.
    pub score: Score,
    /// Relation of the score to the true value.
    pub bound: Bound,
    /// Iteration of the line.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Share of the transposition table that this search has filled, in parts of a thousand; `None` in
    /// the first tenth of a second.
    pub hash_full: Option<u32>,
    /// Ranked moves of the last complete ranking, best first; empty without one.
    pub candidates: Vec<Candidate>,
    /// Iteration of the ranking; 0 without one.
    pub ranked_depth: u32,
    /// The line ends its iteration.
    pub ends_iteration: bool,
    /// Share of the iteration's nodes below the best move, in parts of a thousand; `None` before the end
    /// of the iteration, in a search of several lanes, and with several threads, which share the moves.
    pub best_move_effort: Option<u32>,
    /// Best move of each virtual player of a vector search (Tohske, section 4); empty in an
    /// ordinary search.
    pub lanes: Vec<Candidate>,
}

impl Line {
    /// A line that nothing was searched for.
    pub fn unsearched(pv: Vec<Move>, score: Score, bound: Bound) -> Self {
        Self {
            pv,
            score,
            bound,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            time: Duration::ZERO,
            hash_full: None,
            candidates: Vec::new(),
            ranked_depth: 0,
            ends_iteration: false,
            best_move_effort: None,
            lanes: Vec::new(),
        }
    }
}
