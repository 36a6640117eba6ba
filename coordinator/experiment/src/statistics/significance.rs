//! One-sided tests of the hypothesis that the first side is stronger, on the decided games.

use statrs::function::{beta::beta_reg, erf::erfc};
use std::fmt;

/// Marks of significance, as in Ito et al. (2011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stars {
    /// Not significant.
    None,
    /// `*`: at 5 %.
    One,
    /// `**`: at 1 %.
    Two,
}

impl fmt::Display for Stars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "",
            Self::One => "*",
            Self::Two => "**",
        })
    }
}

/// One-sided p of at least `wins` among `decided` even games, by the normal approximation without
/// continuity correction, which the marks of Ito et al. (2011) (section 3.1) use.
pub fn normal_p(wins: u64, decided: u64) -> f64 {
    if decided == 0 {
        return 1.0;
    }
    let n = decided as f64;
    let z = (wins as f64 - n / 2.0) / (n / 4.0).sqrt();
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// Exact one-sided p of at least `wins` among `decided` even games.
pub fn binomial_p(wins: u64, decided: u64) -> f64 {
    if wins == 0 {
        return 1.0;
    }
    // P(X >= k) of the binomial distribution is the regularised incomplete beta function.
    beta_reg(wins as f64, (decided - wins.min(decided)) as f64 + 1.0, 0.5)
}

/// Mark of a score.
pub fn stars(wins: u64, decided: u64) -> Stars {
    stars_of_p(normal_p(wins, decided))
}

/// Mark of a one-sided p.
pub(super) fn stars_of_p(p: f64) -> Stars {
    match p {
        p if p < 0.01 => Stars::Two,
        p if p < 0.05 => Stars::One,
        _ => Stars::None,
    }
}

/// Holm's step-down correction of several p values (Holm 1979), in their order, for a grid that asks
/// many questions at once.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        largest = largest.max((p_values[index] * factor).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_of_the_paper_are_527_and_537_of_1000() {
        assert_eq!(stars(526, 1000), Stars::None);
        assert_eq!(stars(527, 1000), Stars::One);
        assert_eq!(stars(536, 1000), Stars::One);
        assert_eq!(stars(537, 1000), Stars::Two);
    }

    #[test]
    fn exact_p_values_are_those_of_the_binomial_distribution() {
        assert!((binomial_p(527, 1000) - 0.0468).abs() < 5e-5);
        assert!((binomial_p(537, 1000) - 0.0105).abs() < 5e-5);
        assert!(
            binomial_p(538, 1000) < 0.01,
            "the exact 1 % mark is one more"
        );
        assert!((binomial_p(9, 10) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((binomial_p(10, 10) - 1.0 / 1024.0).abs() < 1e-12);
        assert_eq!(binomial_p(0, 0), 1.0);
    }

    #[test]
    fn holm_steps_down() {
        // Worked example: 0.01, 0.04, 0.03, 0.005 at four tests.
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (value, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((value - expected).abs() < 1e-12, "{corrected:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
