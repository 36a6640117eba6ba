//! Pseudo-random numbers that are the same in every build and on every machine: SplitMix64 (Steele, Lea, Flood
//! 2014).

const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the first output of the generator whose state is `state`: a bijection that spreads every bit over the
/// whole word.
#[inline(always)]
pub const fn spread(state: u64) -> u64 {
    let mut z = state.wrapping_add(INCREMENT);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Generator of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts at a state.
    pub const fn from_state(state: u64) -> Self {
        Self(state)
    }

    /// Starts stream `stream` of a seed; the streams of a seed are independent.
    pub const fn new(seed: u64, stream: u64) -> Self {
        Self(spread(spread(seed) ^ stream))
    }

    /// Returns the next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        let output = spread(self.0);
        self.0 = self.0.wrapping_add(INCREMENT);
        output
    }

    /// Returns a number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Shuffles a slice (Fisher–Yates).
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for last in (1..slice.len()).rev() {
            slice.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_those_of_the_reference() {
        assert_eq!(spread(0), 0xe220_a839_7b1d_cdaf);
        let mut random = SplitMix64::from_state(0);
        let outputs = [random.next(), random.next()];
        assert_eq!(outputs, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
