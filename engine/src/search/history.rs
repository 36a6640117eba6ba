//! Histories: statistics of the moves that were best, or failed, earlier in a search.

mod adder;
mod context;
mod correction;
mod entry;
mod rows;
mod sums;

pub(super) use context::{Context, Contexts};
pub(super) use correction::Features;
pub(super) use rows::QuietRows;
pub(super) use sums::KindSums;

use super::numbers::history as numbers;
use crate::{
    pages::large_array,
    rules::{Color, Move, Position, Square},
};
use adder::Adder;
use context::{PIECE_SQUARES, moved_kind};
use correction::Correction;
use entry::{HistoryEntry, forget};
use std::collections::TryReserveError;

/// Largest absolute values of the entries of each history.
const QUIET_LIMIT: i32 = 7_183;
const CONTINUATION_LIMIT: i32 = 30_000;
const PAWN_LIMIT: i32 = 8_192;
const CAPTURE_LIMIT: i32 = 10_692;

/// Buckets of pawn structures.
const PAWN_BUCKETS: usize = 512;

/// Plies from the root on that have a history of their own.
const LOW_PLIES: usize = 5;

const ORIGINS: usize = 88;
const MOVES: usize = ORIGINS * Square::COUNT;
const KIND_SQUARES: usize = 16 * Square::COUNT;

/// The histories of one search, which its threads share.
pub(super) struct History {
    /// Butterfly history by side, origin or dropped kind, and destination.
    quiet: Box<[HistoryEntry]>,
    /// The same for the first plies of this search alone, by ply in place of the side.
    low_ply: Box<[HistoryEntry]>,
    /// Continuation histories after the opponent's earlier moves and after own ones.
    continuation: [Box<[HistoryEntry]>; 2],
    /// Pawn history by pawn structure, moved piece and destination.
    pawn: Box<[HistoryEntry]>,
    /// Capture history by moved piece, destination and captured kind.
    capture: Box<[HistoryEntry]>,
    pub correction: Correction,
    /// Adds up rows of the tables.
    adder: Adder,
}

impl History {
    /// Allocates empty histories.
    ///
    /// # Errors
    /// The system lacks the memory.
    pub fn new() -> Result<Self, TryReserveError> {
        let table = || large_array(PIECE_SQUARES * KIND_SQUARES);
        Ok(Self {
            quiet: large_array(2 * MOVES)?,
            low_ply: large_array(LOW_PLIES * MOVES)?,
            continuation: [table()?, table()?],
            pawn: large_array(PAWN_BUCKETS * PIECE_SQUARES)?,
            capture: large_array(PIECE_SQUARES * 16)?,
            correction: Correction::new()?,
            adder: Adder::best(),
        })
    }

    pub fn clear(&mut self) {
        forget(&mut self.quiet);
        forget(&mut self.low_ply);
        self.continuation.iter_mut().for_each(|table| forget(table));
        forget(&mut self.pawn);
        forget(&mut self.capture);
        self.correction.clear();
    }

    /// Begins a search from another root.
    pub fn begin(&mut self) {
        forget(&mut self.low_ply);
    }

    /// Returns the butterfly history of a quiet move.
    #[inline(always)]
    pub fn quiet(&self, position: &Position, mv: Move) -> i32 {
        self.by_mover(position.side_to_move(), mv).get()
    }

    /// Returns the history of a quiet move after the last two moves.
    #[inline(always)]
    pub fn continuation(&self, position: &Position, mv: Move, contexts: &Contexts) -> i32 {
        let column = column(position, mv);
        self.by_context(column, 0, contexts).get() + self.by_context(column, 1, contexts).get()
    }

    /// Returns the history of a quiet move with these pawns.
    #[inline(always)]
    pub fn pawn(&self, position: &Position, mv: Move, contexts: &Contexts) -> i32 {
        self.by_pawns(Context::of(position, mv), contexts).get()
    }

    /// Adds a bonus to every history of a quiet move.
    pub fn update_quiet(&self, position: &Position, mv: Move, contexts: &Contexts, bonus: i32) {
        self.by_mover(position.side_to_move(), mv)
            .update(bonus, QUIET_LIMIT);
        if let Some(entry) = self.by_ply(mv, contexts) {
            entry.update(bonus * numbers::low_ply() / 1024, QUIET_LIMIT);
        }
        let moved = Context::of(position, mv);
        let part = if bonus > 0 {
            numbers::pawn_bonus()
        } else {
            numbers::pawn_malus()
        };
        self.by_pawns(moved, contexts)
            .update(bonus * part / 1024, PAWN_LIMIT);
        self.update_continuation(moved, contexts, bonus * numbers::continuation() / 1024);
    }

