//! Draws that depend on a seed and a place alone, never on the order of calls.

use monju_engine::random::spread;

/// A source of draws.
#[derive(Clone, Copy, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The draws of a seed.
    pub fn new(seed: u64) -> Self {
        Self(spread(seed))
    }

    /// The draws of a place below this one.
    pub fn at(self, place: u64) -> Self {
        Self(spread(self.0 ^ spread(place)))
    }

    /// A number below `bound`, which is not 0, by the draw of this number.
    pub fn below(self, number: u64, bound: u64) -> u64 {
        spread(self.0 ^ spread(number ^ 0x5bf0_3635)) % bound
    }

    /// True in so many of a thousand draws.
    pub fn chance(self, number: u64, per_mille: u64) -> bool {
        self.below(number, 1_000) < per_mille
    }
}
