//! Sequential testing: Wald's sequential probability ratio test, generalised to pairs of games
//! whose distribution is not known but for its mean (Van den Bergh, "A practical introduction to
//! the GSPRT") or for its mean over its deviation ("Comments on normalized Elo").

use super::pentanomial::{Pentanomial, score_of_elo};
use serde::Deserialize;
use strum::IntoStaticStr;

/// Quantity that the hypotheses are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum EloModel {
    /// The mean score, as logistic Elo.
    Logistic,
    /// The mean score over its standard deviation, which needs the same number of games at any rate of
    /// drawn games.
    #[default]
    Normalized,
}

impl EloModel {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A test of "the difference is `elo0`" against "it is `elo1`".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Quantity that the hypotheses are about.
    pub model: EloModel,
    /// Difference under the hypothesis that a successful test rejects.
    pub elo0: f64,
    /// Difference under the hypothesis that a successful test accepts.
    pub elo1: f64,
    /// Probability of accepting `elo1` where `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` where `elo1` is true.
    pub beta: f64,
    /// Pairs before which it never ends.
    pub minimum_pairs: u32,
}

/// A number of a sequential test makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SprtError {
    /// Name of the number, as a field of [`Sprt`].
    pub number: &'static str,
    what: &'static str,
}

impl Sprt {
    /// Checks that the numbers make a test.
    ///
    /// # Errors
    /// The first number that makes no sense.
    pub fn check(&self) -> Result<(), SprtError> {
        /// Largest difference for which normalized Elo has a distribution for every result.
        const MOST_NORMALIZED: f64 = 200.0;
        /// Largest difference for which logistic Elo has one: beyond some 6,300 the mean score would be 1.
        const MOST_LOGISTIC: f64 = 2_000.0;
        let wrong = |number, what| Err(SprtError { number, what });
        for (number, value) in [("elo0", self.elo0), ("elo1", self.elo1)] {
            if !value.is_finite() {
                return wrong(number, "an Elo difference is a finite number");
            }
            if self.model == EloModel::Normalized && value.abs() > MOST_NORMALIZED {
                let what = "normalized Elo lies between -200 and 200; for more, model = \"logistic\" or --logistic";
                return wrong(number, what);
            }
            if self.model == EloModel::Logistic && value.abs() > MOST_LOGISTIC {
                return wrong(number, "logistic Elo lies between -2000 and 2000");
            }
        }
        if self.elo0 >= self.elo1 {
            return wrong("elo1", "elo1 must be greater than elo0");
        }
        for (number, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return wrong(number, "an error probability lies between 0 and 0.5");
            }
        }
        Ok(())
    }
}

/// Verdict of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SprtVerdict {
    /// More pairs are needed.
    #[default]
    Undecided,
    /// `elo1` is accepted.
    Accepted,
    /// `elo0` is accepted.
    Rejected,
}

/// Normalized Elo of one standard deviation a game.
const NORMALIZED_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// Default of [`Sprt::minimum_pairs`]: the likelihood of a few pairs says little about their distribution.
pub const MINIMUM_PAIRS: u32 = 10;

/// Replacement for a count of 0, so that no result is impossible.
const REGULAR: f64 = 1e-3;

impl Sprt {
    /// The table `[stop]` of a specification.
    pub fn table(&self) -> toml::Table {
        let numbers = [
            ("elo0", self.elo0),
            ("elo1", self.elo1),
            ("alpha", self.alpha),
            ("beta", self.beta),
        ];
        let numbers = numbers.map(|(key, value)| (key.to_owned(), toml::Value::Float(value)));
        let model = ("model".to_owned(), self.model.name().into());
        let minimum = i64::from(self.minimum_pairs).into();
        let minimum = ("minimum_pairs".to_owned(), minimum);
        [model, minimum].into_iter().chain(numbers).collect()
    }

    /// The test in words, such as `normalized Elo 0 against 10, α = 0.05, β = 0.05, from 10 pairs on`.
    pub fn in_words(&self) -> String {
        format!(
            "{} Elo {} against {}, α = {}, β = {}, from {} pairs on",
            self.model.name(),
            self.elo0,
            self.elo1,
            self.alpha,
            self.beta,
            self.minimum_pairs
        )
    }

