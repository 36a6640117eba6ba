//! The learned weights of the judges, in parts of [`UNIT`].

use super::{features::FEATURES, order_features::ORDER_FEATURES};
use crate::{
    names::UnknownName,
    weights_file::{JudgeWeightsError, decode, encode},
};
use std::sync::OnceLock;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Parts into which the logarithm of odds, or a margin of 100 centipawns, is divided.
const UNIT: f32 = 1_024.0;

/// The judgement about a move.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum MoveJudgement {
    /// Late-move reductions (Shimoyama, section 8).
    Reductions,
    /// Margins of futility pruning (Shimoyama, section 7).
    Margins,
    /// Order of moves (Shimoyama, section 5).
    Ordering,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<MoveJudgement>("judgement of moves", name)
}

impl MoveJudgement {
    /// Every judgement.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name of the command that learns it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the header of its file of weights.
    const fn header(self) -> &'static [u8] {
        match self {
            Self::Reductions => b"monju reductions v1\n",
            Self::Margins => b"monju margins v1\n",
            Self::Ordering => b"monju ordering v1\n",
        }
    }

    /// Returns the file of weights that the program carries.
    const fn own_file(self) -> &'static [u8] {
        match self {
            Self::Reductions => include_bytes!("../../../weights/reductions.bin"),
            Self::Margins => include_bytes!("../../../weights/margins.bin"),
            Self::Ordering => include_bytes!("../../../weights/ordering.bin"),
        }
    }

    /// Returns the number of its features, each of which has a weight.
    pub const fn features(self) -> usize {
        match self {
            Self::Reductions | Self::Margins => FEATURES,
            Self::Ordering => ORDER_FEATURES,
        }
    }

    /// Returns what a weight of 1 is in the file: odds and margins are divided into parts of [`UNIT`], scores are
    /// whole.
    const fn unit(self) -> f32 {
        match self {
            Self::Reductions | Self::Margins => UNIT,
            Self::Ordering => 1.0,
        }
    }
}

/// Weights of all features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveWeights(Vec<i16>);

impl MoveWeights {
    /// Returns the weights that the program carries.
    pub fn own(judgement: MoveJudgement) -> &'static Self {
        static OWN: [OnceLock<MoveWeights>; MoveJudgement::ALL.len()] =
            [const { OnceLock::new() }; MoveJudgement::ALL.len()];
        let read = || Self::from_bytes(judgement, judgement.own_file());
        // A test reads the file.
        let none = |_| Self(vec![0; judgement.features()]);
        OWN[judgement as usize].get_or_init(|| read().unwrap_or_else(none))
    }

    /// Rounds weights, one for each feature of a judgement.
    pub fn rounded(judgement: MoveJudgement, weights: &[f32]) -> Self {
        let mut rounded: Vec<i16> = (weights.iter())
            .map(|weight| (weight * judgement.unit()).round() as i16)
            .collect();
        rounded.resize(judgement.features(), 0);
        Self(rounded)
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// The header is missing, or the file is damaged.
    pub fn from_bytes(judgement: MoveJudgement, bytes: &[u8]) -> Result<Self, JudgeWeightsError> {
        let count = judgement.features();
        decode(bytes, judgement.header(), count, judgement.name()).map(Self)
    }

    /// Encodes the weights as a file.
    pub fn to_bytes(&self, judgement: MoveJudgement) -> Vec<u8> {
        encode(judgement.header(), &self.0)
    }

    /// Returns the sum of the weights of the features that are present, as they stand in the file.
    #[inline]
    pub fn sum(&self, features: impl IntoIterator<Item = usize>) -> i32 {
        let weights = features.into_iter().map(|feature| self.0[feature]);
        weights.map(i32::from).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_that_the_program_carries_are_whole() {
        for &judgement in MoveJudgement::ALL {
            let weights = MoveWeights::from_bytes(judgement, judgement.own_file()).expect("whole");
            assert_eq!(MoveWeights::own(judgement), &weights);
            assert!(weights.0.iter().any(|&weight| weight != 0));
            assert_eq!(weights.to_bytes(judgement), judgement.own_file());
        }
    }

    #[test]
    fn weights_are_rounded_and_added() {
        let mut weights = vec![0.0; FEATURES];
        (weights[1], weights[5], weights[7]) = (0.5, -2.0, 100.0);
        let rounded = MoveWeights::rounded(MoveJudgement::Margins, &weights);
        assert_eq!(rounded.sum([0, 1, 5]), 512 - 2_048);
        assert_eq!(rounded.sum([7]), i32::from(i16::MAX));
        let order = MoveWeights::rounded(MoveJudgement::Ordering, &weights);
        assert_eq!(order.sum([1, 5, 7]), 1 - 2 + 100);
    }
}
