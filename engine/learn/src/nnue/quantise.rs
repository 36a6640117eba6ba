//! Quantisation: floating point to the integers of network files, and back.
//!
//! An activation of 1 becomes 127, a sum of 1 in the feature transformer becomes the architecture's
//! unit, and weights of the hidden layers become multiples of 1/64; those of products, which are 126 where both sums
//! are 1, become so much larger that a product counts as it was trained. A network file counts a pawn as 90 and its
//! output is divided by 16, so one centipawn is 16 × 0.9 units of the output.
//!
//! An evaluation truncates the activations of the hidden layers; half a unit added to the biases turns
//! truncation into rounding.

use monju_engine::eval::nnue::{Architecture, HIDDEN, Layer, Parts, WIDTH};
use monju_gradient::nnue::{FloatWeights, WeightLimits};

const ACTIVATION: f32 = 127.0;
const HIDDEN_WEIGHT: f32 = 64.0;

/// Rounding term of the hidden layers' biases, in units of their sums.
const HALF: f32 = HIDDEN_WEIGHT / 2.0;

/// Units of the output in a centipawn.
const OUTPUT: f32 = 16.0 * 90.0 / 100.0;

/// Divisor of a product of two sums.
const PRODUCT: f32 = 8192.0;

/// Returns what a weight of the first hidden layer is multiplied by.
fn first_weight(architecture: Architecture) -> f32 {
    let unit = f32::from(architecture.unit());
    match architecture.is_paired() {
        true => HIDDEN_WEIGHT * ACTIVATION * PRODUCT / (unit * unit),
        false => HIDDEN_WEIGHT,
    }
}

/// Returns the limits of the weights of a network in which `scale` centipawns are one unit of the logit.
pub(super) fn limits(architecture: Architecture, scale: f32) -> WeightLimits {
    WeightLimits {
        transformer: f32::from(i16::MAX / 41) / f32::from(architecture.unit()),
        dense: [
            127.0 / first_weight(architecture),
            127.0 / HIDDEN_WEIGHT,
            127.0 * ACTIVATION / (OUTPUT * scale),
        ],
    }
}

fn to_i16(number: f32) -> i16 {
    libm::roundf(number) as i16
}

/// Quantises a layer; `rows` has one array for each input, and `half` is added to the biases.
fn layer<const N: usize>(
    rows: &[[f32; N]],
    biases: &[f32; N],
    (weight, bias, half): (f32, f32, f32),
) -> Layer {
    let of_output = |output: usize| rows.iter().map(move |row| row[output]);
    Layer {
        biases: biases
            .iter()
            .map(|&b| libm::roundf(b * bias + half) as i32)
            .collect(),
        weights: (0..N)
            .flat_map(of_output)
            .map(|w| libm::roundf(w * weight) as i8)
            .collect(),
    }
}

/// Rounds the weights to integers and saturates those out of range; `scale` centipawns are one unit of
/// the logit.
pub(super) fn quantise(weights: &FloatWeights, scale: f32) -> Parts {
    let unit = OUTPUT * scale;
    let sum = f32::from(weights.architecture.unit());
    let scaled = |numbers: &[f32]| numbers.iter().map(|n| to_i16(n * sum)).collect();
    let hidden = |weight| (weight, HIDDEN_WEIGHT * ACTIVATION, HALF);
    let first = hidden(first_weight(weights.architecture));
    Parts {
        architecture: weights.architecture,
        biases: scaled(&weights.biases),
        rows: scaled(weights.rows.as_flattened()),
        first: layer(&weights.first, &weights.first_biases, first),
        second: layer(
            &weights.second,
            &weights.second_biases,
            hidden(HIDDEN_WEIGHT),
        ),
        output: layer(
            weights.output.as_chunks::<1>().0,
            &weights.output_bias,
            (unit / ACTIVATION, unit, 0.0),
        ),
    }
}

/// Returns the weights that the integers represent, with zeros for the feature of a missing piece;
/// `None` for an architecture that is not trained.
pub(super) fn restore(parts: &Parts, scale: f32) -> Option<FloatWeights> {
    let unit = OUTPUT * scale;
    if parts.architecture == Architecture::HalfKP {
        return None;
    }
    let mut weights = FloatWeights::zero(parts.architecture);
    let (inputs, sum) = (weights.first.len(), f32::from(parts.architecture.unit()));
    let rows = weights.rows.as_flattened_mut().iter_mut().zip(&parts.rows);
    // The first row belongs to a missing piece.
    let rows = rows.skip(WIDTH);
    for (weight, &number) in rows.chain(weights.biases.iter_mut().zip(&parts.biases)) {
        *weight = f32::from(number) / sum;
    }
    let hidden_bias = HIDDEN_WEIGHT * ACTIVATION;
    let first_weight = first_weight(weights.architecture);
    for output in 0..HIDDEN {
        for input in 0..inputs {
            let number = parts.first.weights[output * inputs + input];
            weights.first[input][output] = f32::from(number) / first_weight;
        }
        for input in 0..HIDDEN {
            let number = parts.second.weights[output * HIDDEN + input];
            weights.second[input][output] = f32::from(number) / HIDDEN_WEIGHT;
        }
        let bias = |layer: &Layer| (layer.biases[output] as f32 - HALF) / hidden_bias;
        weights.first_biases[output] = bias(&parts.first);
        weights.second_biases[output] = bias(&parts.second);
        weights.output[output] = f32::from(parts.output.weights[output]) / (unit / ACTIVATION);
    }
    weights.output_bias[0] = parts.output.biases[0] as f32 / unit;
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::eval::Network;
    use monju_engine::random::SplitMix64;

    #[test]
    fn quantisation_restores_its_own_integers() {
        for architecture in [Architecture::KP, Architecture::KPPairs] {
            let mut parts = Network::sample(architecture).parts();
            parts.rows[..WIDTH].fill(0);
            for scale in [600.0, 1250.0] {
                let weights = restore(&parts, scale).expect("a network with K-P");
                assert_eq!(quantise(&weights, scale), parts);
            }
        }
        let other = Network::sample(Architecture::HalfKP).parts();
        assert_eq!(restore(&other, 600.0), None);
    }

    #[test]
    fn weights_out_of_range_saturate() {
        let mut random = SplitMix64::new(1, 0);
        let mut weights = FloatWeights::random(Architecture::KP, &mut || random.next());
        weights.first[3][2] = 100.0;
        weights.output[0] = -100.0;
        let parts = quantise(&weights, 600.0);
        assert_eq!(parts.first.weights[2 * 512 + 3], i8::MAX);
        assert_eq!(parts.output.weights[0], i8::MIN);
    }
}