    /// Log-likelihood ratios at which the test ends: rejection at the lower, acceptance at the upper.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// Log-likelihood ratio of the pairs; 0 without any.
    pub fn ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| (count as f64).max(REGULAR));
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => with_mean(&shares, score_of_elo(elo)),
            EloModel::Normalized => {
                // The mean of two games has a standard deviation smaller by the root of two.
                with_ratio(&shares, elo / NORMALIZED_UNIT * std::f64::consts::SQRT_2)
            }
        });
        let gains = (0..5).map(|index| shares[index] * (under1[index] / under0[index]).ln());
        total * gains.sum::<f64>()
    }

    /// Verdict after these pairs.
    pub fn verdict(&self, pairs: &Pentanomial) -> SprtVerdict {
        if pairs.pairs() < u64::from(self.minimum_pairs) {
            return SprtVerdict::Undecided;
        }
        let (lower, upper) = self.bounds();
        match self.ratio(pairs) {
            ratio if ratio >= upper => SprtVerdict::Accepted,
            ratio if ratio <= lower => SprtVerdict::Rejected,
            _ => SprtVerdict::Undecided,
        }
    }
}

/// A pair that is over: its number, and the half points of the first side, or `None` for a pair that was
/// given up.
pub type PairOutcome = (u32, Option<u32>);

/// A test that goes through the pairs of a cell in order of their numbers, so that pairs that finish
/// early wait for their turn. It continues where it stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SprtWalk {
    pairs: Pentanomial,
    next: u32,
    verdict: SprtVerdict,
}

impl SprtWalk {
    /// Number of the next pair to see.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// The pairs seen, without those that were given up.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Verdict after the pairs seen.
    pub fn verdict(&self) -> SprtVerdict {
        self.verdict
    }

    /// Goes through the outcomes from [`SprtWalk::next`] on, up to the first gap or the decision.
    pub fn advance(&mut self, sprt: &Sprt, outcomes: &[PairOutcome]) {
        for &(number, half_points) in outcomes {
            if self.verdict != SprtVerdict::Undecided || number != self.next {
                return;
            }
            self.next += 1;
            if let Some(half_points) = half_points {
                self.pairs.add(half_points);
                self.verdict = sprt.verdict(&self.pairs);
            }
        }
    }
}

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Maximum-likelihood distribution with this mean, given the observed shares.
fn with_mean(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    constrained(shares, &SCORES.map(|score| score - mean))
}

/// Maximum-likelihood distribution whose mean lies `ratio` standard deviations above one half. The
/// constraint is linearised around the last solution until the solution stays the same.
fn with_ratio(shares: &[f64; 5], ratio: f64) -> [f64; 5] {
    let mut solution = [0.2; 5];
    for _ in 0..50 {
        let mean: f64 = (0..5).map(|index| solution[index] * SCORES[index]).sum();
        let variance: f64 = (0..5)
            .map(|index| solution[index] * (SCORES[index] - mean).powi(2))
            .sum();
        let deviation = variance.sqrt();
        let values = SCORES.map(|score| {
            let bend = 1.0 + ((mean - score) / deviation).powi(2);
            score - 0.5 - 0.5 * ratio * deviation * bend
        });
        let next = constrained(shares, &values);
        let change = (0..5).map(|index| (next[index] - solution[index]).abs());
        let change = change.fold(0.0, f64::max);
        solution = next;
        if change < 1e-9 {
            break;
        }
    }
    solution
}

