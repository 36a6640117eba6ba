//! The ponder table (Shimoyama, section 9): the best moves of the positions of a search from the
//! opponent's position. Unlike the transposition table, it is only read by the search that follows.

use crate::rules::Move;
use std::{
    collections::TryReserveError,
    sync::atomic::{AtomicU64, Ordering},
};

/// Slots of the table, eight bytes each.
const SLOTS: usize = 1 << 17;

/// Least remaining depth of a recorded position (Shimoyama: 2).
const LEAST_DEPTH: i32 = 2;

/// Bits of a slot for the move; above them come the depth and the rest of the key.
const MOVE_BITS: u32 = 16;
const DEPTH_BITS: u32 = 8;
const KEY_MASK: u64 = u64::MAX << (MOVE_BITS + DEPTH_BITS);

/// The ponder table, empty until the first ponder search.
#[derive(Debug, Default)]
pub(crate) struct PonderTable {
    /// Slots of one word, so that simultaneous writes cannot be mixed.
    slots: Box<[AtomicU64]>,
    is_recording: bool,
}

impl PonderTable {
    /// Clears the table and starts recording.
    pub fn record(&mut self) -> Result<(), TryReserveError> {
        if self.slots.is_empty() {
            let mut slots = Vec::new();
            slots.try_reserve_exact(SLOTS)?;
            slots.resize_with(SLOTS, AtomicU64::default);
            self.slots = slots.into_boxed_slice();
        } else {
            self.clear();
        }
        self.is_recording = true;
        Ok(())
    }

    /// Stops recording.
    pub fn only_read(&mut self) {
        self.is_recording = false;
    }

    /// Removes all moves.
    pub fn clear(&mut self) {
        for slot in &mut self.slots {
            *slot = AtomicU64::default();
        }
    }

    /// Records the best move of a position, unless the slot holds another position of a deeper
    /// search.
    #[inline]
    pub fn put(&self, key: u64, mv: Option<Move>, depth: i32) {
        if !self.is_recording || depth < LEAST_DEPTH {
            return;
        }
        let (Some(mv), Some(slot)) = (mv, self.slot(key)) else {
            return;
        };
        let depth = depth.min(255) as u64;
        let held = slot.load(Ordering::Relaxed);
        if held & KEY_MASK != key & KEY_MASK && held >> MOVE_BITS & 255 > depth {
            return;
        }
        let word = key & KEY_MASK | depth << MOVE_BITS | u64::from(mv.bits());
        slot.store(word, Ordering::Relaxed);
    }

    /// Returns the recorded move of a position. It may be illegal, because only a part of the key is
    /// compared.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Move> {
        let held = self.slot(key)?.load(Ordering::Relaxed);
        match held != 0 && held & KEY_MASK == key & KEY_MASK {
            true => Move::try_from_bits(held as u16),
            false => None,
        }
    }

    fn slot(&self, key: u64) -> Option<&AtomicU64> {
        // The low bits of the key select the slot; the others are stored in it.
        self.slots.get(key as usize & (SLOTS - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    fn moves() -> Vec<Move> {
        Game::startpos().legal_moves()
    }

    #[test]
    fn nothing_is_stored_before_recording_starts() {
        let ponder_table = PonderTable::default();
        ponder_table.put(77, Some(moves()[0]), 9);
        assert_eq!(ponder_table.get(77), None);
    }

    #[test]
    fn the_deeper_of_two_positions_keeps_a_slot() {
        let moves = moves();
        let mut ponder_table = PonderTable::default();
        ponder_table.record().expect("a megabyte");
        let (one, other) = (5 << 40 | 77, 6 << 40 | 77);
        ponder_table.put(one, Some(moves[0]), 1);
        assert_eq!(ponder_table.get(one), None, "too shallow");
        ponder_table.put(one, Some(moves[1]), 4);
        ponder_table.put(other, Some(moves[2]), 3);
        assert_eq!(
            (ponder_table.get(one), ponder_table.get(other)),
            (Some(moves[1]), None)
        );
        ponder_table.put(one, Some(moves[3]), 2);
        assert_eq!(
            ponder_table.get(one),
            Some(moves[3]),
            "the latest of one position"
        );
        ponder_table.put(other, Some(moves[2]), 4);
        assert_eq!(
            (ponder_table.get(one), ponder_table.get(other)),
            (None, Some(moves[2]))
        );
    }

    #[test]
    fn a_table_that_is_only_read_does_not_change() {
        let moves = moves();
        let mut ponder_table = PonderTable::default();
        ponder_table.record().expect("a megabyte");
        ponder_table.put(77, Some(moves[1]), 4);
        ponder_table.only_read();
        ponder_table.put(77, Some(moves[2]), 40);
        assert_eq!(ponder_table.get(77), Some(moves[1]));
        ponder_table.record().expect("allocated already");
        assert_eq!(ponder_table.get(77), None, "a new ponder search");
    }
}
