use super::square::Square;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A set of squares: bit *n* is the square with number *n*; bits above 80 are never set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub(crate) u128);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The set of all squares.
    pub const ALL: Self = Self((1 << 81) - 1);

    /// Returns the set of one square.
    #[inline(always)]
    pub const fn of(square: Square) -> Self {
        Self(SQUARES[square.index()])
    }

    /// Returns the squares of a rank, 0 for rank a.
    ///
    /// # Panics
    /// `rank` is 9 or more.
    #[inline(always)]
    pub const fn rank(rank: usize) -> Self {
        assert!(rank < 9);
        Self(RANK_A << rank)
    }

    /// Returns the squares of a file, 0 for file 1.
    ///
    /// # Panics
    /// `file` is 9 or more.
    #[inline(always)]
    pub const fn file(file: usize) -> Self {
        assert!(file < 9);
        Self(0x1ff << (9 * file))
    }

    /// Tells whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether the set contains a square.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        let index = square.index();
        let half = if index < 64 { self.0 } else { self.0 >> 64 };
        half as u64 >> (index & 63) & 1 != 0
    }

    /// Returns the number of squares.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Tells whether the set has two squares or more.
    #[inline(always)]
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Tells whether two sets share a square.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the squares of this set that are not in the other.
    #[inline(always)]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the square with the lowest number.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_index(lowest_bit(self.0)))
        }
    }

    /// Returns the square with the highest number.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_index(127 - self.0.leading_zeros() as usize))
        }
    }

    /// Iterates over the squares in order of their numbers.
    #[inline(always)]
    pub const fn squares(self) -> Squares {
        Squares {
            low: self.0 as u64,
            high: (self.0 >> 64) as u64,
        }
    }
}

/// The set of each square; a shift of 128 bits costs more than to read it.
static SQUARES: [u128; Square::COUNT] = {
    let mut sets = [0; Square::COUNT];
    let mut square = 0;
    while square < Square::COUNT {
        sets[square] = 1 << square;
        square += 1;
    }
    sets
};

/// The squares 1a, 2a, … 9a.
const RANK_A: u128 = {
    let mut bits = 0;
    let mut file = 0;
    while file < 9 {
        bits |= 1 << (9 * file);
        file += 1;
    }
    bits
};

#[inline(always)]
const fn lowest_bit(bits: u128) -> usize {
    let low = bits as u64;
    if low != 0 {
        low.trailing_zeros() as usize
    } else {
        64 + ((bits >> 64) as u64).trailing_zeros() as usize
    }
}

/// Iterates over the squares of a set.
#[derive(Clone, Debug)]
pub struct Squares {
    low: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.low != 0 {
            let index = self.low.trailing_zeros() as usize;
            self.low &= self.low - 1;
            Some(Square::from_index(index))
        } else if self.high != 0 {
            let index = 64 + self.high.trailing_zeros() as usize;
            self.high &= self.high - 1;
            Some(Square::from_index(index))
        } else {
            None
        }
    }

    // Two loops avoid a test of both halves at every step.
    #[inline(always)]
    fn fold<B, F: FnMut(B, Square) -> B>(self, init: B, mut f: F) -> B {
        let mut value = init;
        let Self { mut low, mut high } = self;
        while low != 0 {
            value = f(value, Square::from_index(low.trailing_zeros() as usize));
            low &= low - 1;
        }
        while high != 0 {
            let index = 64 + high.trailing_zeros() as usize;
            value = f(value, Square::from_index(index));
            high &= high - 1;
        }
        value
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        self.squares()
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl Shl<u32> for Bitboard {
    type Output = Self;
    /// Shifts towards higher numbers and drops squares beyond the board.
    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self((self.0 << by) & Self::ALL.0)
    }
}

impl Shr<u32> for Bitboard {
    type Output = Self;
    /// Shifts towards lower numbers.
    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self(self.0 >> by)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares
            .into_iter()
            .fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_files_contain_their_squares() {
        for square in Square::all() {
            for line in 0..9 {
                assert_eq!(Bitboard::rank(line).contains(square), square.rank() == line);
                assert_eq!(Bitboard::file(line).contains(square), square.file() == line);
            }
        }
    }

    #[test]
    fn next_and_fold_visit_the_same_squares() {
        let set = Bitboard(0x1_2345_6789_abcd_ef01_2345);
        let mut squares = set.squares();
        let walked: Vec<_> = std::iter::from_fn(|| squares.next()).collect();
        let folded = set.squares().fold(Vec::new(), |mut list, square| {
            list.push(square);
            list
        });
        assert_eq!(folded, walked);
        assert_eq!(walked.len(), set.len());
    }
}
