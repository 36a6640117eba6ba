//! Vectors of 16-bit values, one for each virtual player.
//!
//! All operations are loops of fixed length over 16-bit integers, which compilers turn into two
//! instructions each on every x86-64.

use super::set::{LaneSet, MAX_LANES, each};
use crate::search::value::{DECIDED, INFINITE, Value};
use std::array;

pub(super) const INF: i16 = INFINITE as i16;
/// Alpha of a settled lane, above every value; its beta is the negative.
pub(super) const SETTLED: i16 = i16::MAX;
pub(super) const END: i16 = DECIDED as i16;

/// One value for each virtual player. With fewer players, the other lanes are settled at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(crate) struct Lanes(pub(super) [i16; MAX_LANES]);

/// Kind of each lane's value: a lower bound, an upper bound, both (exact) or neither (unknown).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneBounds {
    pub lower: u16,
    pub upper: u16,
}

impl LaneBounds {
    /// Returns the lanes whose value is exact or a lower bound.
    #[inline(always)]
    pub fn lower_set(self) -> LaneSet {
        LaneSet::of(|lane| self.lower >> lane & 1 != 0)
    }

    #[inline(always)]
    pub fn masks(self) -> ([bool; MAX_LANES], [bool; MAX_LANES]) {
        let expand = |mask: u16| each(|lane| mask >> lane & 1 != 0);
        (expand(self.lower), expand(self.upper))
    }
}

pub(super) fn narrow(value: Value) -> i16 {
    value.clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
}

pub(super) fn mask(lanes: [bool; MAX_LANES]) -> u16 {
    (0..MAX_LANES).fold(0, |mask, lane| mask | u16::from(lanes[lane]) << lane)
}

impl Lanes {
    #[inline(always)]
    pub fn map(self, f: impl Fn(i16) -> i16) -> Self {
        Self(each(|lane| f(self.0[lane])))
    }

    #[inline(always)]
    pub fn zip(self, other: Self, f: impl Fn(i16, i16) -> i16) -> Self {
        Self(each(|lane| f(self.0[lane], other.0[lane])))
    }

    /// Returns the lanes that are at least those of `other`.
    #[inline(always)]
    pub fn reaching(self, other: Self) -> LaneSet {
        LaneSet::of(|lane| self.0[lane] >= other.0[lane])
    }

    /// Returns the lanes that are above those of `other`.
    #[inline(always)]
    pub fn beating(self, other: Self) -> LaneSet {
        LaneSet::of(|lane| self.0[lane] > other.0[lane])
    }

    /// Returns the lanes with the value of a mate.
    #[inline(always)]
    pub fn mating(self) -> LaneSet {
        LaneSet::of(|lane| (self.0[lane] >= END) | (self.0[lane] <= -END))
    }

    /// Returns the lanes that lose the game, by mate or by perpetual check.
    #[inline(always)]
    pub fn losing(self) -> LaneSet {
        LaneSet::of(|lane| self.0[lane] <= -END)
    }

    /// Returns the lanes of this alpha that are not settled.
    #[inline(always)]
    pub fn open(self) -> LaneSet {
        LaneSet::of(|lane| self.0[lane] < INF)
    }

    /// Returns this alpha with some lanes settled.
    #[inline(always)]
    pub fn closed(self, lanes: LaneSet) -> Self {
        Self(each(|lane| {
            if lanes.has(lane) {
                SETTLED
            } else {
                self.0[lane]
            }
        }))
    }

    /// Returns this beta with some lanes settled.
    #[inline(always)]
    pub fn closed_beta(self, lanes: LaneSet) -> Self {
        Self(each(|lane| {
            if lanes.has(lane) {
                -SETTLED
            } else {
                self.0[lane]
            }
        }))
    }

    /// Returns the lanes that stored values decide without a search (Hosoe et al., section 4).
    #[inline(always)]
    pub fn decided(self, bounds: LaneBounds, (alpha, beta): (Self, Self)) -> LaneSet {
        let (lower, upper) = bounds.masks();
        LaneSet::of(|lane| {
            let exact = lower[lane] & upper[lane];
            let high = lower[lane] & (self.0[lane] >= beta.0[lane]);
            let low = upper[lane] & (self.0[lane] <= alpha.0[lane]);
            exact | high | low
        })
    }

    /// Returns these values in some lanes, and those of `other` elsewhere.
    #[inline(always)]
    pub fn within(self, lanes: LaneSet, other: Self) -> Self {
        Self(each(|lane| {
            if lanes.has(lane) {
                self.0[lane]
            } else {
                other.0[lane]
            }
        }))
    }

    /// Returns the lanes as they lie in memory.
    pub fn words(self) -> [u64; MAX_LANES / 4] {
        array::from_fn(|word| {
            (0..4).fold(0, |bits, at| {
                bits | u64::from(self.0[4 * word + at] as u16) << (16 * at)
            })
        })
    }

    /// Returns the lanes of such words, the reverse of [`Lanes::words`].
    pub fn from_words(words: [u64; MAX_LANES / 4]) -> Self {
        Self(array::from_fn(|lane| {
            (words[lane / 4] >> (16 * (lane % 4))) as u16 as i16
        }))
    }
}
