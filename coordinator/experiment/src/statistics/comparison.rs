//! Comparisons of two scores with each other.

use super::{
    GameTally,
    interval::{Interval, wilson},
    significance::{Stars, stars_of_p},
    student,
};
use statrs::{
    distribution::{DiscreteCDF, Hypergeometric},
    function::erf::erfc,
};
use std::collections::BTreeMap;

/// Wins and losses that both scores must be expected to have for the normal approximation (Cochran 1954).
const LEAST_EXPECTED: f64 = 5.0;

/// A score beside that of a base, with the difference of their win rates among decided games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Win rate minus that of the base.
    pub difference: f64,
    /// Its 95 % interval, from Wilson's of both rates (Newcombe 1998, Statistics in Medicine 17, pages 873 to 890,
    /// method 10).
    pub interval: Interval,
    /// Statistic of the pooled two-proportion test.
    pub z: f64,
    /// One-sided p of a win rate as much above that of the base: of this z, or of Fisher's exact test.
    pub p: f64,
    /// The p is that of Fisher's exact test, since too few wins or losses are expected for the z.
    pub is_exact: bool,
    /// The p, corrected for the number of planned comparisons (Holm); the p itself until they are known.
    pub holm_p: f64,
    /// The mark of the p, as in Ito et al. (2011), table 6.
    pub stars: Stars,
}

/// Compares a score with that of a base; `None` where one of them has no decided game.
pub fn compare(score: &GameTally, base: &GameTally) -> Option<Comparison> {
    let (rate, base_rate) = (score.win_rate()?, base.win_rate()?);
    let (n, base_n) = (score.decided() as f64, base.decided() as f64);
    let difference = rate - base_rate;
    let pooled = (score.wins + base.wins) as f64 / (n + base_n);
    let z = match pooled * (1.0 - pooled) * (1.0 / n + 1.0 / base_n) {
        // Only wins, or only losses, on both sides.
        0.0 => 0.0,
        variance => difference / variance.sqrt(),
    };
    let is_exact = n.min(base_n) * pooled.min(1.0 - pooled) < LEAST_EXPECTED;
    let p = match is_exact {
        true => fisher(score, base),
        false => upper_tail(z),
    };
    Some(Comparison {
        difference,
        interval: newcombe(score, base, difference),
        z,
        p,
        is_exact,
        holm_p: p,
        stars: stars_of_p(p),
    })
}

/// The 95 % interval of a difference of two win rates, which is never narrower than one rate lets it be.
fn newcombe(score: &GameTally, base: &GameTally, difference: f64) -> Interval {
    let sides = [score, base].map(|tally| {
        let Interval { low, high } = wilson(tally.wins, tally.decided());
        let rate = tally.wins as f64 / tally.decided() as f64;
        (rate - low, high - rate)
    });
    let [(below, above), (base_below, base_above)] = sides;
    Interval {
        low: difference - below.hypot(base_above),
        high: difference + above.hypot(base_below),
    }
}

/// Probability of as many wins or more of `score`, given those of both together (Fisher's exact test).
fn fisher(score: &GameTally, base: &GameTally) -> f64 {
    let all = score.decided() + base.decided();
    let wins = score.wins + base.wins;
    match (score.wins, Hypergeometric::new(all, wins, score.decided())) {
        (0, _) | (_, Err(_)) => 1.0,
        (least, Ok(chances)) => chances.sf(least - 1),
    }
}

/// The difference of two scores on the pairs that both have played, from the same openings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedComparison {
    /// Pairs that both have.
    pub pairs: u64,
    /// Mean difference of the score of a game, between -1 and 1.
    pub difference: f64,
    /// Its 95 % interval by Student's t; `None` where all pairs differ alike.
    pub interval: Option<Interval>,
    /// One-sided p of a score as much above that of the base, by Student's t; `None` without an interval.
    pub p: Option<f64>,
    /// The p, corrected for the number of planned comparisons (Holm); the p itself until they are known.
    pub holm_p: Option<f64>,
}

/// Compares half points of pairs, by their numbers, with those of a base; `None` where they share fewer
/// than two pairs.
pub fn compare_pairs(
    pairs: &BTreeMap<u32, u32>,
    base: &BTreeMap<u32, u32>,
) -> Option<PairedComparison> {
    let differences: Vec<f64> = pairs
        .iter()
        .filter_map(|(number, points)| Some((*points, *base.get(number)?)))
        // Four half points are the score 1.
        .map(|(ours, theirs)| (f64::from(ours) - f64::from(theirs)) / 4.0)
        .collect();
    let count = differences.len();
    if count < 2 {
        return None;
    }
    let n = count as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|one| (one - mean).powi(2)).sum();
    let deviation = (squares / (n - 1.0) / n).sqrt();
    let is_known = deviation > 0.0;
    let p = is_known.then(|| student::upper_tail(mean / deviation, n - 1.0));
    Some(PairedComparison {
        pairs: count as u64,
        difference: mean,
        interval: is_known.then(|| around(mean, student::quantile(n - 1.0) * deviation)),
        p,
        holm_p: p,
    })
}

