use super::{
    bitboard::Bitboard,
    check::CheckInfo,
    generate::{Scope, generate},
    moves::Move,
    position::Position,
    sink::PushMove,
    square::Square,
};
use std::mem::MaybeUninit;

/// Greatest number of legal moves of a position.
pub const MOST_LEGAL_MOVES: usize = 593;

/// A list of moves with room for every legal move of a position.
#[derive(Clone)]
pub struct MoveList {
    moves: [MaybeUninit<Move>; MoveList::CAPACITY + MoveList::ROOM],
    len: usize,
}

impl MoveList {
    /// Capacity of the list, above [`MOST_LEGAL_MOVES`].
    pub const CAPACITY: usize = 600;

    /// Room for the moves to every square.
    const ROOM: usize = 128;

    /// Creates an empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self {
            moves: [const { MaybeUninit::uninit() }; Self::CAPACITY + Self::ROOM],
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
        // SAFETY: only `push` and `push_moves` raise `len`, after they have initialised the entries.
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
    fn push_moves(&mut self, to: Bitboard, of: impl Fn(Square) -> Move) {
        // The length is counted in a register and written once.
        let room: &mut [_; Self::ROOM] = (self.moves[self.len..].first_chunk_mut())
            .expect("room beyond the largest number of moves");
        let mut count = 0;
        to.squares().for_each(|square| {
            room[count % Self::ROOM].write(of(square));
            count += 1;
        });
        self.len += count;
    }
}
