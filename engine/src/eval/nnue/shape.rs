//! Sizes of the layers, and the blocks of numbers that kernels compute with.

/// Number of outputs of the first layer for one point of view.
pub const WIDTH: usize = 256;

/// Number of outputs of each of the next two layers.
pub const HIDDEN: usize = 32;

/// Sums of the first layer, or the weights of one feature there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct WeightRow(pub [[i16; 32]; 8]);

impl WeightRow {
    pub fn numbers(&self) -> &[i16] {
        self.0.as_flattened()
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        self.0.as_flattened_mut().iter_mut()
    }

    /// Creates a row of exactly [`WIDTH`] numbers.
    pub fn from_numbers(numbers: &[i16]) -> Self {
        let mut row = Self::default();
        row.0.as_flattened_mut().copy_from_slice(numbers);
        row
    }
}

/// Weights of four neighbouring inputs for each output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct WeightBlock(pub [[i8; 4]; HIDDEN]);
