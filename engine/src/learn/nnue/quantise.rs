//! From floating point to the integers of network files, and back.
//!
//! An activation of 1 is 127. Weights of the hidden layers count 1/64. Outputs count a pawn as 90 and
//! are divided by 16 in the end, so one unit of the logit is as many times 16 as its centipawns are
//! in that coin.

use super::weights::{INPUTS, Weights};
use crate::eval::nnue::{Features, HIDDEN, Layer, Parts};

const ACTIVATION: f32 = 127.0;
const HIDDEN_WEIGHT: f32 = 64.0;

/// Outputs that make a centipawn.
const OUTPUT: f32 = 16.0 * 90.0 / 100.0;

/// The largest weights that the layers after the first can have, if one unit of the logit is
/// `scale` centipawns.
pub(super) fn limits(scale: f32) -> [f32; 3] {
    let hidden = 127.0 / HIDDEN_WEIGHT;
    [hidden, hidden, 127.0 * ACTIVATION / (OUTPUT * scale)]
}

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

/// The integers nearest to the weights; what is out of range becomes the limit. One unit of the
/// logit is `scale` centipawns.
pub(super) fn quantise(weights: &Weights, scale: f32) -> Parts {
    let unit = OUTPUT * scale;
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
            unit / ACTIVATION,
            unit,
        ),
    }
}

/// The weights that integers stand for; `None` for another kind of network.
pub(super) fn restore(parts: &Parts, scale: f32) -> Option<Weights> {
    let unit = OUTPUT * scale;
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
        weights.output[output] = f32::from(parts.output.weights[output]) / (unit / ACTIVATION);
    }
    weights.output_bias[0] = parts.output.biases[0] as f32 / unit;
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval::Network, learn::random::Random};

    #[test]
    fn restoring_and_quantising_again_changes_nothing() {
        let parts = Network::sample(Features::KP).parts();
        for scale in [600.0, 1250.0] {
            let weights = restore(&parts, scale).expect("a K-P network");
            assert_eq!(quantise(&weights, scale), parts);
        }
        let other = Network::sample(Features::HalfKP).parts();
        assert_eq!(restore(&other, 600.0), None);
    }

    #[test]
    fn weights_beyond_the_range_become_the_limit() {
        let mut weights = Weights::random(&mut Random::new(1, 0));
        weights.first[3][2] = 100.0;
        weights.output[0] = -100.0;
        let parts = quantise(&weights, 600.0);
        assert_eq!(parts.first.weights[2 * INPUTS + 3], i8::MAX);
        assert_eq!(parts.output.weights[0], i8::MIN);
    }
}
