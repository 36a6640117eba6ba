//! Architectures of networks.

use super::{
    features::{PIECES, PIECES_AND_KINGS, PieceNumbers},
    shape::WIDTH,
};
use crate::{
    names::UnknownName,
    rules::{Color, Square},
};
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Architecture of a network: its features and the inputs of its second layer. All architectures have
/// 256 sums for each side in the first layer, and then layers of 32, 32 and 1 outputs.
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
pub enum Architecture {
    /// 1710 features: each piece, kings included, on each square or in hand. The inputs of the second
    /// layer are the sums, clipped to 0 to 1.
    #[strum(serialize = "k-p")]
    KP,
    /// 125 388 features: each piece except the kings, for each square of the own king. The inputs of
    /// the second layer are the clipped sums.
    #[strum(serialize = "half-k-p")]
    HalfKP,
    /// The features of `KP`. The inputs of the second layer are 128 products for each side: of the
    /// clipped sums 0 and 128, 1 and 129, and so on. A product can express the relation of a king and
    /// a piece.
    #[strum(serialize = "k-p-pairs")]
    KPPairs,
}

impl Architecture {
    /// All architectures.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name used in options.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the number of features.
    pub const fn features(self) -> usize {
        match self {
            Self::KP | Self::KPPairs => PIECES_AND_KINGS,
            Self::HalfKP => PIECES * Square::COUNT,
        }
    }

    /// Tells whether the features of a side depend on its king's square.
    pub const fn follows_king(self) -> bool {
        matches!(self, Self::HalfKP)
    }

    /// Tells whether the inputs of the second layer are products.
    pub const fn is_paired(self) -> bool {
        matches!(self, Self::KPPairs)
    }

    /// Returns the number of inputs of the second layer.
    pub const fn inputs(self) -> usize {
        if self.is_paired() { WIDTH } else { 2 * WIDTH }
    }

    /// Returns the sum that counts as 1. Inputs of the second layer have steps of 1/127; for products,
    /// sums have finer steps.
    pub const fn unit(self) -> i16 {
        if self.is_paired() { 8 * 127 } else { 127 }
    }

    /// Returns the feature of a piece for one side, whose king stands on `king` from its own point of
    /// view; `None` for a piece without a feature.
    #[inline(always)]
    pub fn index(self, seen: PieceNumbers, side: Color, king: usize) -> Option<usize> {
        let number = usize::from(seen[side.index()]);
        match self {
            Self::KP | Self::KPPairs => Some(number),
            Self::HalfKP if number < PIECES => Some(king * PIECES + number),
            Self::HalfKP => None,
        }
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<Architecture>("architecture", name)
}
