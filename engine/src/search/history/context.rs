//! The move that a later move continues.

use crate::rules::{Move, Piece, PieceKind, Position, Square};

pub(super) const PIECE_SQUARES: usize = Piece::COUNT * Square::COUNT;

/// A moved piece and its destination, which later moves continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(pub(super) usize);

impl Context {
    /// No move: the root, or a pass.
    pub const NONE: Self = Self(Piece::NONE.index() * Square::COUNT);
    /// Number of contexts.
    pub const COUNT: usize = PIECE_SQUARES;

    pub const fn index(self) -> usize {
        self.0
    }

    /// Returns the destination of the piece.
    pub fn to(self) -> Option<Square> {
        (self != Self::NONE).then(|| Square::from_index(self.0 % Square::COUNT))
    }

    /// Returns the context of `mv`, which is made in `position`.
    #[inline(always)]
    pub fn of(position: &Position, mv: Move) -> Self {
        let piece = Piece::new(position.side_to_move(), moved_kind(position, mv));
        Self(piece.index() * Square::COUNT + mv.to().index())
    }
}

/// The surroundings of a node, in which its moves are known to the histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contexts {
    /// The moves made [`Contexts::PLIES`] plies ago.
    pub moves: [Context; 5],
    /// Hash of the pawn structure.
    pub pawns: usize,
    pub ply: usize,
    pub in_check: bool,
}

impl Contexts {
    /// Distances of the moves that a move continues.
    pub const PLIES: [usize; 5] = [1, 2, 3, 4, 6];

    /// The surroundings of the first move of a game.
    #[cfg(test)]
    pub const NONE: Self = Self {
        moves: [Context::NONE; 5],
        pawns: 0,
        ply: 100,
        in_check: false,
    };
}

/// Returns the kind of the piece that moves, before a promotion.
#[inline(always)]
pub fn moved_kind(position: &Position, mv: Move) -> PieceKind {
    match (mv.from(), mv.dropped()) {
        (Some(from), _) => position.piece(from).kind(),
        (None, Some(kind)) => kind,
        (None, None) => PieceKind::Pawn,
    }
}
