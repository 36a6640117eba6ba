//! The weights of a network and the computation of its value.

use super::{
    architecture::Architecture,
    features::OUT_OF_GAME,
    shape::{HIDDEN, WIDTH, WeightBlock, WeightRow},
    simd::{Kernel, Vectorised},
};
use crate::rules::{Color, Position, Square};
use std::num::NonZeroU8;

/// Divisor of outputs, unless the network was made for another scale; shogi engines call it
/// `FV_SCALE`.
pub const FV_SCALE: u8 = 16;

/// Value of a pawn in networks.
const PAWN: i64 = 90;

/// Largest value of a network, in centipawns.
const MOST: i64 = 30_000;

/// Returns the square of a side's king from its own point of view; the centre without a king.
#[inline(always)]
pub fn own_king(position: &Position, side: Color) -> usize {
    let king = position.king(side).map_or(Square::COUNT / 2, Square::index);
    match side {
        Color::Black => king,
        Color::White => 80 - king,
    }
}

/// The weights of a layer in the order of network files: those of the first output come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// One bias for each output.
    pub biases: Vec<i32>,
    /// One row of weights for each output.
    pub weights: Vec<i8>,
}

/// All weights in the order of network files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Shape of the network.
    pub architecture: Architecture,
    /// Biases of the feature transformer.
    pub biases: Vec<i16>,
    /// Weights of the feature transformer, one row for each feature.
    pub rows: Vec<i16>,
    /// First hidden layer.
    pub first: Layer,
    /// Second hidden layer.
    pub second: Layer,
    /// Output layer.
    pub output: Layer,
}

/// A layer in the order that kernels need.
#[derive(Clone, Debug)]
struct Dense {
    biases: [i32; HIDDEN],
    weights: Vec<WeightBlock>,
}

impl Dense {
    fn new(layer: &Layer) -> Self {
        let inputs = layer.weights.len() / HIDDEN;
        let mut biases = [0; HIDDEN];
        biases.copy_from_slice(&layer.biases);
        let weights = (0..inputs / 4)
            .map(|block| {
                let mut weights = [[0; 4]; HIDDEN];
                for (output, four) in weights.iter_mut().enumerate() {
                    four.copy_from_slice(&layer.weights[output * inputs + block * 4..][..4]);
                }
                WeightBlock(weights)
            })
            .collect();
        Self { biases, weights }
    }

    fn layer(&self) -> Layer {
        let fours = (0..HIDDEN).flat_map(|output| {
            let blocks = self.weights.iter();
            blocks.flat_map(move |block| block.0[output])
        });
        Layer {
            biases: self.biases.to_vec(),
            weights: fours.collect(),
        }
    }
}

