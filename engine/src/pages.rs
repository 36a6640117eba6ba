//! Large arrays in large pages of memory, where the system has them.

use std::collections::TryReserveError;

/// An array of default values. On Linux the kernel is asked for large pages: with small ones, most
/// reads of a large table begin with a search for the page.
pub(crate) fn large_array<T: Default>(count: usize) -> Result<Box<[T]>, TryReserveError> {
    let mut array = Vec::new();
    array.try_reserve_exact(count)?;
    ask_for_large_pages(&mut array);
    array.resize_with(count, T::default);
    Ok(array.into_boxed_slice())
}

/// Before anything is written to what the array has reserved, because pages are chosen then.
#[cfg(target_os = "linux")]
fn ask_for_large_pages<T>(array: &mut Vec<T>) {
    use rustix::mm::{Advice, madvise};
    /// What advice is given for begins and ends at multiples of this.
    const PAGE: usize = 4096;
    let room = array.spare_capacity_mut();
    let start = room.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let bytes = size_of_val(room).saturating_sub(skipped) / PAGE * PAGE;
    if bytes > 0 {
        // SAFETY: the pages lie wholly within what the array has reserved, and this advice changes
        // nothing of what they hold. A kernel that does not know it, refuses it; nothing is lost.
        let _ = unsafe { madvise(start.add(skipped).cast(), bytes, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_: &mut Vec<T>) {}

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
