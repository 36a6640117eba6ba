//! Replacement and prefetching, the same for both kinds of transposition table.

use super::search_value::PROVED;

/// What an entry of so many searches ago is worth to those that come. A mate that was proved is true for
/// ever, and found again in no time: where there are many they would crowd out all the rest.
pub(super) fn worth_of(depth: i32, age: u8) -> i32 {
    /// What a mate is worth, in plies of depth: most are mates in one.
    const MATE: i32 = 1;
    let depth = if depth >= PROVED { MATE } else { depth };
    depth - 4 * i32::from(age)
}

/// Fetches what is referred to into the cache, to be read soon.
#[inline(always)]
pub(super) fn prefetch<T>(data: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let data: *const T = data;
        // SAFETY: a prefetch reads nothing that the program could see, and the pointer is that of
        // a reference; SSE is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(data.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}
