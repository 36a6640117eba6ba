//! Elo from pairs of games: an opening played with both colours is one sample, because its two
//! games are not independent.

use super::{
    interval::{Interval, wilson_of_share},
    student,
};

/// Pairs by the half points of the first side, 0 to 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// An Elo difference with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloEstimate {
    /// Logistic Elo of the mean score.
    pub elo: f64,
    /// Its 95 % interval, from that of the score; `None` while all pairs ended alike, because their variance is
    /// unknown then.
    pub interval: Option<Interval>,
    /// Likelihood of superiority: probability that the first side is stronger; `None` likewise.
    pub superiority: Option<f64>,
}

/// Logistic Elo difference of a score; infinite for scores of 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        score => 400.0 * (score / (1.0 - score)).log10(),
    }
}

/// Expected score at a logistic Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

impl Pentanomial {
    /// Counts a pair.
    pub fn add(&mut self, half_points: u32) {
        self.0[half_points.min(4) as usize] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score of a game; `None` before the first pair.
    pub fn mean(&self) -> Option<f64> {
        let pairs = self.pairs() as f64;
        let points: f64 = self.values().map(|(score, count)| score * count).sum();
        (pairs > 0.0).then(|| points / pairs)
    }

    /// Standard error of the mean score of a game; `None` while all pairs ended alike, because a sample
    /// without variance does not show the variance.
    pub fn error(&self) -> Option<f64> {
        let mean = self.mean()?;
        let pairs = self.pairs() as f64;
        let squares = self
            .values()
            .map(|(score, count)| count * (score - mean).powi(2));
        let squares: f64 = squares.sum();
        (squares > 0.0).then(|| (squares / (pairs - 1.0) / pairs).sqrt())
    }

    /// Scores of a pair, 0 to 1, each with its number of pairs.
    fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        let counts = self.0.iter().enumerate();
        counts.map(|(index, count)| (index as f64 / 4.0, *count as f64))
    }

    fn freedom(&self) -> f64 {
        self.pairs() as f64 - 1.0
    }

    /// The Elo difference; `None` before the first pair, and while only wins or only losses were seen.
    pub fn elo(&self) -> Option<EloEstimate> {
        let mean = self.mean()?;
        if mean <= 0.0 || mean >= 1.0 {
            return None;
        }
        let superiority = |error| 1.0 - student::upper_tail((mean - 0.5) / error, self.freedom());
        Some(EloEstimate {
            elo: elo_of_score(mean),
            interval: self.interval().map(|of_score| Interval {
                low: elo_of_score(of_score.low),
                high: elo_of_score(of_score.high),
            }),
            superiority: self.error().map(superiority),
        })
    }

    /// The 95 % interval of the mean score of a game; `None` while all pairs ended alike. It is Wilson's for as many
    /// independent games as would have the same standard error, with Student's quantile (Dean and Pagano 2015,
    /// Journal of Survey Statistics and Methodology 3). An interval around the mean misses too often near 0 and 1.
    pub fn interval(&self) -> Option<Interval> {
        let (mean, error) = (self.mean()?, self.error()?);
        let games = mean * (1.0 - mean) / (error * error);
        let quantile = student::quantile(self.freedom());
        Some(wilson_of_share(mean, games, quantile))
    }

