//! Entries of the histories.

use std::sync::atomic::{AtomicI16, Ordering};

/// A history value shared by the threads of a search. Of two simultaneous updates one is lost, which
/// costs less than locking.
#[derive(Debug, Default)]
pub(in crate::search) struct HistoryEntry(AtomicI16);

impl HistoryEntry {
    #[inline(always)]
    pub fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Adds `bonus`, scaled down near `limit`, which the absolute value never exceeds (history
    /// gravity).
    #[inline(always)]
    pub fn update(&self, bonus: i32, limit: i32) {
        let value = self.get();
        let next = value + bonus - value * bonus.abs() / limit;
        self.0
            .store(next.clamp(-limit, limit) as i16, Ordering::Relaxed);
    }
}

/// Sets all entries to zero.
pub(super) fn forget(entries: &mut [HistoryEntry]) {
    entries.fill_with(HistoryEntry::default);
}
