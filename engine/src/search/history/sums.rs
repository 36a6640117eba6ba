//! Sums of the histories that depend only on the moved kind and its destination.

use super::{adder::SquareSums, rows::QuietRows};
use crate::rules::PieceKind;
use std::mem::MaybeUninit;

/// The sums of one node, computed for each kind when its first move asks for them.
pub(in crate::search) struct KindSums<'a> {
    rows: &'a QuietRows<'a>,
    sums: [MaybeUninit<SquareSums>; 16],
    /// Bit set of the kinds whose sums are known.
    known: u16,
}

impl<'a> KindSums<'a> {
    #[inline(always)]
    pub fn new(rows: &'a QuietRows<'a>) -> Self {
        Self {
            rows,
            sums: [const { MaybeUninit::uninit() }; 16],
            known: 0,
        }
    }

    /// Returns the sums of a kind by destination.
    #[inline(always)]
    pub fn of(&mut self, kind: PieceKind) -> &SquareSums {
        let index = kind.index() & 15;
        let sums = &mut self.sums[index];
        if self.known >> index & 1 == 0 {
            self.rows.adder.add(self.rows.of_kind(index), sums);
            self.known |= 1 << index;
        }
        // SAFETY: `Adder::add` has initialised the sums of every kind in `known`.
        unsafe { sums.assume_init_ref() }
    }
}
