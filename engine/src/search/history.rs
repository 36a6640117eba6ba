//! What earlier parts of a search say about a move's chances: killers and histories.

use super::{SearchOptions, correction::Correction, scores::Scores};
use crate::rules::{Move, Piece, PieceKind, Position, Square};

/// Largest absolute value of a history entry.
const LIMIT: i16 = 16_384;

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

/// The histories of a game.
pub(super) struct History {
    /// By side, origin or dropped kind, and destination.
    quiet: Scores,
    /// By the move one ply, and two plies, ago, and the kind that moves, and where to.
    continuation: [Scores; 2],
    /// By moved piece, destination and captured kind.
    capture: Scores,
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
    pub fn new(options: &SearchOptions) -> Self {
        let continuation = || Scores::new(PIECE_SQUARES * KIND_SQUARES, LIMIT);
        Self {
            quiet: Scores::new(2 * ORIGINS * Square::COUNT, LIMIT),
            continuation: [continuation(), continuation()],
            capture: Scores::new(PIECE_SQUARES * 16, LIMIT),
            correction: Correction::new(),
            use_continuation: options.continuation_history != 0,
            use_capture: options.capture_history != 0,
        }
    }

    pub fn clear(&mut self) {
        self.quiet.clear();
        for table in &mut self.continuation {
            table.clear();
        }
        self.capture.clear();
        self.correction.clear();
    }

    /// The chances of a quiet move, after the moves of `contexts` one and two plies ago.
    #[inline(always)]
    pub fn quiet(&self, position: &Position, mv: Move, contexts: [Context; 2]) -> i32 {
        let column = column(position, mv);
        let mut score = self.quiet.get(quiet_index(position, mv));
        if !self.use_continuation {
            return score;
        }
        for (table, context) in self.continuation.iter().zip(contexts) {
            score += table.get(context.0 * KIND_SQUARES + column);
        }
        score
    }

    pub fn update_quiet(&self, position: &Position, mv: Move, contexts: [Context; 2], bonus: i32) {
        let column = column(position, mv);
        self.quiet.update(quiet_index(position, mv), bonus);
        for (table, context) in self.continuation.iter().zip(contexts) {
            table.update(context.0 * KIND_SQUARES + column, bonus);
        }
    }

    /// The chances of a capture, or of a promotion that is as good as one.
    #[inline(always)]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        if !self.use_capture {
            return 0;
        }
        self.capture.get(capture_index(position, mv))
    }

    pub fn update_capture(&self, position: &Position, mv: Move, bonus: i32) {
        self.capture.update(capture_index(position, mv), bonus);
    }
}

#[inline(always)]
fn quiet_index(position: &Position, mv: Move) -> usize {
    let side = position.side_to_move().index();
    (side * ORIGINS + mv.origin()) * Square::COUNT + mv.to().index()
}

#[inline(always)]
fn capture_index(position: &Position, mv: Move) -> usize {
    let victim = position.piece(mv.to()).index() & 15;
    Context::of(position, mv).0 * 16 + victim
}

#[inline(always)]
fn column(position: &Position, mv: Move) -> usize {
    moved_kind(position, mv).index() * Square::COUNT + mv.to().index()
}
