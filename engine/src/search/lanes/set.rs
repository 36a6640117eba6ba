//! Sets of lanes: those that are open, that have reached a bound, or that a rule applies to.

/// Largest number of virtual players in one search.
pub const MAX_LANES: usize = 16;

/// A set of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneSet([bool; MAX_LANES]);

impl LaneSet {
    pub const ALL: Self = Self([true; MAX_LANES]);
    pub const NONE: Self = Self([false; MAX_LANES]);

    /// Returns the lanes for which the condition holds.
    #[inline(always)]
    pub fn of(condition: impl FnMut(usize) -> bool) -> Self {
        Self(each(condition))
    }

    #[inline(always)]
    pub fn has(self, lane: usize) -> bool {
        self.0[lane]
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self::of(|lane| self.0[lane] & other.0[lane])
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self::of(|lane| self.0[lane] | other.0[lane])
    }

    #[inline(always)]
    pub fn except(self, other: Self) -> Self {
        Self::of(|lane| self.0[lane] & !other.0[lane])
    }

    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0.into_iter().map(u32::from).sum()
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Tells whether every lane of `other` is in this set.
    #[inline(always)]
    pub fn covers(self, other: Self) -> bool {
        other.except(self).is_empty()
    }

    /// Tells whether at least half of the lanes of `other` are in this set.
    #[inline(always)]
    pub fn holds_half_of(self, other: Self) -> bool {
        2 * self.and(other).count() >= other.count()
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
