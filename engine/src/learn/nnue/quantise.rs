//! From floating point to the integers of network files, and back.
//!
//! An activation of 1 is 127. Weights of the hidden layers count 1/64; those of the output make one
//! unit of the logit 600 · 16, since networks count a pawn as 90 and are divided by 16 in the end.

use super::weights::{INPUTS, Weights};
use crate::eval::nnue::{Features, HIDDEN, Layer, Parts};

const ACTIVATION: f32 = 127.0;
const HIDDEN_WEIGHT: f32 = 64.0;
const OUTPUT: f32 = 600.0 * 16.0;

/// Centipawns of one unit of the logit: 600 where a pawn is 90.
pub(super) const LOGIT: f32 = 600.0 * 100.0 / 90.0;

/// The largest weights that the layers after the first can have.
pub(super) const LIMITS: [f32; 3] = [
    127.0 / HIDDEN_WEIGHT,
    127.0 / HIDDEN_WEIGHT,
    127.0 * ACTIVATION / OUTPUT,
];

fn to_i16(number: f32) -> i16 {
    libm::roundf(number) as i16
}

/// `rows` are the weights of each input.
fn layer<const N: usize>(rows: &[[f32; N]], biases: &[f32; N], weight: f32, bias: f32) -> Layer {
    let of_output = |output: usize| rows.iter().map(move |row| row[output]);
    Layer {
        biases: biases
            .iter()
            .map(|&b| libm::roundf(b * bias) as i32)
            .collect(),
        weights: (0..N)
            .flat_map(of_output)
            .map(|w| libm::roundf(w * weight) as i8)
            .collect(),
    }
}

/// The integers nearest to the weights; what is out of range becomes the limit.
pub(super) fn quantise(weights: &Weights) -> Parts {
    let scaled = |numbers: &[f32]| numbers.iter().map(|n| to_i16(n * ACTIVATION)).collect();
    let hidden_bias = HIDDEN_WEIGHT * ACTIVATION;
    Parts {
        features: Features::KP,
        biases: scaled(&weights.biases),
        rows: scaled(weights.rows.as_flattened()),
        first: layer(
            &weights.first,
            &weights.first_biases,
            HIDDEN_WEIGHT,
            hidden_bias,
        ),
        second: layer(
            &weights.second,
            &weights.second_biases,
            HIDDEN_WEIGHT,
            hidden_bias,
        ),
        output: layer(
            weights.output.as_chunks::<1>().0,
            &weights.output_bias,
            OUTPUT / ACTIVATION,
            OUTPUT,
        ),
    }
}

/// The weights that integers stand for; `None` for another kind of network.
pub(super) fn restore(parts: &Parts) -> Option<Weights> {
    if parts.features != Features::KP {
        return None;
    }
    let mut weights = Weights::zero();
    let rows = weights.rows.as_flattened_mut().iter_mut().zip(&parts.rows);
    for (weight, &number) in rows.chain(weights.biases.iter_mut().zip(&parts.biases)) {
        *weight = f32::from(number) / ACTIVATION;
    }
    let hidden_bias = HIDDEN_WEIGHT * ACTIVATION;
    for output in 0..HIDDEN {
        for input in 0..INPUTS {
            let number = parts.first.weights[output * INPUTS + input];
            weights.first[input][output] = f32::from(number) / HIDDEN_WEIGHT;
        }
        for input in 0..HIDDEN {
            let number = parts.second.weights[output * HIDDEN + input];
            weights.second[input][output] = f32::from(number) / HIDDEN_WEIGHT;
        }
        weights.first_biases[output] = parts.first.biases[output] as f32 / hidden_bias;
        weights.second_biases[output] = parts.second.biases[output] as f32 / hidden_bias;
        weights.output[output] = f32::from(parts.output.weights[output]) / (OUTPUT / ACTIVATION);
    }
    weights.output_bias[0] = parts.output.biases[0] as f32 / OUTPUT;
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval::Network, learn::random::Random};

    #[test]
    fn restoring_and_quantising_again_changes_nothing() {
        let parts = Network::sample(Features::KP).parts();
        let weights = restore(&parts).expect("a K-P network");
        assert_eq!(quantise(&weights), parts);
        let other = Network::sample(Features::HalfKP).parts();
        assert_eq!(restore(&other), None);
    }

    #[test]
    fn weights_beyond_the_range_become_the_limit() {
        let mut weights = Weights::random(&mut Random::new(1, 0));
        weights.first[3][2] = 100.0;
        weights.output[0] = -100.0;
        let parts = quantise(&weights);
        assert_eq!(parts.first.weights[2 * INPUTS + 3], i8::MAX);
        assert_eq!(parts.output.weights[0], i8::MIN);
    }
}