/// A network for the evaluation of positions.
#[derive(Clone, Debug)]
pub struct Network {
    architecture: Architecture,
    biases: WeightRow,
    rows: Vec<WeightRow>,
    first: Dense,
    second: Dense,
    output: [i8; HIDDEN],
    output_bias: i32,
    fv_scale: u8,
    hash: u64,
    pub(crate) kernel: Kernel,
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Network {
    /// Creates a network that `hash` distinguishes from others. The sizes of the parts must be right.
    pub fn new(parts: &Parts, hash: u64) -> Self {
        let mut output = [0; HIDDEN];
        output.copy_from_slice(&parts.output.weights);
        Self {
            architecture: parts.architecture,
            biases: WeightRow::from_numbers(&parts.biases),
            rows: parts
                .rows
                .chunks_exact(WIDTH)
                .map(WeightRow::from_numbers)
                .collect(),
            first: Dense::new(&parts.first),
            second: Dense::new(&parts.second),
            output,
            output_bias: parts.output.biases[0],
            fv_scale: FV_SCALE,
            hash,
            kernel: Kernel::best(),
        }
    }

    /// Returns the network with another divisor of its outputs than 16, for a network that was made
    /// for this scale.
    pub fn scaled(mut self, fv_scale: NonZeroU8) -> Self {
        if fv_scale.get() != self.fv_scale {
            self.fv_scale = fv_scale.get();
            // Another scale makes another evaluator of the same weights.
            let mixed = self.hash ^ u64::from(self.fv_scale);
            self.hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        self
    }

    /// Returns the network with the weights of missing pieces set to zero, which matter only in
    /// handicap games and mate problems. In a network trained on complete sets they are arbitrary.
    pub fn without_missing(&self) -> Self {
        let mut parts = self.parts();
        for king in 0..Square::COUNT {
            let row = (self.architecture).index([OUT_OF_GAME; 2], Color::Black, king);
            if let Some(row) = row {
                parts.rows[row * WIDTH..][..WIDTH].fill(0);
            }
        }
        Self {
            fv_scale: self.fv_scale,
            ..Self::from_parts(&parts)
        }
    }

    /// Returns the weights in the order of network files.
    pub fn parts(&self) -> Parts {
        Parts {
            architecture: self.architecture,
            biases: self.biases.numbers().to_vec(),
            rows: self
                .rows
                .iter()
                .flat_map(WeightRow::numbers)
                .copied()
                .collect(),
            first: self.first.layer(),
            second: self.second.layer(),
            output: Layer {
                biases: vec![self.output_bias],
                weights: self.output.to_vec(),
            },
        }
    }

    /// Returns the architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Returns the hash of the weights and the scale.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the biases of the first layer.
    #[inline(always)]
    pub fn biases(&self) -> &WeightRow {
        &self.biases
    }

    #[inline(always)]
    pub(crate) fn row(&self, feature: usize) -> &WeightRow {
        &self.rows[feature]
    }

    /// Returns the value in centipawns of a position with these features for the side to move and
    /// for its opponent. Every feature must be one of the architecture's.
    pub fn value_of(&self, features: [[u16; 40]; 2]) -> i32 {
        let [own, other] = features.map(|features| {
            let mut sums = WeightRow::default();
            let rows = features.map(|feature| self.row(usize::from(feature)));
            self.kernel.update(&mut sums, &self.biases, &rows, &[]);
            sums
        });
        self.value(&own, &other)
    }

    /// Returns the value in centipawns for the sums of the side to move and of its opponent.
    #[inline]
    pub fn value(&self, own: &WeightRow, other: &WeightRow) -> i32 {
        let network = self;
        let sum = i64::from(self.kernel.run(LastLayer {
            network,
            own,
            other,
        }));
        let sum = 100 * (sum + i64::from(self.output_bias));
        let value = if self.fv_scale == FV_SCALE {
            // A known divisor is a multiplication.
            sum / (PAWN * FV_SCALE as i64)
        } else {
            sum / (PAWN * i64::from(self.fv_scale))
        };
        value.clamp(-MOST, MOST) as i32
    }
}

/// The computation of the last layer's sum without its bias, in one piece for each instruction set.
struct LastLayer<'a> {
    network: &'a Network,
    own: &'a WeightRow,
    other: &'a WeightRow,
}

impl Vectorised for LastLayer<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        #[repr(align(64))]
        struct Inputs([u8; 2 * WIDTH]);
        let Self {
            network,
            own,
            other,
        } = self;
        let kernel = network.kernel;
        let mut inputs = Inputs([0; 2 * WIDTH]);
        let (halves, _) = inputs.0.as_chunks_mut::<WIDTH>();
        if network.architecture.is_paired() {
            let (quarters, _) = halves[0].as_chunks_mut::<{ WIDTH / 2 }>();
            kernel.multiply(&mut quarters[0], own);
            kernel.multiply(&mut quarters[1], other);
        } else {
            kernel.activate(&mut halves[0], own);
            kernel.activate(&mut halves[1], other);
        }
        let (inputs, _) = inputs.0[..network.architecture.inputs()].as_chunks();
        let layer = |layer: &Dense, inputs: &[[u8; 4]]| {
            kernel.clip(&kernel.affine(inputs, &layer.weights, &layer.biases))
        };
        let hidden = layer(&network.first, inputs);
        let hidden = layer(&network.second, hidden.as_chunks().0);
        let weighted = hidden.iter().zip(&network.output);
        weighted.map(|(&a, &w)| i32::from(a) * i32::from(w)).sum()
    }
}

impl Network {
    /// Returns a fixed network of pseudorandom weights as large as trained ones, for tests.
    pub fn sample(architecture: Architecture) -> Self {
        let mut state = 3u64;
        let mut number = |range: i64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) as i64 % (2 * range + 1) - range
        };
        let mut layer = |inputs: usize, outputs: usize, bias: i64| Layer {
            biases: (0..outputs).map(|_| number(bias) as i32).collect(),
            weights: (0..inputs * outputs).map(|_| number(60) as i8).collect(),
        };
        let inputs = architecture.inputs();
        let (first, second) = (layer(inputs, HIDDEN, 9000), layer(HIDDEN, HIDDEN, 9000));
        let output = layer(HIDDEN, 1, 20_000);
        // In proportion to the unit of the architecture.
        let unit = i64::from(architecture.unit());
        let biases = (0..WIDTH).map(|_| number(unit / 2) as i16).collect();
        let rows = (0..architecture.features() * WIDTH)
            .map(|_| number(unit / 4) as i16)
            .collect();
        let parts = Parts {
            architecture,
            biases,
            rows,
            first,
            second,
            output,
        };
        Self::new(&parts, 0)
    }

    #[cfg(test)]
    pub(crate) fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }
}
