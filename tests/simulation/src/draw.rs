//! Draws that depend on a seed and a place alone, never on the order of calls.

/// A source of draws.
#[derive(Clone, Copy, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The draws of a seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The draws of a place below this one.
    pub fn at(self, place: u64) -> Self {
        Self(mix(self.0 ^ mix(place)))
    }

    /// A number below `bound`, which is not 0, by the draw of this number.
    pub fn below(self, number: u64, bound: u64) -> u64 {
        mix(self.0 ^ mix(number ^ 0x5bf0_3635)) % bound
    }

    /// True in so many of a thousand draws.
    pub fn chance(self, number: u64, per_mille: u64) -> bool {
        self.below(number, 1_000) < per_mille
    }
}

/// SplitMix64's finalizer.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
