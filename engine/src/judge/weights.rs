//! The learned weights of the judge, in parts of [`UNIT`].

use super::features::{Progress, Stage};
use crate::weights_file::{JudgeWeightsError, decode, encode};
use std::sync::{Arc, OnceLock};

const HEADER: &[u8; 15] = b"monju judge v1\n";

/// Parts into which a unit of f is divided.
const UNIT: f32 = 1_024.0;

/// Weights of all features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeWeights(Vec<i16>);

impl JudgeWeights {
    /// Returns the weights that the program carries.
    pub fn own() -> Arc<Self> {
        static OWN: OnceLock<Arc<JudgeWeights>> = OnceLock::new();
        let read = || Self::from_bytes(include_bytes!("../../weights/time_control.bin"));
        // A test reads the file.
        let none = |_| Self(vec![0; Progress::COUNT]);
        Arc::clone(OWN.get_or_init(|| Arc::new(read().unwrap_or_else(none))))
    }

    /// Rounds weights, one for each feature.
    pub fn rounded(weights: &[f32]) -> Self {
        let round = |weight: &f32| (weight * UNIT).round() as i16;
        let mut rounded: Vec<i16> = weights.iter().map(round).collect();
        rounded.resize(Progress::COUNT, 0);
        Self(rounded)
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// The header is missing, or the file is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JudgeWeightsError> {
        decode(bytes, HEADER, Progress::COUNT, "time-control").map(Self)
    }

    /// Encodes the weights as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(HEADER, &self.0)
    }

    /// Returns f, in parts of 1/1024: 0 and more to stop, less to go on.
    pub fn judge(&self, progress: &Progress, stage: Stage) -> i32 {
        let features = progress.features(stage);
        features
            .iter()
            .map(|&feature| i32::from(self.0[usize::from(feature)]))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_that_the_program_carries_are_whole() {
        let file = include_bytes!("../../weights/time_control.bin");
        let weights = JudgeWeights::from_bytes(file).expect("whole");
        assert_eq!(*JudgeWeights::own(), weights);
        assert!(weights.0.iter().any(|&weight| weight != 0));
    }
}
