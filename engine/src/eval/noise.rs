//! Evaluation noise: N(0, σ²), a function of the player's seed and the position's key alone (Ito et al.
//! 2011, section 2). It does not depend on the order of a search, and a position always gets the same
//! noise.

use crate::random::spread;
use std::sync::Arc;

/// Number of entries in the table of normal values.
const ENTRIES: usize = 4096;

/// Fixed-point unit of the table.
const UNIT: f64 = 65536.0;

/// Error of a standard deviation out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("sigma must be 0 or a number of centipawns from {least} to {most}, not {given}", least = Noise::MIN_SIGMA, most = Noise::MAX_SIGMA)]
pub struct NoiseError {
    /// The given standard deviation.
    pub given: f64,
}

/// Normally distributed noise of one player in one game.
///
/// Each value is the sum of two independent entries of a stratified table of N(0, σ²/2). Sums of
/// normal values are normal, and 4096² sums keep the tails that one small table would cut off. The
/// table is computed from integers with `libm`, so that it is the same on every machine and in every
/// version. A draw from `rand_distr` for every evaluation would cost several times as much
/// (`benches/noise.rs`; docs/BENCHMARKS.md), so `rand_distr` is the reference in the tests.
#[derive(Clone, Debug)]
pub struct Noise {
    seed: u64,
    /// Values of N(0, σ²/2) in 1/65536 centipawn; empty when σ is 0.
    table: Arc<[i32]>,
}

impl Noise {
    /// Smallest σ but 0, in centipawns: noise on evaluations is rounded to whole ones, and of less hardly anything
    /// would be left.
    pub const MIN_SIGMA: f64 = 0.25;

    /// Largest σ, in centipawns.
    pub const MAX_SIGMA: f64 = 4000.0;

    /// Checks a standard deviation in centipawns.
    ///
    /// # Errors
    /// It is out of range or not a number.
    pub fn check(sigma: f64) -> Result<(), NoiseError> {
        match sigma == 0.0 || (Self::MIN_SIGMA..=Self::MAX_SIGMA).contains(&sigma) {
            true => Ok(()),
            false => Err(NoiseError { given: sigma }),
        }
    }

    /// Creates noise with a standard deviation of `sigma` centipawns; 0 for none.
    ///
    /// # Errors
    /// σ is out of range or not a number.
    pub fn new(sigma: f64, seed: u64) -> Result<Self, NoiseError> {
        Self::check(sigma)?;
        let scale = sigma / std::f64::consts::SQRT_2 * UNIT;
        let table = if sigma == 0.0 {
            Arc::default()
        } else {
            standard_normal_strata()
                .iter()
                .map(|value| libm::round(value * scale) as i32)
                .collect()
        };
        Ok(Self { seed, table })
    }

    /// Changes the seed.
    pub fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Returns the noise of a position, in whole centipawns.
    #[inline]
    pub fn of(&self, key: u64) -> i32 {
        self.in_fractions::<0>(key)
    }

