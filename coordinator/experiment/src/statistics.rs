//! The statistics of reports: what a score of games or pairs says, and how sure one may be.
//!
//! Games are counted as wins, draws and losses of the first side; pairs of games with one opening
//! and both colours as 0 to 4 half points, the pentanomial.

mod interval;
mod pentanomial;
mod significance;
mod sprt;

pub use interval::{Interval, wilson};
pub use pentanomial::{EloEstimate, Pentanomial, elo_of_score, score_of_elo};
pub use significance::{Stars, binomial_p, holm, normal_p, stars};
pub use sprt::{EloModel, Outcome, Sprt, Verdict, Walk};

use super::record::GameResult;

/// Wins, draws and losses of the first side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Games it won.
    pub wins: u64,
    /// Games nobody won.
    pub draws: u64,
    /// Games it lost.
    pub losses: u64,
}

impl Score {
    /// Counts one game.
    pub fn add(&mut self, result: GameResult) {
        match result {
            GameResult::Win => self.wins += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Loss => self.losses += 1,
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Games that somebody won.
    pub fn decided(&self) -> u64 {
        self.wins + self.losses
    }

    /// Wins among the decided games, as the papers count; `None` before the first.
    pub fn win_rate(&self) -> Option<f64> {
        let decided = self.decided();
        (decided > 0).then(|| self.wins as f64 / decided as f64)
    }
}
