//! What networks are made of.

use super::{
    features::{PIECES, PIECES_AND_KINGS, PieceNumbers},
    shape::WIDTH,
};
use crate::rules::{Color, Square};
use std::{fmt, str::FromStr};

/// What a network is made of: its features, and what its second layer sees of the sums that they make
/// in the first. All have 256 sums for each side, and then layers of 32, 32 and 1 outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// The features are every piece, the kings among them, where it is: 1710. The second layer sees
    /// the sums themselves, from 0 to 1.
    KP,
    /// The features are every piece but the kings, by where the own king is: 125 388. The second layer
    /// sees the same.
    HalfKP,
    /// The features of `KP`. The second layer sees 128 products for each side: of sum 0 and sum 128, of 1
    /// and 129, and so on, each from 0 to 1. Where a product needs a king here and a piece there, it
    /// knows what they are to each other.
    KPPairs,
}

/// A name that is none of an [`Architecture`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no architecture is called '{0}'; there are k-p, half-k-p and k-p-pairs")]
pub struct UnknownArchitecture(String);

impl Architecture {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::KP, Self::HalfKP, Self::KPPairs];

    /// What it is called in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KP => "k-p",
            Self::HalfKP => "half-k-p",
            Self::KPPairs => "k-p-pairs",
        }
    }

    /// How many features there are.
    pub(crate) const fn features(self) -> usize {
        match self {
            Self::KP | Self::KPPairs => PIECES_AND_KINGS,
            Self::HalfKP => PIECES * Square::COUNT,
        }
    }

    /// Whether the features of a side are others when its king has moved.
    pub(super) const fn follows_king(self) -> bool {
        matches!(self, Self::HalfKP)
    }

    /// Whether the second layer sees products.
    pub(crate) const fn is_paired(self) -> bool {
        matches!(self, Self::KPPairs)
    }

    /// How many numbers the second layer sees.
    pub(crate) const fn inputs(self) -> usize {
        if self.is_paired() { WIDTH } else { 2 * WIDTH }
    }

    /// The sum that counts as 1. What the second layer sees has steps of 1/127, and a product of two
    /// such would have larger ones.
    pub(crate) const fn unit(self) -> i16 {
        if self.is_paired() { 8 * 127 } else { 127 }
    }

    /// The number of the feature that a piece is to one side, whose king stands on `king` as it
    /// sees the board itself; `None` where it is no feature.
    #[inline(always)]
    pub(super) fn index(self, seen: PieceNumbers, side: Color, king: usize) -> Option<usize> {
        let number = usize::from(seen[side.index()]);
        match self {
            Self::KP | Self::KPPairs => Some(number),
            Self::HalfKP if number < PIECES => Some(king * PIECES + number),
            Self::HalfKP => None,
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|architecture| architecture.name() == text)
            .ok_or_else(|| UnknownArchitecture(text.to_owned()))
    }
}
