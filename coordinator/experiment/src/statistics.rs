//! Statistics of scores: intervals, significance, Elo, and sequential tests.
//!
//! Games are counted as wins, draws and losses of the first side; pairs of games with one opening
//! and both colours as 0 to 4 half points, the pentanomial.

mod comparison;
mod interval;
mod pentanomial;
mod significance;
mod sprt;
mod student;

pub use comparison::{Comparison, PairedComparison, compare, compare_pairs};
pub use interval::{Interval, wilson};
pub use pentanomial::{EloEstimate, Pentanomial, elo_of_score, score_of_elo};
pub use significance::{Stars, binomial_p, holm, normal_p, stars};
pub use sprt::{EloModel, MINIMUM_PAIRS, PairOutcome, Sprt, SprtError, SprtVerdict, SprtWalk};
pub use student::quantile as student_quantile;

use super::record::MatchOutcome;

/// Wins, draws and losses of the first side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTally {
    /// Games that it won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
}

impl GameTally {
    /// Counts one game.
    pub fn add(&mut self, result: MatchOutcome) {
        match result {
            MatchOutcome::Win => self.wins += 1,
            MatchOutcome::Draw => self.draws += 1,
            MatchOutcome::Loss => self.losses += 1,
        }
    }

    /// The counts as `+12 =1 -7`.
    pub fn signed(&self) -> String {
        format!("+{} ={} -{}", self.wins, self.draws, self.losses)
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Number of games that were not drawn.
    pub fn decided(&self) -> u64 {
        self.wins + self.losses
    }

    /// Wins among the decided games, as the papers count; `None` before the first.
    pub fn win_rate(&self) -> Option<f64> {
        let decided = self.decided();
        (decided > 0).then(|| self.wins as f64 / decided as f64)
    }
}
