//! Sizes of the layers, and the pieces that kernels compute with.

/// Outputs of the first layer for one point of view.
pub(crate) const WIDTH: usize = 256;

/// Outputs of each of the next two layers.
pub(crate) const HIDDEN: usize = 32;

/// Sums of the first layer, or what one feature adds to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct WeightRow(pub [[i16; 32]; 8]);

impl WeightRow {
    pub fn numbers(&self) -> &[i16] {
        self.0.as_flattened()
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        self.0.as_flattened_mut().iter_mut()
    }

    /// From as many numbers as a row has.
    pub fn from_numbers(numbers: &[i16]) -> Self {
        let mut row = Self::default();
        row.0.as_flattened_mut().copy_from_slice(numbers);
        row
    }
}

/// What four neighbouring inputs weigh in each output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct WeightBlock(pub [[i8; 4]; HIDDEN]);
