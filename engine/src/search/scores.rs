//! What the searches of a game learn, in tables that all threads of a search share.

use std::sync::atomic::{AtomicI16, Ordering};

/// Scores from `-limit` to `limit`, at first 0. A thread may miss what another learns at the same
/// moment, and loses nothing else: with one thread there is nothing to miss.
#[derive(Debug)]
pub(super) struct Scores {
    entries: Box<[AtomicI16]>,
    limit: i32,
}

impl Scores {
    pub fn new(count: usize, limit: i16) -> Self {
        Self {
            entries: (0..count).map(|_| AtomicI16::new(0)).collect(),
            limit: limit.into(),
        }
    }

    pub fn clear(&mut self) {
        for entry in &mut self.entries {
            *entry.get_mut() = 0;
        }
    }

    #[inline(always)]
    pub fn get(&self, index: usize) -> i32 {
        self.entries[index].load(Ordering::Relaxed).into()
    }

    /// Moves a score up or down: the nearer it is to the limit, the less.
    #[inline(always)]
    pub fn update(&self, index: usize, bonus: i32) {
        let Self { entries, limit } = self;
        let entry = &entries[index];
        let value = i32::from(entry.load(Ordering::Relaxed));
        let next = (value + bonus - value * bonus.abs() / limit).clamp(-limit, *limit);
        entry.store(next as i16, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_within_their_limit() {
        let mut scores = Scores::new(3, 16_384);
        for _ in 0..1000 {
            scores.update(1, 1700);
        }
        assert!((14_746..=16_384).contains(&scores.get(1)));
        for _ in 0..1000 {
            scores.update(1, -1700);
        }
        assert!((-16_384..=-14_746).contains(&scores.get(1)));
        assert_eq!((scores.get(0), scores.get(2)), (0, 0));
        scores.clear();
        assert_eq!(scores.get(1), 0);
    }
}
