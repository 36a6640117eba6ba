//! Confidence intervals of proportions.

/// The quantile of N(0, 1) for a two-sided 95 % interval.
pub const Z95: f64 = 1.959_963_984_540_054;

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Wilson's score interval of `successes` among `trials` at 95 % (Wilson 1927); the whole range
/// without trials.
pub fn wilson(successes: u64, trials: u64) -> Interval {
    if trials == 0 {
        return Interval {
            low: 0.0,
            high: 1.0,
        };
    }
    let n = trials as f64;
    wilson_of_share(successes as f64 / n, n, Z95)
}

/// Wilson's score interval of a share of `n` trials, which need not be a whole number, for a quantile of its own.
pub(super) fn wilson_of_share(share: f64, n: f64, quantile: f64) -> Interval {
    let square = quantile * quantile;
    let centre = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half =
        quantile / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    Interval {
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wilson_gives_the_published_intervals() {
        // Newcombe 1998 (Statistics in Medicine 17), table I, method 3.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(successes, trials);
            assert!((interval.low - low).abs() < 5e-5, "{interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{interval:?}");
        }
    }

    proptest! {
        #[test]
        fn the_share_lies_within(successes in 0_u64..2000, failures in 0_u64..2000) {
            let trials = successes + failures;
            let interval = wilson(successes, trials);
            prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
            if trials > 0 {
                let share = successes as f64 / trials as f64;
                prop_assert!(interval.low <= share + 1e-12 && share <= interval.high + 1e-12);
            }
        }
    }
}
