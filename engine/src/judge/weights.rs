//! The learned weights of the judge.
//!
//! The file has the 15 bytes `monju judge v1\n`, 16-bit numbers (little-endian) for all features in parts of
//! [`UNIT`], and the FNV-1a hash of all bytes before (8 bytes, little-endian).

use super::features::{Progress, Stage};
use crate::eval::fnv1a;
use std::sync::{Arc, OnceLock};

const MAGIC: &[u8; 15] = b"monju judge v1\n";

/// Parts into which a unit of f is divided.
const UNIT: f32 = 1_024.0;

/// Weights of all features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeWeights(Vec<i16>);

/// Error of reading weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeWeightsError {
    /// The header is missing.
    #[error("not the weights of a judge; make them with 'monju learn time-control'")]
    Header,
    /// The length or the hash is wrong.
    #[error("the weights of the judge are damaged, or of another version")]
    Damaged,
}

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
        if !bytes.starts_with(MAGIC) {
            return Err(JudgeWeightsError::Header);
        }
        let (content, hash) = (bytes.split_last_chunk::<8>()).ok_or(JudgeWeightsError::Damaged)?;
        let numbers = content.get(MAGIC.len()..).unwrap_or_default();
        let is_whole =
            fnv1a(content).to_le_bytes() == *hash && numbers.len() == 2 * Progress::COUNT;
        is_whole
            .then(|| {
                let numbers = numbers.chunks_exact(2);
                Self(
                    numbers
                        .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
                        .collect(),
                )
            })
            .ok_or(JudgeWeightsError::Damaged)
    }

    /// Encodes the weights as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.0.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
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
    fn files_are_read_back_and_damage_is_found() {
        let weights: Vec<f32> = (0..Progress::COUNT)
            .map(|index| index as f32 / 100.0)
            .collect();
        let weights = JudgeWeights::rounded(&weights);
        let bytes = weights.to_bytes();
        assert_eq!(JudgeWeights::from_bytes(&bytes), Ok(weights));
        for broken in [&bytes[..bytes.len() - 1], &bytes[..20], &bytes[1..], &[]] {
            assert!(JudgeWeights::from_bytes(broken).is_err());
        }
        let mut other = bytes;
        other[40] ^= 1;
        assert_eq!(
            JudgeWeights::from_bytes(&other),
            Err(JudgeWeightsError::Damaged)
        );
    }

    #[test]
    fn the_weights_that_the_program_carries_are_whole() {
        let file = include_bytes!("../../weights/time_control.bin");
        let weights = JudgeWeights::from_bytes(file).expect("whole");
        assert_eq!(*JudgeWeights::own(), weights);
        assert!(weights.0.iter().any(|&weight| weight != 0));
    }
}
