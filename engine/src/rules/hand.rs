use super::piece::PieceKind;

/// The pieces in one side's hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(align(8))]
pub struct Hand([u8; 8]);

impl Hand {
    /// Returns the number of pieces of a kind.
    #[inline(always)]
    pub const fn count(self, kind: PieceKind) -> usize {
        self.0[kind as usize & 7] as usize
    }

    /// Tells whether the hand holds a kind.
    #[inline(always)]
    pub const fn has(self, kind: PieceKind) -> bool {
        self.count(kind) != 0
    }

    /// Tells whether the hand is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        u64::from_ne_bytes(self.0) == 0
    }

    /// Tells whether the hand holds at least as many pieces of every kind as `other`.
    #[inline(always)]
    pub(crate) const fn covers(self, other: Self) -> bool {
        // No count reaches 128, so that no kind borrows from another.
        const GUARDS: u64 = 0x8080_8080_8080_8080;
        ((self.bits() | GUARDS) - other.bits()) & GUARDS == GUARDS
    }

    /// Returns the counts of all kinds, eight bits each.
    #[inline(always)]
    pub(crate) const fn bits(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    #[inline(always)]
    pub(crate) const fn add(&mut self, kind: PieceKind) {
        self.0[kind as usize & 7] += 1;
    }

    #[inline(always)]
    pub(crate) const fn remove(&mut self, kind: PieceKind) {
        self.0[kind as usize & 7] -= 1;
    }
}
