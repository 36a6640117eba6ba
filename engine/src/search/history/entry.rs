//! Entries of the histories.

use std::sync::atomic::{AtomicI16, Ordering};

/// A number that the threads of one search learn together. Two that write at the same time lose one
/// of their lessons, which costs less than to make them wait.
#[derive(Debug, Default)]
pub(super) struct HistoryEntry(AtomicI16);

impl HistoryEntry {
    #[inline(always)]
    pub fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Moves it by `bonus`, the less the nearer it is to `limit`, which it stays within.
    #[inline(always)]
    pub fn update(&self, bonus: i32, limit: i32) {
        let value = self.get();
        let next = value + bonus - value * bonus.abs() / limit;
        self.0
            .store(next.clamp(-limit, limit) as i16, Ordering::Relaxed);
    }
}

/// Forgets what all entries have learned.
pub(super) fn forget(entries: &mut [HistoryEntry]) {
    entries.fill_with(HistoryEntry::default);
}
