use super::color::Color;
use std::fmt;

/// One of the 81 squares, numbered file by file: 1a is 0, 1i is 8, 9i is 80.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 81;

    /// Returns the square with a number below 81.
    #[inline]
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// Returns the square on a file and a rank, both counted from 0: file 0 is file 1, rank 0 is rank
    /// a.
    #[inline]
    pub const fn at(file: usize, rank: usize) -> Option<Self> {
        if file < 9 && rank < 9 {
            Some(Self((file * 9 + rank) as u8))
        } else {
            None
        }
    }

    /// Returns the square with a number that is known to be below 81.
    #[inline(always)]
    pub(crate) const fn from_index(index: usize) -> Self {
        debug_assert!(index < Self::COUNT);
        Self(index as u8)
    }

    /// Returns the number of the square, below 81.
    #[inline(always)]
    pub const fn index(self) -> usize {
        let index = self.0 as usize;
        // SAFETY: the field is private; `new` and `at` check the bound, and `from_index` is called
        // inside the crate only, with the number of a bit of a bitboard (never above 80), a field
        // of a move (checked when the move is made from text, and by the generator otherwise) or a
        // neighbouring square on the board. Debug builds check it there.
        unsafe { std::hint::assert_unchecked(index < Self::COUNT) };
        index
    }

    /// Returns the file, 0 for file 1.
    #[inline(always)]
    pub const fn file(self) -> usize {
        self.0 as usize / 9
    }

    /// Returns the rank, 0 for rank a.
    #[inline(always)]
    pub const fn rank(self) -> usize {
        self.0 as usize % 9
    }

    /// Returns the rank as `color` sees it: 0 is the opponent's back rank.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> usize {
        match color {
            Color::Black => self.rank(),
            Color::White => 8 - self.rank(),
        }
    }

    /// Returns the square as seen from the other side of the board.
    #[inline(always)]
    pub const fn flip(self) -> Self {
        Self(80 - self.0)
    }

    /// Iterates over all squares in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self::from_index)
    }

    /// Parses the two characters of a square such as `7g`.
    pub fn parse(file: u8, rank: u8) -> Option<Self> {
        let file = file.checked_sub(b'1')? as usize;
        let rank = rank.checked_sub(b'a')? as usize;
        Self::at(file, rank)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = (b'1' + self.file() as u8) as char;
        let rank = (b'a' + self.rank() as u8) as char;
        write!(f, "{file}{rank}")
    }
}
