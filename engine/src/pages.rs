//! Large arrays in huge pages of memory, where the system has them.

use std::collections::TryReserveError;

/// Allocates an array of default values. On Linux it asks for huge pages, because most reads of a
/// large table in small pages begin with a page walk.
pub(crate) fn large_array<T: Default>(count: usize) -> Result<Box<[T]>, TryReserveError> {
    let mut array = Vec::new();
    array.try_reserve_exact(count)?;
    advise_huge_pages(&mut array);
    array.resize_with(count, T::default);
    Ok(array.into_boxed_slice())
}

/// Asks for huge pages for the reserved memory, before the first write, which determines the pages.
#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(array: &mut Vec<T>) {
    use rustix::mm::{Advice, madvise};
    /// Alignment of the advised memory.
    const PAGE: usize = 4096;
    let room = array.spare_capacity_mut();
    let start = room.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let bytes = size_of_val(room).saturating_sub(skipped) / PAGE * PAGE;
    if bytes > 0 {
        // SAFETY: the pages lie within the reserved memory of the array, and the advice does not
        // change their content. An error of an older kernel is harmless.
        let _ = unsafe { madvise(start.add(skipped).cast(), bytes, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_any_size_are_whole() {
        for count in [0, 1, 511, 512, 513, 3 << 18] {
            let array = large_array::<u64>(count).unwrap();
            assert_eq!(array.len(), count);
            assert!(array.iter().all(|&value| value == 0));
        }
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(large_array::<u64>(usize::MAX / 16).is_err());
    }
}