    /// The mean score in per cent with its 95 % interval, or dashes where they are unknown.
    pub fn score_in_words(&self) -> String {
        let Some(mean) = self.mean() else {
            return "—".to_owned();
        };
        let interval = match self.interval() {
            Some(Interval { low, high }) => format!("{:.1}, {:.1}", 100.0 * low, 100.0 * high),
            None => "—".to_owned(),
        };
        format!("{:.1}% [{interval}]", 100.0 * mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::function::factorial::ln_factorial;

    #[test]
    fn elo_is_logistic() {
        assert!((elo_of_score(0.75) - 190.848).abs() < 1e-3);
        assert!((score_of_elo(190.848) - 0.75).abs() < 1e-6);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(-0.1), f64::NEG_INFINITY);
        assert!(elo_of_score(0.5).is_sign_positive(), "no -0");
    }

    #[test]
    fn elo_follows_from_the_mean_of_pairs() {
        // A finished test of the Stockfish project, checked by hand.
        let pairs = Pentanomial([127, 4883, 10712, 5150, 104]);
        let mean = pairs.mean().expect("pairs");
        let n = 20976.0;
        let by_hand = (4883.0 * 0.25 + 10712.0 * 0.5 + 5150.0 * 0.75 + 104.0) / n;
        assert!((mean - by_hand).abs() < 1e-12);
        let elo = pairs.elo().expect("pairs");
        assert!((elo.elo - 1.826).abs() < 0.01, "{elo:?}");
        let high = elo.interval.expect("an interval").high;
        assert!((high - elo.elo - 1.96 * 0.001_247_462 * 694.9).abs() < 0.01);
        assert!(elo.superiority > Some(0.98));
    }

    /// Probability of `pairs` of independent games without draws, each of which is lost with probability `loss`.
    fn probability(pairs: Pentanomial, loss: f64) -> f64 {
        let [none, _, one, _, two] = pairs.0;
        let chances = [loss * loss, 2.0 * loss * (1.0 - loss), (1.0 - loss).powi(2)];
        let counts = [none, one, two];
        let arrangements =
            ln_factorial(pairs.pairs()) - counts.map(ln_factorial).iter().sum::<f64>();
        let logarithms = counts
            .iter()
            .zip(chances)
            .map(|(count, chance)| *count as f64 * chance.ln());
        (arrangements + logarithms.sum::<f64>()).exp()
    }

    #[test]
    fn intervals_of_lopsided_scores_cover_the_true_score_as_often_as_they_say() {
        for (pairs, loss) in [(100, 0.015), (200, 0.02), (100, 0.05), (40, 0.1), (30, 0.5)] {
            let (mut shown, mut covered) = (0.0, 0.0);
            for lost in 0..=pairs {
                for split in 0..=pairs - lost {
                    let pairs = Pentanomial([lost, 0, split, 0, pairs - lost - split]);
                    let Some(interval) = pairs.interval() else {
                        continue;
                    };
                    let probability = probability(pairs, loss);
                    shown += probability;
                    if (interval.low..=interval.high).contains(&(1.0 - loss)) {
                        covered += probability;
                    }
                }
            }
            let coverage: f64 = covered / shown;
            assert!(coverage > 0.94, "{pairs} pairs, {loss}: {coverage}");
        }
    }

    #[test]
    fn one_lost_game_of_many_leaves_a_wide_interval() {
        let pairs = Pentanomial([0, 0, 1, 0, 99]);
        assert_eq!(pairs.score_in_words(), "99.5% [97.2, 99.9]");
        let elo = pairs.elo().expect("pairs").interval.expect("an interval");
        assert!((elo.low - 614.035).abs() < 0.001, "{elo:?}");
        assert!((elo.high - 1_225.047).abs() < 0.001, "{elo:?}");
    }

    #[test]
    fn pairs_that_all_ended_alike_have_no_interval() {
        let even = Pentanomial([0, 0, 50, 0, 0]);
        let elo = even.elo().expect("pairs");
        assert_eq!((elo.elo, elo.interval, elo.superiority), (0.0, None, None));
        assert_eq!(even.score_in_words(), "50.0% [—]");
        // Only losses or only wins, in one pair or many.
        for pairs in [[1, 0, 0, 0, 0], [40, 0, 0, 0, 0], [0, 0, 0, 0, 7]] {
            assert_eq!(Pentanomial(pairs).elo(), None, "{pairs:?}");
            assert_eq!(Pentanomial(pairs).error(), None, "{pairs:?}");
        }
        assert_eq!(Pentanomial([1, 0, 0, 0, 0]).score_in_words(), "0.0% [—]");
        let two = Pentanomial([1, 0, 0, 0, 1]);
        assert_eq!(
            two.score_in_words(),
            "50.0% [0.2, 99.8]",
            "no score is beyond"
        );
        let many = Pentanomial([10, 0, 80, 0, 10]);
        assert_eq!(many.score_in_words(), "50.0% [45.6, 54.4]");
        // The standard error is 0.074536, and Student's quantile with nine degrees of freedom 2.262157.
        let few = Pentanomial([1, 0, 8, 0, 1]);
        assert_eq!(few.score_in_words(), "50.0% [34.0, 66.0]");
        let ahead = Pentanomial([0, 1, 2, 1, 1]).elo().expect("pairs");
        let superiority = ahead.superiority.expect("they differ");
        assert!((superiority - 0.761_689_666).abs() < 1e-6, "{superiority}");
        assert_eq!(Pentanomial::default().elo(), None);
        assert_eq!(Pentanomial::default().score_in_words(), "—");
    }
}