/// Maximum-likelihood distribution under which `values` have the mean 0: `share / (1 + t value)` for
/// the one t that satisfies it.
fn constrained(shares: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low >= 0.0 || high <= 0.0 {
        // No distribution on these values has the mean; keep the observed one.
        return *shares;
    }
    let slope = |t: f64| -> f64 {
        (0..5)
            .map(|index| shares[index] * values[index] / (1.0 + t * values[index]))
            .sum()
    };
    // Between the poles the sum decreases from +∞ to -∞.
    let (mut left, mut right) = (-1.0 / high, -1.0 / low);
    for _ in 0..200 {
        let middle = 0.5 * (left + right);
        if slope(middle) > 0.0 {
            left = middle;
        } else {
            right = middle;
        }
    }
    let t = 0.5 * (left + right);
    let mut solution = [0.0; 5];
    for index in 0..5 {
        solution[index] = shares[index] / (1.0 + t * values[index]);
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(model: EloModel, elo0: f64, elo1: f64) -> Sprt {
        Sprt {
            model,
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            minimum_pairs: 1,
        }
    }

    #[test]
    fn a_test_never_ends_before_its_minimum_of_pairs() {
        let early = test(EloModel::Logistic, 0.0, 200.0);
        let late = Sprt {
            minimum_pairs: 50,
            ..early
        };
        for half_points in [0, 4] {
            let outcomes: Vec<PairOutcome> =
                (0..60).map(|pair| (pair, Some(half_points))).collect();
            let ends = [early, late].map(|sprt| {
                let mut walk = SprtWalk::default();
                walk.advance(&sprt, &outcomes);
                (walk.verdict(), walk.next())
            });
            assert_ne!(ends[0].0, SprtVerdict::Undecided);
            assert!(ends[0].1 < 50, "{ends:?}");
            assert_eq!(ends[1], (ends[0].0, 50));
        }
    }

    #[test]
    fn a_difference_for_which_no_score_is_left_is_refused() {
        let check = |model, elo1| test(model, 0.0, elo1).check().map_err(|error| error.number);
        assert_eq!(check(EloModel::Logistic, 2_001.0), Err("elo1"));
        assert_eq!(check(EloModel::Normalized, 201.0), Err("elo1"));
        assert_eq!(check(EloModel::Normalized, 200.0), Ok(()));
        let largest = test(EloModel::Logistic, 0.0, 2_000.0);
        assert_eq!(largest.check(), Ok(()));
        let lost = Pentanomial([7, 0, 2, 0, 1]);
        assert_eq!(largest.verdict(&lost), SprtVerdict::Rejected);
    }

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = test(EloModel::Normalized, 0.0, 5.0).bounds();
        assert!((lower + 2.944).abs() < 1e-3 && (upper - 2.944).abs() < 1e-3);
    }

    #[test]
    fn ratios_are_those_of_published_tests() {
        // Finished tests of the Stockfish project as fastchess quotes them in its own test suite,
        // given there to two decimals.
        use EloModel::{Logistic, Normalized};
        for (model, elo0, elo1, pairs, expected) in [
            (Normalized, 0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25),
            (Normalized, -1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01),
            (Normalized, 0.0, 5.0, [0, 0, 0, 0, 5550], 111.82),
            (Logistic, 0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07),
        ] {
            let ratio = test(model, elo0, elo1).ratio(&Pentanomial(pairs));
            assert!(
                (ratio - expected).abs() < 0.01 * expected.abs() + 0.005,
                "{pairs:?}: {ratio}, expected {expected}"
            );
        }
    }

    #[test]
    fn a_mirrored_result_has_the_opposite_ratio() {
        let sprt = test(EloModel::Normalized, -5.0, 5.0);
        let one = sprt.ratio(&Pentanomial([3, 10, 20, 30, 9]));
        let other = sprt.ratio(&Pentanomial([9, 30, 20, 10, 3]));
        assert!((one + other).abs() < 1e-6 && one > 0.0);
        assert_eq!(sprt.ratio(&Pentanomial::default()), 0.0);
    }

    #[test]
    fn pairs_count_in_order_and_never_beyond_a_gap() {
        let sprt = test(EloModel::Logistic, 0.0, 200.0);
        let walk = |outcomes: &[PairOutcome]| {
            let mut walk = SprtWalk::default();
            walk.advance(&sprt, outcomes);
            walk
        };
        let all = |half_points| (0..200).map(|number| (number, half_points)).collect();
        let (wins, losses): (Vec<PairOutcome>, Vec<PairOutcome>) = (all(Some(4)), all(Some(0)));
        let won = walk(&wins);
        assert_eq!(won.verdict(), SprtVerdict::Accepted);
        assert!(won.next() < 100);
        assert_eq!(walk(&losses).verdict(), SprtVerdict::Rejected);

        let mut gap = walk(&[&wins[..2], &wins[3..]].concat());
        assert_eq!((gap.verdict(), gap.next()), (SprtVerdict::Undecided, 2));
        gap.advance(&sprt, &wins[2..]);
        assert_eq!(gap, won, "in parts or at once");

        let given_up = walk(&[&[(0, None)], &wins[1..]].concat());
        assert_eq!(given_up.verdict(), SprtVerdict::Accepted);
        assert_eq!(given_up.next(), won.next() + 1, "it does not count");
    }
}
