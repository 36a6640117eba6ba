//! Receivers of generated moves.

use super::{bitboard::Bitboard, color::Color, moves::Move, piece::PieceKind, square::Square};

/// A receiver of legal moves as sets of destinations.
pub trait Sink {
    /// Receives the moves of one piece: to `plain` without and to `promoting` with promotion.
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);

    /// Receives the moves of all pawns of `color`, each one square ahead.
    fn pawns(&mut self, color: Color, plain: Bitboard, promoting: Bitboard);

    /// Receives the drops of each kind in the bit set `kinds` on each square of `to`.
    fn drops(&mut self, kinds: u8, to: Bitboard);
}

/// A sink that receives every move by itself.
pub trait PushMove {
    /// Receives the move `of` each square of a set.
    fn push_moves(&mut self, to: Bitboard, of: impl Fn(Square) -> Move);
}

impl<P: PushMove> Sink for P {
    #[inline(always)]
    fn piece(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        self.push_moves(promoting, |to| Move::new(from, to, true));
        self.push_moves(plain, |to| Move::new(from, to, false));
    }

    #[inline(always)]
    fn pawns(&mut self, color: Color, plain: Bitboard, promoting: Bitboard) {
        let from = |to: Square| {
            Square::from_index(match color {
                Color::Black => to.index() + 1,
                Color::White => to.index() - 1,
            })
        };
        self.push_moves(promoting, |to| Move::new(from(to), to, true));
        self.push_moves(plain, |to| Move::new(from(to), to, false));
    }

    #[inline(always)]
    fn drops(&mut self, kinds: u8, to: Bitboard) {
        let mut kinds = kinds;
        while kinds != 0 {
            let kind = PieceKind::from_index(kinds.trailing_zeros() as usize);
            kinds &= kinds - 1;
            self.push_moves(to, |to| Move::drop(kind, to));
        }
    }
}

/// A sink that only notes that there is a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnyMove(pub bool);

impl Sink for AnyMove {
    #[inline(always)]
    fn piece(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 |= !(plain | promoting).is_empty();
    }

    #[inline(always)]
    fn pawns(&mut self, _: Color, plain: Bitboard, promoting: Bitboard) {
        self.0 |= !(plain | promoting).is_empty();
    }

    #[inline(always)]
    fn drops(&mut self, kinds: u8, to: Bitboard) {
        self.0 |= kinds != 0 && !to.is_empty();
    }
}

/// A sink that counts moves without listing them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoveCounter(pub usize);

impl Sink for MoveCounter {
    #[inline(always)]
    fn piece(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.len() + promoting.len();
    }

    #[inline(always)]
    fn pawns(&mut self, _: Color, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.len() + promoting.len();
    }

    #[inline(always)]
    fn drops(&mut self, kinds: u8, to: Bitboard) {
        self.0 += kinds.count_ones() as usize * to.len();
    }
}
