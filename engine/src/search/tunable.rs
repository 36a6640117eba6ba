//! One number of the search that the feature `tuning` makes an option.

use std::{cell::Cell, ops::RangeInclusive, thread::LocalKey};

/// A number of the search.
pub struct Tunable {
    /// Name of the option: the group and the number.
    pub name: &'static str,
    /// The value without the feature.
    pub default: i32,
    /// What it is.
    pub meaning: &'static str,
    /// The value on this thread.
    pub value: &'static LocalKey<Cell<i32>>,
}

impl Tunable {
    /// Values that the search can bear: divisors and depths stay above 0, and nothing overflows.
    pub const fn range(&self) -> RangeInclusive<i32> {
        if self.default > 0 {
            self.default / 4 + 1..=4 * self.default + 4
        } else {
            -1_000..=1_000
        }
    }
}