    /// Returns the same noise in units of 2^-`BITS` centipawns, at most 15 bits.
    #[inline]
    pub fn in_fractions<const BITS: u32>(&self, key: u64) -> i32 {
        if self.table.is_empty() {
            return 0;
        }
        let bits = spread(key ^ self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let one = self.table[(bits >> 52) as usize % ENTRIES];
        let two = self.table[(bits >> 40) as usize % ENTRIES];
        (one + two + (1 << (15 - BITS))) >> (16 - BITS)
    }
}

/// Returns the quantiles of N(0, 1) at the middles of equally likely intervals, scaled to variance 1.
fn standard_normal_strata() -> Vec<f64> {
    let half: Vec<f64> = (0..ENTRIES / 2)
        .map(|i| quantile(0.5 + (i as f64 + 0.5) / ENTRIES as f64))
        .collect();
    let square_sum: f64 = half.iter().map(|value| value * value).sum();
    let deviation = libm::sqrt(2.0 * square_sum / ENTRIES as f64);
    let scaled = half.iter().map(|value| value / deviation);
    scaled
        .clone()
        .map(|value| -value)
        .rev()
        .chain(scaled)
        .collect()
}

/// Returns the quantile of N(0, 1) for the probability `p`, 0.5 ≤ p < 1, by Newton's method.
fn quantile(p: f64) -> f64 {
    let mut x = 0.0;
    for _ in 0..40 {
        let below = 1.0 - 0.5 * libm::erfc(x / std::f64::consts::SQRT_2);
        let density = libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI);
        let step = ((p - below) / density).clamp(-0.5, 0.5);
        x += step;
        if step.abs() < 1e-13 {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::SmallRng};
    use rand_distr::{Distribution, Normal};

    fn sample(sigma: f64, seed: u64, count: u64) -> Vec<f64> {
        let noise = Noise::new(sigma, seed).unwrap();
        (0..count)
            .map(|key| f64::from(noise.of(spread(key))))
            .collect()
    }

    fn share_within(values: &[f64], bound: f64) -> f64 {
        values.iter().filter(|value| value.abs() <= bound).count() as f64 / values.len() as f64
    }

    #[test]
    fn values_are_normally_distributed() {
        let values = sample(200.0, 42, 400_000);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        assert!(mean.abs() < 1.0, "mean {mean}");
        assert!(
            (variance.sqrt() - 200.0).abs() < 1.0,
            "sigma {}",
            variance.sqrt()
        );
        for (sigmas, expected) in [(1.0, 0.682_69), (2.0, 0.954_50), (3.0, 0.997_30)] {
            let share = share_within(&values, sigmas * 200.0);
            assert!((share - expected).abs() < 0.003, "{sigmas} sigma: {share}");
        }
    }

    /// Kolmogorov and Smirnov's test of two samples at the level of 0.1 %.
    #[test]
    fn values_are_distributed_as_those_of_rand_distr() {
        const COUNT: usize = 100_000;
        let mut ours: Vec<f64> = sample(1000.0, 3, COUNT as u64);
        let normal = Normal::new(0.0, 1000.0).unwrap();
        let generator = SmallRng::seed_from_u64(3);
        let mut theirs: Vec<f64> = normal.sample_iter(generator).take(COUNT).collect();
        ours.sort_by(f64::total_cmp);
        theirs.sort_by(f64::total_cmp);
        let distance = |at: usize| {
            let below = theirs.partition_point(|value| *value <= ours[at]);
            (at as f64 - below as f64).abs() / COUNT as f64
        };
        let largest = (0..COUNT).map(distance).fold(0.0, f64::max);
        let bound = 1.949 * (2.0 / COUNT as f64).sqrt();
        assert!(largest < bound, "{largest} exceeds {bound}");
    }

    #[test]
    fn seeds_give_independent_noise() {
        let one = sample(100.0, 1, 100_000);
        let two = sample(100.0, 2, 100_000);
        let product: f64 = one.iter().zip(&two).map(|(a, b)| a * b).sum();
        let correlation = product / (one.len() as f64 * 100.0 * 100.0);
        assert!(correlation.abs() < 0.015, "correlation {correlation}");
    }

    #[test]
    fn the_same_seed_and_key_give_the_same_value_on_every_machine() {
        let noise = Noise::new(50.0, 7).unwrap();
        let values: Vec<i32> = (0..6).map(|key| noise.of(key)).collect();
        assert_eq!(values, [3, 13, -23, -32, -68, 12]);
    }

    #[test]
    fn zero_sigma_gives_no_noise_and_nonsense_is_refused() {
        assert_eq!(Noise::new(0.0, 7).unwrap().of(99), 0);
        for sigma in [-1.0, f64::NAN, f64::INFINITY, 5000.0, 0.2] {
            assert!(Noise::new(sigma, 1).is_err());
        }
        let error = Noise::new(0.2, 1).unwrap_err().to_string();
        let expected = "sigma must be 0 or a number of centipawns from 0.25 to 4000, not 0.2";
        assert_eq!(error, expected);
    }

    /// Rounding takes away what it adds, as long as σ is not far below its unit.
    #[test]
    fn small_noise_keeps_its_deviation() {
        let deviation = |values: &[f64]| {
            let squares: f64 = values.iter().map(|value| value * value).sum();
            (squares / values.len() as f64).sqrt()
        };
        let least = deviation(&sample(Noise::MIN_SIGMA, 5, 100_000));
        assert!((0.19..0.25).contains(&least), "{least}");
        let noise = Noise::new(Noise::MIN_SIGMA, 5).unwrap();
        let fine: Vec<f64> = (0..100_000)
            .map(|key| f64::from(noise.in_fractions::<4>(spread(key))) / 16.0)
            .collect();
        let fine = deviation(&fine);
        assert!((0.247..0.253).contains(&fine), "{fine}");
        // Sixteenths are the same noise, told more finely.
        let noise = Noise::new(50.0, 7).unwrap();
        let coarse =
            |key| f64::from(noise.of(key)) - f64::from(noise.in_fractions::<4>(key)) / 16.0;
        assert!((0..1_000).all(|key| coarse(key).abs() <= 0.5 + 1.0 / 32.0));
    }
}
