//! Cost of the evaluation noise beside a draw from `rand_distr`: `cargo bench -p monju-engine --bench noise`.
//!
//! Both are functions of (seed, key), as reproducible games need. Prints nanoseconds per value and the
//! ratio of each round; both are timed in turn, so that a machine that slows down slows both.

use monju_engine::eval::Noise;
use rand::{SeedableRng, rngs::SmallRng};
use rand_distr::{Distribution, StandardNormal};
use std::{hint::black_box, time::Instant};

const VALUES: u64 = 5_000_000;
const ROUNDS: usize = 5;
const SIGMA: f64 = 50.0;
const SEED: u64 = 7;

/// Nanoseconds per value of a function of the key.
fn time(value: impl Fn(u64) -> i32) -> f64 {
    let begun = Instant::now();
    let sum = (0..VALUES).fold(0, |sum: i32, number| {
        sum.wrapping_add(value(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    });
    black_box(sum);
    begun.elapsed().as_nanos() as f64 / VALUES as f64
}

fn main() {
    let noise = Noise::new(SIGMA, SEED).expect("a standard deviation");
    for _ in 0..ROUNDS {
        let table = time(|key| noise.of(key));
        let drawn = time(|key| {
            let mut generator = SmallRng::seed_from_u64(SEED ^ key);
            let value: f64 = StandardNormal.sample(&mut generator);
            (value * SIGMA).round() as i32
        });
        println!(
            "table {table:.2} ns, rand_distr {drawn:.2} ns, ratio {:.2}",
            drawn / table
        );
    }
}