    /// Adds a bonus to the histories of a move after the moves before it. `moved` is its context.
    pub fn update_continuation(&self, moved: Context, contexts: &Contexts, bonus: i32) {
        let column = moved.0 % KIND_SQUARES;
        let weights = [
            numbers::continuation_1(),
            numbers::continuation_2(),
            numbers::continuation_3(),
            numbers::continuation_4(),
            numbers::continuation_6(),
        ];
        for (index, weight) in weights.into_iter().enumerate() {
            // In check, moves answer the last moves alone.
            if contexts.in_check && index > 1 {
                break;
            }
            self.by_context(column, index, contexts)
                .update(bonus * weight / 1024, CONTINUATION_LIMIT);
        }
    }

    /// Adds bonuses to the butterfly and pawn histories of a quiet move of the side `mover` that has
    /// been made already. `moved` is its context.
    pub fn update_made(
        &self,
        (mover, mv, moved): (Color, Move, Context),
        contexts: &Contexts,
        (quiet, pawn): (i32, i32),
    ) {
        self.by_mover(mover, mv).update(quiet, QUIET_LIMIT);
        self.by_pawns(moved, contexts).update(pawn, PAWN_LIMIT);
    }

    /// Returns the history score of a capture or promotion.
    #[inline(always)]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        self.by_victim(position, mv).get()
    }

    pub fn update_capture(&self, position: &Position, mv: Move, bonus: i32) {
        self.by_victim(position, mv).update(bonus, CAPTURE_LIMIT);
    }

    /// The same for a capture that has been made already, of a piece with the number `victim`.
    pub fn update_made_capture(&self, moved: Context, victim: usize, bonus: i32) {
        self.capture[moved.0 * 16 + victim % 16].update(bonus, CAPTURE_LIMIT);
    }

    #[inline(always)]
    fn by_context(&self, column: usize, index: usize, contexts: &Contexts) -> &HistoryEntry {
        let own = Contexts::PLIES[index].is_multiple_of(2);
        &self.continuation[usize::from(own)][contexts.moves[index].0 * KIND_SQUARES + column]
    }

    #[inline(always)]
    fn by_mover(&self, mover: Color, mv: Move) -> &HistoryEntry {
        &self.quiet[mover.index() * MOVES + mv.origin() * Square::COUNT + mv.to().index()]
    }

    #[inline(always)]
    fn by_ply(&self, mv: Move, contexts: &Contexts) -> Option<&HistoryEntry> {
        (contexts.ply < LOW_PLIES).then(|| {
            &self.low_ply[contexts.ply * MOVES + mv.origin() * Square::COUNT + mv.to().index()]
        })
    }

    #[inline(always)]
    fn by_pawns(&self, moved: Context, contexts: &Contexts) -> &HistoryEntry {
        &self.pawn[contexts.pawns % PAWN_BUCKETS * PIECE_SQUARES + moved.0]
    }

    #[inline(always)]
    fn by_victim(&self, position: &Position, mv: Move) -> &HistoryEntry {
        let victim = position.piece(mv.to()).index() & 15;
        &self.capture[Context::of(position, mv).0 * 16 + victim]
    }
}

#[inline(always)]
fn column(position: &Position, mv: Move) -> usize {
    moved_kind(position, mv).index() * Square::COUNT + mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;

    #[test]
    fn entries_stay_within_their_limit() {
        let entry = HistoryEntry::default();
        for _ in 0..1000 {
            entry.update(1700, QUIET_LIMIT);
        }
        assert!(entry.get() > QUIET_LIMIT * 8 / 10 && entry.get() <= QUIET_LIMIT);
        for _ in 0..1000 {
            entry.update(-1700, QUIET_LIMIT);
        }
        assert!(entry.get() < -QUIET_LIMIT * 8 / 10);
    }

    #[test]
    fn a_move_has_the_same_histories_before_and_after_it_is_made() {
        let history = History::new().expect("memory");
        let mut game = Game::from_usi("startpos moves 7g7f 8c8d 2g2f 4a3b").unwrap();
        for text in ["8h3c+", "2b3c", "2f2e", "B*5e"] {
            let position = game.position();
            let mv = game.parse_move(text).unwrap();
            let moved = Context::of(position, mv);
            let contexts = Contexts {
                moves: [moved; 5],
                pawns: position.structure().pawns() as usize,
                ply: 20,
                in_check: false,
            };
            let mover = position.side_to_move();
            history.update_made((mover, mv, moved), &contexts, (300, 200));
            history.update_continuation(moved, &contexts, 700);
            assert!(history.quiet(position, mv) > 0, "{text}");
            assert!(history.pawn(position, mv, &contexts) > 0, "{text}");
            assert!(history.continuation(position, mv, &contexts) > 0, "{text}");
            game.play(mv).unwrap();
        }
    }
}
