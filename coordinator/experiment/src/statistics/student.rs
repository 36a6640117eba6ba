//! Student's distribution: of a mean over its standard error, where the sample itself has to show the variance.

use super::interval::Z95;
use statrs::function::beta::{beta_reg, inv_beta_reg};

/// Degrees of freedom beyond which the quantile is near that of N(0, 1).
const MANY: f64 = 1_000.0;

/// Probability of a value above `t` under Student's distribution (Student 1908).
pub fn upper_tail(t: f64, degrees_of_freedom: f64) -> f64 {
    let share = degrees_of_freedom / (degrees_of_freedom + t * t);
    let beyond = 0.5 * beta_reg(degrees_of_freedom / 2.0, 0.5, share);
    match t < 0.0 {
        true => 1.0 - beyond,
        false => beyond,
    }
}

/// The quantile of Student's distribution for a two-sided 95 % interval.
pub fn quantile(degrees_of_freedom: f64) -> f64 {
    if degrees_of_freedom > MANY {
        // Abramowitz and Stegun, 26.7.5. The inverse of the incomplete beta function is wrong at ten million.
        let over = degrees_of_freedom.recip();
        let first = (Z95.powi(3) + Z95) / 4.0;
        let second = (5.0 * Z95.powi(5) + 16.0 * Z95.powi(3) + 3.0 * Z95) / 96.0;
        return Z95 + first * over + second * over * over;
    }
    let share = inv_beta_reg(degrees_of_freedom / 2.0, 0.5, 0.05);
    (degrees_of_freedom * (1.0 - share) / share).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_tails_of_student_are_those_of_the_tables() {
        for (freedom, of_table) in [
            (1.0, 12.706_205),
            (3.0, 3.182_446),
            (9.0, 2.262_157),
            (79.0, 1.990_450),
            (1_000.0, 1.962_339),
            (1_001.0, 1.962_337),
            (9_999.0, 1.960_201),
            (10_000_000.0, 1.959_964),
        ] {
            let found = quantile(freedom);
            assert!((found - of_table).abs() < 1e-5, "{freedom}: {found}");
            let tail = upper_tail(of_table, freedom);
            assert!((tail - 0.025).abs() < 1e-7, "{freedom}: {tail}");
            let below = upper_tail(-of_table, freedom);
            assert!((below - 0.975).abs() < 1e-7, "{freedom}: {below}");
        }
        assert!((upper_tail(0.0, 5.0) - 0.5).abs() < 1e-12);
    }
}
