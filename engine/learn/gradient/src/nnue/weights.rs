//! The weights of a network in floating point, as they are trained. An activation of 1 is the upper limit.

use monju_engine::eval::nnue::{Architecture, HIDDEN, PIECES_AND_KINGS, WIDTH};

/// The weights of a network, or a gradient, or moments of gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatWeights {
    /// An architecture with the features of K-P.
    pub architecture: Architecture,
    /// Feature transformer, one row for each feature.
    pub rows: Vec<[f32; WIDTH]>,
    /// Biases of the feature transformer.
    pub biases: [f32; WIDTH],
    /// First hidden layer, one array for each input.
    pub first: Vec<[f32; HIDDEN]>,
    /// Biases of the first hidden layer.
    pub first_biases: [f32; HIDDEN],
    /// Second hidden layer, one array for each input.
    pub second: [[f32; HIDDEN]; HIDDEN],
    /// Biases of the second hidden layer.
    pub second_biases: [f32; HIDDEN],
    /// Output layer.
    pub output: [f32; HIDDEN],
    /// Bias of the output layer.
    pub output_bias: [f32; 1],
}

impl FloatWeights {
    /// Indices in [`FloatWeights::dense`] of the weights of the hidden layers and of the output layer.
    pub const CLIPPED: [usize; 3] = [1, 3, 5];

    /// Returns weights that are all 0.
    pub fn zero(architecture: Architecture) -> Self {
        Self {
            architecture,
            rows: vec![[0.0; WIDTH]; PIECES_AND_KINGS],
            biases: [0.0; WIDTH],
            first: vec![[0.0; HIDDEN]; architecture.inputs()],
            first_biases: [0.0; HIDDEN],
            second: [[0.0; HIDDEN]; HIDDEN],
            second_biases: [0.0; HIDDEN],
            output: [0.0; HIDDEN],
            output_bias: [0.0],
        }
    }

    /// Returns small random weights; activations are around the middle of their range. `random` returns 64 random
    /// bits.
    pub fn random(architecture: Architecture, random: &mut dyn FnMut() -> u64) -> Self {
        let mut weights = Self::zero(architecture);
        let mut number = |deviation: f32| {
            // A uniform distribution of that standard deviation.
            let unit = (random() >> 40) as f32 / (1u64 << 24) as f32;
            (unit - 0.5) * deviation * 12f32.sqrt()
        };
        for weight in weights.rows.as_flattened_mut() {
            *weight = number(0.02);
        }
        // The feature of a missing piece occurs in no complete set of pieces, so it is never trained.
        weights.rows[0] = [0.0; WIDTH];
        weights.biases = [0.5; WIDTH];
        let deviation = 1.0 / (architecture.inputs() as f32).sqrt();
        let middle = if architecture.is_paired() { 0.25 } else { 0.5 };
        for row in &mut weights.first {
            for (weight, bias) in row.iter_mut().zip(&mut weights.first_biases) {
                *weight = number(deviation);
                *bias -= middle * *weight;
            }
        }
        let deviation = 1.0 / (HIDDEN as f32).sqrt();
        for row in &mut weights.second {
            for (weight, bias) in row.iter_mut().zip(&mut weights.second_biases) {
                *weight = number(deviation);
                *bias -= 0.5 * *weight;
            }
        }
        for bias in weights
            .first_biases
            .iter_mut()
            .chain(&mut weights.second_biases)
        {
            *bias += 0.5;
        }
        for weight in &mut weights.output {
            *weight = number(deviation);
            weights.output_bias[0] -= 0.5 * *weight;
        }
        weights
    }

    /// Returns all weights except the rows of the feature transformer.
    pub fn dense(&self) -> [&[f32]; 7] {
        [
            &self.biases,
            self.first.as_flattened(),
            &self.first_biases,
            self.second.as_flattened(),
            &self.second_biases,
            &self.output,
            &self.output_bias,
        ]
    }

    /// Returns all weights except the rows of the feature transformer.
    pub fn dense_mut(&mut self) -> [&mut [f32]; 7] {
        [
            &mut self.biases,
            self.first.as_flattened_mut(),
            &mut self.first_biases,
            self.second.as_flattened_mut(),
            &mut self.second_biases,
            &mut self.output,
            &mut self.output_bias,
        ]
    }

    /// Iterates over every weight in a fixed order.
    pub fn all(&self) -> impl Iterator<Item = &f32> {
        let dense = self.dense().into_iter().flatten();
        self.rows.as_flattened().iter().chain(dense)
    }

    /// Iterates over every weight in a fixed order.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let Self {
            architecture: _,
            rows,
            biases,
            first,
            first_biases,
            second,
            second_biases,
            output,
            output_bias,
        } = self;
        let dense = [
            &mut biases[..],
            first.as_flattened_mut(),
            first_biases,
            second.as_flattened_mut(),
            second_biases,
            output,
            output_bias,
        ];
        rows.as_flattened_mut()
            .iter_mut()
            .chain(dense.into_iter().flatten())
    }
}
