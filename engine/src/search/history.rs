//! What earlier parts of a search say about a move's chances: killers and histories.

use super::{SearchOptions, correction::Correction, pages::large_array};
use crate::rules::{Color, Move, Piece, PieceKind, Position, Square};
use std::collections::TryReserveError;

/// Largest absolute value of a history entry.
const LIMIT: i32 = 16_384;

const ORIGINS: usize = 88;
const PIECE_SQUARES: usize = Piece::COUNT * Square::COUNT;
const KIND_SQUARES: usize = 16 * Square::COUNT;

/// The piece that moved and where it went: what a later move is a continuation of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Context(usize);

impl Context {
    /// No move: the root, or a pass.
    pub const NONE: Self = Self(Piece::NONE.index() * Square::COUNT);
    /// How many there are.
    pub const COUNT: usize = PIECE_SQUARES;

    pub const fn index(self) -> usize {
        self.0
    }

    /// The context that `mv` makes; `position` is the one before it.
    #[inline(always)]
    pub fn of(position: &Position, mv: Move) -> Self {
        let piece = Piece::new(position.side_to_move(), moved_kind(position, mv));
        Self(piece.index() * Square::COUNT + mv.to().index())
    }
}

/// The kind of the piece that moves, before a promotion.
#[inline(always)]
pub(super) fn moved_kind(position: &Position, mv: Move) -> PieceKind {
    match (mv.from(), mv.dropped()) {
        (Some(from), _) => position.piece(from).kind(),
        (None, Some(kind)) => kind,
        (None, None) => PieceKind::Pawn,
    }
}

#[inline(always)]
fn update(entry: &mut i16, bonus: i32) {
    let value = i32::from(*entry);
    let next = value + bonus - value * bonus.abs() / LIMIT;
    *entry = next.clamp(-LIMIT, LIMIT) as i16;
}

/// The histories of one search thread.
pub(super) struct History {
    /// By side, origin or dropped kind, and destination.
    quiet: Box<[[[i16; Square::COUNT]; ORIGINS]; 2]>,
    /// By the move one ply, and two plies, ago.
    continuation: [Box<[i16]>; 2],
    /// By moved piece, destination and captured kind.
    capture: Box<[[i16; 16]]>,
    pub correction: Correction,
    use_continuation: bool,
    use_capture: bool,
}

/// Bonus for the move that proved best at a depth; the others get its negative.
#[inline(always)]
pub(super) fn bonus(depth: i32) -> i32 {
    (150 * depth - 60).min(1700)
}

impl History {
    /// # Errors
    /// The system has no such room.
    pub fn new(options: &SearchOptions) -> Result<Self, TryReserveError> {
        let table = || large_array(PIECE_SQUARES * KIND_SQUARES);
        Ok(Self {
            quiet: Box::new([[[0; Square::COUNT]; ORIGINS]; 2]),
            continuation: [table()?, table()?],
            capture: vec![[0; 16]; PIECE_SQUARES].into_boxed_slice(),
            correction: Correction::new(),
            use_continuation: options.continuation_history != 0,
            use_capture: options.capture_history != 0,
        })
    }

    pub fn clear(&mut self) {
        *self.quiet = [[[0; Square::COUNT]; ORIGINS]; 2];
        for table in &mut self.continuation {
            table.fill(0);
        }
        self.capture.fill([0; 16]);
        self.correction.clear();
    }

    /// The chances of a quiet move, after the moves of `contexts` one and two plies ago.
    #[inline(always)]
    pub fn quiet(&self, position: &Position, mv: Move, contexts: [Context; 2]) -> i32 {
        let side = position.side_to_move();
        let column = column(position, mv);
        let mut score = i32::from(self.quiet[side.index()][mv.origin()][mv.to().index()]);
        if !self.use_continuation {
            return score;
        }
        for (table, context) in self.continuation.iter().zip(contexts) {
            score += i32::from(table[context.0 * KIND_SQUARES + column]);
        }
        score
    }

    pub fn update_quiet(
        &mut self,
        position: &Position,
        mv: Move,
        contexts: [Context; 2],
        bonus: i32,
    ) {
        let side: Color = position.side_to_move();
        let column = column(position, mv);
        update(
            &mut self.quiet[side.index()][mv.origin()][mv.to().index()],
            bonus,
        );
        for (table, context) in self.continuation.iter_mut().zip(contexts) {
            update(&mut table[context.0 * KIND_SQUARES + column], bonus);
        }
    }

    /// The chances of a capture, or of a promotion that is as good as one.
    #[inline(always)]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        if !self.use_capture {
            return 0;
        }
        let victim = position.piece(mv.to()).index() & 15;
        i32::from(self.capture[Context::of(position, mv).0][victim])
    }

    pub fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        let victim = position.piece(mv.to()).index() & 15;
        update(
            &mut self.capture[Context::of(position, mv).0][victim],
            bonus,
        );
    }
}

#[inline(always)]
fn column(position: &Position, mv: Move) -> usize {
    moved_kind(position, mv).index() * Square::COUNT + mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_within_their_limit() {
        let mut entry = 0;
        for _ in 0..1000 {
            update(&mut entry, 1700);
        }
        assert!(i32::from(entry) > LIMIT * 9 / 10 && i32::from(entry) <= LIMIT);
        for _ in 0..1000 {
            update(&mut entry, -1700);
        }
        assert!(i32::from(entry) < -LIMIT * 9 / 10);
    }
}
