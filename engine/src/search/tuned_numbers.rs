//! The numbers of the search as options, with the feature `tuning`. Every thread has its own values, because both
//! sides of a tuning game think in one process.

use super::numbers::ALL;

/// A value for every number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TunedNumbers([i32; ALL.len()]);

impl Default for TunedNumbers {
    fn default() -> Self {
        let mut values = [0; ALL.len()];
        for (value, number) in values.iter_mut().zip(ALL) {
            *value = number.default;
        }
        Self(values)
    }
}

impl TunedNumbers {
    /// The values in the order of [`ALL`].
    pub fn values(&self) -> impl Iterator<Item = (&'static str, i32)> {
        ALL.iter().map(|number| number.name).zip(self.0)
    }

    /// The value of a number by its name.
    pub fn slot(&mut self, name: &str) -> Option<&mut i32> {
        let index = ALL.iter().position(|number| number.name == name)?;
        self.0.get_mut(index)
    }

    /// Gives this thread these values.
    pub fn install(&self) {
        for (number, value) in ALL.iter().zip(self.0) {
            number.value.set(value);
        }
    }
}
