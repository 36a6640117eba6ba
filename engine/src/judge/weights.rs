//! The learned weights of the judge, in parts of [`UNIT`].

use super::{features::SearchProgress, team::TeamProgress};
use crate::weights_file::{JudgeWeightsError, decode, encode};
use std::sync::{Arc, OnceLock};

/// Parts into which a unit of f is divided.
const UNIT: f32 = 1_024.0;

/// The object of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// One player's search, by the features of [`SearchProgress`].
    Search,
    /// The searches of a team, by those of [`TeamProgress`].
    Team,
}

/// Weights of all features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeWeights {
    kind: JudgeKind,
    weights: Vec<i16>,
}

impl JudgeKind {
    /// Returns the number of features.
    pub fn features(self) -> usize {
        match self {
            Self::Search => SearchProgress::COUNT,
            Self::Team => TeamProgress::COUNT,
        }
    }

    fn header(self) -> &'static [u8] {
        match self {
            Self::Search => b"monju judge v1\n",
            Self::Team => b"monju team judge v1\n",
        }
    }

    /// Returns the file that the program carries.
    fn own_file(self) -> &'static [u8] {
        match self {
            Self::Search => include_bytes!("../../weights/time_control.bin"),
            Self::Team => include_bytes!("../../weights/team_time_control.bin"),
        }
    }
}

impl JudgeWeights {
    /// Returns the weights that the program carries.
    pub fn own(kind: JudgeKind) -> Arc<Self> {
        static OWN: [OnceLock<Arc<JudgeWeights>>; 2] = [const { OnceLock::new() }; 2];
        // A test reads the files.
        let none = |_| Self::rounded(kind, &[]);
        let read = || Arc::new(Self::from_bytes(kind, kind.own_file()).unwrap_or_else(none));
        Arc::clone(OWN[kind as usize].get_or_init(read))
    }

    /// Rounds weights, one for each feature.
    pub fn rounded(kind: JudgeKind, weights: &[f32]) -> Self {
        let round = |weight: &f32| (weight * UNIT).round() as i16;
        let mut rounded: Vec<i16> = weights.iter().map(round).collect();
        rounded.resize(kind.features(), 0);
        Self {
            kind,
            weights: rounded,
        }
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// The header is missing, or the file is damaged.
    pub fn from_bytes(kind: JudgeKind, bytes: &[u8]) -> Result<Self, JudgeWeightsError> {
        let weights = decode(bytes, kind.header(), kind.features(), "time-control")?;
        Ok(Self { kind, weights })
    }

    /// Encodes the weights as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self.kind.header(), &self.weights)
    }

    /// Returns f of the features that are present, in parts of 1/1024: 0 and more to stop, less to go on. The features
    /// are those of the kind.
    pub fn judge(&self, features: &[u16]) -> i32 {
        features
            .iter()
            .map(|&feature| i32::from(self.weights[usize::from(feature)]))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_that_the_program_carries_are_whole() {
        for kind in [JudgeKind::Search, JudgeKind::Team] {
            let weights = JudgeWeights::from_bytes(kind, kind.own_file()).expect("whole");
            assert_eq!(*JudgeWeights::own(kind), weights);
            assert!(
                weights.weights.iter().any(|&weight| weight != 0),
                "{kind:?}"
            );
        }
    }
}
