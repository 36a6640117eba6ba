//! The score of a match, with the error bar that pairs of games give.

use crate::game::Result;
use std::fmt;

/// Counts by pairs: an opening played with both colours is one sample.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    wins: usize,
    draws: usize,
    losses: usize,
    /// Pairs that scored 0, ½, 1, 1½ and 2 points.
    pairs: [usize; 5],
}

impl Tally {
    /// Adds the two games of a pair.
    pub fn add(&mut self, results: [Result; 2]) {
        let mut half_points = 0;
        for result in results {
            match result {
                Result::Win => {
                    self.wins += 1;
                    half_points += 2;
                }
                Result::Draw => {
                    self.draws += 1;
                    half_points += 1;
                }
                Result::Loss => self.losses += 1,
            }
        }
        self.pairs[half_points] += 1;
    }

    /// Mean score of a game, and the half width of its 95 % interval.
    fn score(&self) -> (f64, f64) {
        let count: usize = self.pairs.iter().sum();
        let count = count.max(1) as f64;
        let values = || {
            self.pairs
                .iter()
                .enumerate()
                .map(|(i, &n)| (i as f64 / 4.0, n as f64))
        };
        let mean = values().map(|(value, n)| value * n).sum::<f64>() / count;
        let variance = values()
            .map(|(value, n)| n * (value - mean).powi(2))
            .sum::<f64>()
            / count;
        (mean, 1.96 * (variance / count).sqrt())
    }
}

/// Logistic Elo difference of a score.
fn elo(score: f64) -> f64 {
    let score = score.clamp(0.001, 0.999);
    -400.0 * (1.0 / score - 1.0).log10()
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mean, half) = self.score();
        write!(
            f,
            "+{} ={} -{}  {:.2} % ± {:.2}  Elo {:+.0} [{:+.0}, {:+.0}]  pairs {:?}",
            self.wins,
            self.draws,
            self.losses,
            100.0 * mean,
            100.0 * half,
            elo(mean),
            elo(mean - half),
            elo(mean + half),
            self.pairs
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_one_sample() {
        let mut tally = Tally::default();
        for _ in 0..50 {
            tally.add([Result::Win, Result::Loss]);
        }
        let (mean, half) = tally.score();
        assert_eq!(
            (mean, half),
            (0.5, 0.0),
            "colour decides, the engines are equal"
        );
        tally.add([Result::Win, Result::Win]);
        assert!(tally.score().0 > 0.5 && tally.score().1 > 0.0);
    }

    #[test]
    fn three_quarters_are_191_elo() {
        assert!((elo(0.75) - 190.85).abs() < 0.01);
        assert!(elo(0.5).abs() < 1e-9);
    }
}
