//! Groups of features, of each of which one is present.

/// Sizes of groups, and the first number of each.
pub(in crate::search) struct Groups<const N: usize> {
    sizes: [usize; N],
    starts: [usize; N],
    /// Number of all features.
    pub count: usize,
}

impl<const N: usize> Groups<N> {
    pub const fn new(sizes: [usize; N]) -> Self {
        let mut starts = [0; N];
        let (mut index, mut count) = (0, 0);
        while index < N {
            starts[index] = count;
            count += sizes[index];
            index += 1;
        }
        Self {
            sizes,
            starts,
            count,
        }
    }

    /// Returns the features that are present. Values beyond the end of a group count as its last one.
    #[inline(always)]
    pub fn features(&self, values: [usize; N]) -> [u16; N] {
        self.numbers(values).map(|number| number as u16)
    }

    /// Returns the features that are present, of which there may be more than 16 bits can tell apart.
    #[inline(always)]
    pub fn numbers(&self, values: [usize; N]) -> [u32; N] {
        std::array::from_fn(|group| {
            (self.starts[group] + values[group].min(self.sizes[group] - 1)) as u32
        })
    }
}

/// Returns the step in which a number lies: steps of `width`, of which the middle one of `count` begins at 0.
#[inline(always)]
pub(in crate::search) fn step(number: i32, width: i32, count: usize) -> usize {
    let most = count as i32 - 1;
    (number.div_euclid(width) + count as i32 / 2).clamp(0, most) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_has_numbers_of_its_own() {
        const GROUPS: Groups<3> = Groups::new([2, 3, 1]);
        assert_eq!(GROUPS.count, 6);
        assert_eq!(GROUPS.features([1, 0, 0]), [1, 2, 5]);
        assert_eq!(GROUPS.features([0, 9, 9]), [0, 4, 5]);
    }

    #[test]
    fn steps_are_as_wide_on_both_sides_of_zero() {
        let steps = [-1_000, -101, -100, -1, 0, 99, 100, 1_000].map(|at| step(at, 100, 8));
        assert_eq!(steps, [0, 2, 3, 3, 4, 4, 5, 7]);
    }
}