fn around(centre: f64, half_width: f64) -> Interval {
    Interval {
        low: centre - half_width,
        high: centre + half_width,
    }
}

/// Probability of a value above `z` under N(0, 1).
fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(wins: u64, losses: u64) -> GameTally {
        GameTally {
            wins,
            draws: 0,
            losses,
        }
    }

    #[test]
    fn the_marks_of_table_6_are_those_of_the_pooled_test() {
        use Stars::{None, One, Two};
        // M = 1 without noise: 46.6 % of 2,000 games; then M = 3 and M = 8 of 1,000 games each, in 0.1 %, and
        // M = 1 with noise, which has no mark.
        let base = tally(932, 1068);
        for (wins, mark) in [
            (500, One),
            (487, None),
            (528, Two),
            (509, One),
            (516, Two),
            (525, Two),
            (514, Two),
            (525, Two),
            (532, Two),
            (554, Two),
            (505, One),
            (535, Two),
            (456, None),
            (478, None),
            (482, None),
            (419, None),
            (414, None),
            (410, None),
        ] {
            let compared = compare(&tally(wins, 1000 - wins), &base).expect("games");
            assert_eq!(compared.stars, mark, "{wins}: {compared:?}");
        }
    }

    #[test]
    fn differences_have_their_textbook_values() {
        // 60 of 100 against 45 of 100: pooled share 0.525.
        let compared = compare(&tally(60, 40), &tally(45, 55)).expect("games");
        assert!((compared.difference - 0.15).abs() < 1e-12);
        assert!((compared.z - 2.123_977).abs() < 1e-5, "{compared:?}");
        assert!((compared.p - 0.016_836).abs() < 1e-5, "{compared:?}");
        assert_eq!(compare(&tally(0, 0), &tally(1, 0)), Option::None);
        let alike = compare(&tally(5, 0), &tally(7, 0)).expect("games");
        assert_eq!((alike.z, alike.p), (0.0, 1.0));
    }

    #[test]
    fn intervals_of_differences_are_the_published_ones() {
        // Newcombe 1998 (Statistics in Medicine 17, pages 873 to 890), table II, method 10.
        for (score, base, low, high) in [
            (tally(56, 14), tally(48, 32), 0.0524, 0.3339),
            (tally(9, 1), tally(3, 7), 0.1705, 0.8090),
            (tally(10, 0), tally(0, 20), 0.6791, 1.0),
            (tally(10, 0), tally(0, 10), 0.6075, 1.0),
        ] {
            let Interval { low: l, high: h } = compare(&score, &base).expect("games").interval;
            assert!((l - low).abs() < 5e-5 && (h - high).abs() < 5e-5, "{l} {h}");
        }
        // Two games say next to nothing, whichever way they ended.
        let few = compare(&tally(2, 0), &tally(50, 50)).expect("games");
        assert!(few.interval.low < 0.0 && few.interval.high > 0.5, "{few:?}");
    }

    #[test]
    fn few_wins_or_losses_are_compared_by_the_exact_test() {
        // Sums of hypergeometric chances in whole numbers.
        for (score, base, p) in [
            (tally(200, 0), tally(196, 4), 0.061_561_334),
            (tally(3, 7), tally(9, 1), 0.999_642_772),
            (tally(0, 9), tally(1, 9), 1.0),
        ] {
            let compared = compare(&score, &base).expect("games");
            assert!(compared.is_exact, "{compared:?}");
            assert!((compared.p - p).abs() < 1e-8, "{compared:?}");
        }
        // Five losses are expected in each.
        assert!(
            !compare(&tally(96, 4), &tally(94, 6))
                .expect("games")
                .is_exact
        );
    }

    #[test]
    fn pairs_are_compared_by_their_numbers() {
        let pairs = |points: &[(u32, u32)]| points.iter().copied().collect::<BTreeMap<_, _>>();
        let ours = pairs(&[(0, 4), (1, 2), (2, 3), (3, 1), (9, 4)]);
        let base = pairs(&[(0, 2), (1, 2), (2, 2), (3, 2), (7, 0)]);
        let compared = compare_pairs(&ours, &base).expect("four pairs");
        // The differences are 0.5, 0, 0.25 and -0.25: mean 0.125, standard error 0.161374.
        assert_eq!(compared.pairs, 4);
        assert!((compared.difference - 0.125).abs() < 1e-12);
        let interval = compared.interval.expect("they differ");
        // Student's t with three degrees of freedom: 3.182446 is the quantile, 0.774597 the statistic.
        assert!((interval.high - 0.638_564).abs() < 1e-5, "{interval:?}");
        let p = compared.p.expect("they differ");
        assert!((p - 0.247_513).abs() < 1e-4, "{p}");
        let same = compare_pairs(&base, &base).expect("five pairs");
        assert_eq!(
            (same.difference, same.interval, same.p),
            (0.0, Option::None, Option::None)
        );
        assert_eq!(compare_pairs(&pairs(&[(0, 1)]), &base), Option::None);
    }
}
