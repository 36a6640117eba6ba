use super::{
    check::CheckInfo,
    generate::{Scope, generate},
    moves::Move,
    position::Position,
    sink::PushMove,
};
use std::mem::MaybeUninit;

/// A list of moves with room for every legal move of a position.
#[derive(Clone)]
pub struct MoveList {
    moves: [MaybeUninit<Move>; MoveList::CAPACITY],
    len: usize,
}

impl MoveList {
    /// Capacity of the list; no position has more than 593 legal moves.
    pub const CAPACITY: usize = 600;

    /// Creates an empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self {
            moves: [const { MaybeUninit::uninit() }; Self::CAPACITY],
            len: 0,
        }
    }

    /// Lists all legal moves of a position.
    #[inline]
    pub fn legal(position: &Position) -> Self {
        let mut list = Self::new();
        let info = CheckInfo::new(position);
        generate::<true, _>(position, &info, Scope::ALL, &mut list);
        list
    }

    /// Lists the legal moves of a position without useless refusals to promote, as [`generate`] leaves them out.
    pub fn useful(position: &Position) -> Self {
        let mut list = Self::new();
        let info = CheckInfo::new(position);
        generate::<false, _>(position, &info, Scope::ALL, &mut list);
        list
    }

    /// Appends a move.
    ///
    /// # Panics
    /// The list is full.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        self.moves[self.len].write(mv);
        self.len += 1;
    }

    /// Returns the moves.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Move] {
        // SAFETY: only `push` raises `len`, after it has initialised the entry.
        unsafe { std::slice::from_raw_parts(self.moves.as_ptr().cast(), self.len) }
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline(always)]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl PushMove for MoveList {
    #[inline(always)]
    fn push_move(&mut self, mv: Move) {
        self.push(mv);
    }
}
