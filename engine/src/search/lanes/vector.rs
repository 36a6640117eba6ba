//! Vectors of 16-bit values, one for each virtual player.
//!
//! All operations are loops of fixed length over 16-bit integers, which compilers turn into two
//! instructions each on every x86-64.

use crate::search::value::{DECIDED, INFINITE, Value};
use std::array;

/// Largest number of virtual players in one search.
pub const MAX_LANES: usize = 16;

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

/// Computes a value for each lane by a plain loop, which compilers turn into vector instructions;
/// `array::from_fn` would be called.
#[inline(always)]
pub(super) fn each<T: Copy + Default>(mut value: impl FnMut(usize) -> T) -> [T; MAX_LANES] {
    let mut values = [T::default(); MAX_LANES];
    for (lane, slot) in values.iter_mut().enumerate() {
        *slot = value(lane);
    }
    values
}

#[inline(always)]
pub(super) fn all(mut condition: impl FnMut(usize) -> bool) -> bool {
    !any(|lane| !condition(lane))
}

#[inline(always)]
pub(super) fn any(mut condition: impl FnMut(usize) -> bool) -> bool {
    // In 16 bits, as wide as a lane, the fold becomes vector instructions.
    (0..MAX_LANES).fold(0, |any, lane| any | i16::from(condition(lane))) != 0
}
