//! A network's weights and what it computes from them.

use super::{
    features::{PIECES, PIECES_AND_KINGS, Seen},
    simd::Kernel,
};
use crate::rules::{Color, Position, Square};

/// Outputs of the first layer for one point of view.
pub(crate) const WIDTH: usize = 256;

/// Outputs of each of the next two layers.
pub(crate) const HIDDEN: usize = 32;

/// Network outputs are divided by 16 and then are hundredths of 10/9 centipawns: networks count a
/// pawn as 90.
const CENTIPAWNS: (i64, i64) = (100, 90 * 16);

/// Largest value of a network in centipawns.
const MOST: i64 = 30_000;

/// Sums of the first layer, or what one feature adds to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Row(pub [[i16; 32]; 8]);

impl Row {
    pub fn numbers(&self) -> &[i16] {
        self.0.as_flattened()
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        self.0.as_flattened_mut().iter_mut()
    }

    /// From as many numbers as a row has.
    fn from_numbers(numbers: &[i16]) -> Self {
        let mut row = Self::default();
        row.0.as_flattened_mut().copy_from_slice(numbers);
        row
    }
}

/// What four neighbouring inputs weigh in each output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Block(pub [[i8; 4]; HIDDEN]);

/// Which features a network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// Every piece, the kings among them, where it is: 1710 features.
    KP,
    /// Every piece but the kings, by where the own king is: 125 388 features.
    HalfKP,
}

impl Features {
    /// How many there are.
    pub(crate) const fn count(self) -> usize {
        match self {
            Self::KP => PIECES_AND_KINGS,
            Self::HalfKP => PIECES * Square::COUNT,
        }
    }

    /// The number of the feature that a piece is to one side, whose king stands on `king` as it
    /// sees the board itself; `None` where it is no feature.
    #[inline(always)]
    pub(super) fn index(self, seen: Seen, side: Color, king: usize) -> Option<usize> {
        let number = usize::from(seen[side.index()]);
        match self {
            Self::KP => Some(number),
            Self::HalfKP if number < PIECES => Some(king * PIECES + number),
            Self::HalfKP => None,
        }
    }
}

/// The square of a side's king as it sees the board; the middle one where it has none.
#[inline(always)]
pub(super) fn own_king(position: &Position, side: Color) -> usize {
    let king = position.king(side).map_or(Square::COUNT / 2, Square::index);
    match side {
        Color::Black => king,
        Color::White => 80 - king,
    }
}

/// The weights of a layer in the order of network files: all of the first output come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub biases: Vec<i32>,
    pub weights: Vec<i8>,
}

/// All weights in the order of network files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub features: Features,
    pub biases: Vec<i16>,
    pub rows: Vec<i16>,
    pub first: Layer,
    pub second: Layer,
    pub output: Layer,
}

/// A layer as kernels read it.
#[derive(Clone, Debug)]
struct Dense {
    biases: [i32; HIDDEN],
    weights: Vec<Block>,
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
                Block(weights)
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

/// A network that values positions: 256×2-32-32 on one of two kinds of [`Features`].
#[derive(Clone, Debug)]
pub struct Network {
    features: Features,
    biases: Row,
    rows: Vec<Row>,
    first: Dense,
    second: Dense,
    output: [i8; HIDDEN],
    output_bias: i32,
    hash: u64,
    pub(super) kernel: Kernel,
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Network {
    /// `hash` tells it from other networks. The sizes of the parts must be right.
    pub(crate) fn new(parts: &Parts, hash: u64) -> Self {
        let mut output = [0; HIDDEN];
        output.copy_from_slice(&parts.output.weights);
        Self {
            features: parts.features,
            biases: Row::from_numbers(&parts.biases),
            rows: parts
                .rows
                .chunks_exact(WIDTH)
                .map(Row::from_numbers)
                .collect(),
            first: Dense::new(&parts.first),
            second: Dense::new(&parts.second),
            output,
            output_bias: parts.output.biases[0],
            hash,
            kernel: Kernel::best(),
        }
    }

    /// The weights in the order of network files.
    pub(crate) fn parts(&self) -> Parts {
        Parts {
            features: self.features,
            biases: self.biases.numbers().to_vec(),
            rows: self.rows.iter().flat_map(Row::numbers).copied().collect(),
            first: self.first.layer(),
            second: self.second.layer(),
            output: Layer {
                biases: vec![self.output_bias],
                weights: self.output.to_vec(),
            },
        }
    }

    /// Which features it has.
    pub fn features(&self) -> Features {
        self.features
    }

    /// The hash of its weights.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The sums of no feature at all.
    #[inline(always)]
    pub(super) fn biases(&self) -> &Row {
        &self.biases
    }

    #[inline(always)]
    pub(super) fn row(&self, feature: usize) -> &Row {
        &self.rows[feature]
    }

    /// The value in centipawns, given the sums of the side to move and of its opponent.
    #[inline]
    pub(super) fn value(&self, own: &Row, other: &Row) -> i32 {
        #[repr(align(64))]
        struct Inputs([[u8; WIDTH]; 2]);
        let mut inputs = Inputs([[0; WIDTH]; 2]);
        self.kernel.activate(&mut inputs.0[0], own);
        self.kernel.activate(&mut inputs.0[1], other);
        let (inputs, _) = inputs.0.as_flattened().as_chunks();
        let hidden = self.layer(&self.first, inputs);
        let hidden = self.layer(&self.second, hidden.as_chunks().0);
        let weighted = hidden.iter().zip(&self.output);
        let sum: i32 = weighted.map(|(&a, &w)| i32::from(a) * i32::from(w)).sum();
        let sum = i64::from(sum) + i64::from(self.output_bias);
        (sum * CENTIPAWNS.0 / CENTIPAWNS.1).clamp(-MOST, MOST) as i32
    }

    #[inline(always)]
    fn layer(&self, layer: &Dense, inputs: &[[u8; 4]]) -> [u8; HIDDEN] {
        let sums = self.kernel.affine(inputs, &layer.weights, &layer.biases);
        sums.map(|sum| (sum >> 6).clamp(0, 127) as u8)
    }
}

#[cfg(test)]
impl Network {
    /// A network of weights that look random, of the sizes that trained ones have.
    pub(crate) fn sample(features: Features) -> Self {
        let mut state = 3u64;
        let mut number = |range: i64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) as i64 % (2 * range + 1) - range
        };
        let mut layer = |inputs: usize, outputs: usize, bias: i64| Layer {
            biases: (0..outputs).map(|_| number(bias) as i32).collect(),
            weights: (0..inputs * outputs).map(|_| number(60) as i8).collect(),
        };
        let (first, second) = (layer(2 * WIDTH, HIDDEN, 9000), layer(HIDDEN, HIDDEN, 9000));
        let output = layer(HIDDEN, 1, 20_000);
        let biases = (0..WIDTH).map(|_| number(60) as i16).collect();
        let rows = (0..features.count() * WIDTH)
            .map(|_| number(30) as i16)
            .collect();
        let parts = Parts {
            features,
            biases,
            rows,
            first,
            second,
            output,
        };
        Self::new(&parts, 0)
    }

    pub(super) fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }
}
