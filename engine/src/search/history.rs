//! Histories: statistics of the moves that cut earlier in a search.

mod context;
mod correction;
mod entry;

pub(super) use context::{Context, Contexts};
pub(super) use correction::Features;

use super::options::SearchOptions;
use crate::{
    pages::large_array,
    rules::{Color, Move, Position, Square},
};
use context::{PIECE_SQUARES, moved_kind};
use correction::Correction;
use entry::{HistoryEntry, forget};
use std::collections::TryReserveError;

/// Largest absolute value of a history entry.
pub(super) const MOST: i32 = 16_384;

const ORIGINS: usize = 88;
const KIND_SQUARES: usize = 16 * Square::COUNT;

/// The histories of one search, which its threads share.
pub(super) struct History {
    /// Butterfly history by side, origin or dropped kind, and destination.
    quiet: Box<[HistoryEntry]>,
    /// Continuation histories after the opponent's last move and after own earlier moves.
    continuation: [Box<[HistoryEntry]>; 2],
    /// Capture history by moved piece, destination and captured kind.
    capture: Box<[HistoryEntry]>,
    pub correction: Correction,
    /// Number of contexts in use.
    contexts: usize,
    use_quiet: bool,
    use_capture: bool,
}

/// Returns the bonus for the best move of a search to `depth`.
#[inline(always)]
pub(super) fn bonus(options: &SearchOptions, depth: i32) -> i32 {
    /// Subtracted, so that small depths count less.
    const DISCOUNT: i32 = 60;
    (options.history_reward * depth - DISCOUNT).clamp(0, options.history_most)
}

impl History {
    /// Allocates empty histories.
    ///
    /// # Errors
    /// The system lacks the memory.
    pub fn new(options: &SearchOptions) -> Result<Self, TryReserveError> {
        let table = || large_array(PIECE_SQUARES * KIND_SQUARES);
        Ok(Self {
            quiet: large_array(2 * ORIGINS * Square::COUNT)?,
            continuation: [table()?, table()?],
            capture: large_array(PIECE_SQUARES * 16)?,
            correction: Correction::new()?,
            contexts: match (options.continuation_history, options.continuation_four) {
                (0, _) => 0,
                (_, 0) => 2,
                _ => 3,
            },
            use_quiet: options.history != 0,
            use_capture: options.capture_history != 0,
        })
    }

    pub fn clear(&mut self) {
        forget(&mut self.quiet);
        self.continuation.iter_mut().for_each(|table| forget(table));
        forget(&mut self.capture);
        self.correction.clear();
    }

    /// Returns the history score of a quiet move after the moves of `contexts`.
    #[inline(always)]
    pub fn quiet(&self, position: &Position, mv: Move, contexts: Contexts) -> i32 {
        let continuations: i32 = self
            .continuations(position, mv, contexts)
            .map(HistoryEntry::get)
            .sum();
        if !self.use_quiet {
            return continuations;
        }
        self.by_side(position, mv).get() + continuations
    }

    pub fn update_quiet(&self, position: &Position, mv: Move, contexts: Contexts, bonus: i32) {
        self.by_side(position, mv).update(bonus, MOST);
        for entry in self.continuations(position, mv, contexts) {
            entry.update(bonus, MOST);
        }
    }

    /// Like [`History::update_quiet`], for a move of the side `mover` that has been made already and
    /// has the context `made`.
    pub fn update_made(
        &self,
        mover: Color,
        mv: Move,
        made: Context,
        contexts: Contexts,
        bonus: i32,
    ) {
        self.by_mover(mover, mv).update(bonus, MOST);
        for entry in self.continuations_of(made.0 % KIND_SQUARES, contexts) {
            entry.update(bonus, MOST);
        }
    }

    /// Returns the history score of a capture or promotion.
    #[inline(always)]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        if !self.use_capture {
            return 0;
        }
        self.by_victim(position, mv).get()
    }

    pub fn update_capture(&self, position: &Position, mv: Move, bonus: i32) {
        self.by_victim(position, mv).update(bonus, MOST);
    }

    #[inline(always)]
    fn continuations(
        &self,
        position: &Position,
        mv: Move,
        contexts: Contexts,
    ) -> impl Iterator<Item = &HistoryEntry> {
        self.continuations_of(column(position, mv), contexts)
    }

    #[inline(always)]
    fn continuations_of(
        &self,
        column: usize,
        contexts: Contexts,
    ) -> impl Iterator<Item = &HistoryEntry> {
        let [theirs, own] = &self.continuation;
        ([theirs, own, own]
            .into_iter()
            .zip(contexts)
            .take(self.contexts))
        .map(move |(table, context)| &table[context.0 * KIND_SQUARES + column])
    }

    #[inline(always)]
    fn by_side(&self, position: &Position, mv: Move) -> &HistoryEntry {
        self.by_mover(position.side_to_move(), mv)
    }

    #[inline(always)]
    fn by_mover(&self, mover: Color, mv: Move) -> &HistoryEntry {
        let row = mover.index() * ORIGINS + mv.origin();
        &self.quiet[row * Square::COUNT + mv.to().index()]
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
            entry.update(1700, MOST);
        }
        assert!(entry.get() > MOST * 9 / 10 && entry.get() <= MOST);
        for _ in 0..1000 {
            entry.update(-1700, MOST);
        }
        assert!(entry.get() < -MOST * 9 / 10);
    }

    #[test]
    fn a_move_gets_the_same_reward_before_and_after_it_is_made() {
        let [before, after] = [(); 2].map(|()| History::new(&SearchOptions::default()).unwrap());
        let mut game = Game::from_usi("startpos moves 7g7f 8c8d 2g2f 4a3b").unwrap();
        for text in ["8h3c+", "2b3c", "2f2e", "B*5e"] {
            let position = game.position();
            let mv = game.parse_move(text).unwrap();
            let made = Context::of(position, mv);
            let contexts = [made, Context::NONE, made];
            let mover = position.side_to_move();
            before.update_quiet(position, mv, contexts, 700);
            after.update_made(mover, mv, made, contexts, 700);
            assert!(after.quiet(position, mv, contexts) > 0, "{text}");
            assert_eq!(
                before.quiet(position, mv, contexts),
                after.quiet(position, mv, contexts),
                "{text}"
            );
            game.play(mv).unwrap();
        }
    }
}
