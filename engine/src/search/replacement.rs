//! Replacement and prefetching, the same for both kinds of transposition table.

use super::search_value::PROVED;

/// Returns the worth of an entry that is `age` searches old; the least worthy entry is replaced.
/// Proved mates have the largest depth but little worth, because they are found again quickly and
/// would otherwise displace everything else.
pub(super) fn worth_of(depth: i32, age: u8) -> i32 {
    /// Worth of a proved mate, in plies of depth: most are mates in one.
    const MATE: i32 = 1;
    let depth = if depth >= PROVED { MATE } else { depth };
    depth - 4 * i32::from(age)
}

/// Loads data into the cache ahead of its use.
#[inline(always)]
pub(super) fn prefetch<T>(data: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let data: *const T = data;
        // SAFETY: a prefetch has no visible effect, the pointer comes from a reference, and SSE is
        // part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(data.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = data;
}
