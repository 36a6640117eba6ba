//! The histories of the quiet moves of one node.

use super::{
    Contexts, History, KIND_SQUARES, LOW_PLIES, MOVES, adder::Adder, context::moved_kind,
    entry::HistoryEntry,
};
use crate::rules::{Move, Position, Square};

type MoveRow = [HistoryEntry; MOVES];
type KindRow = [HistoryEntry; KIND_SQUARES];

/// The rows of the history tables in which the entries of a node's quiet moves lie. Found once for a
/// node, they make the score of each move a sum of few loads.
pub(in crate::search) struct QuietRows<'a> {
    quiet: &'a MoveRow,
    /// The row of the ply, with the divisor of its entries.
    low_ply: Option<(&'a MoveRow, i32)>,
    pawn: &'a KindRow,
    continuation: [&'a KindRow; Contexts::PLIES.len()],
    pub(super) adder: Adder,
}

impl History {
    /// Returns the rows of the side to move.
    #[inline(always)]
    pub fn quiet_rows(&self, position: &Position, contexts: &Contexts) -> QuietRows<'_> {
        let mover = position.side_to_move().index();
        let quiet = self.quiet.as_chunks::<MOVES>().0;
        let low_ply = self.low_ply.as_chunks::<MOVES>().0;
        let pawn = self.pawn.as_chunks::<KIND_SQUARES>().0;
        let continuation = [0, 1].map(|own: usize| self.continuation[own].as_chunks().0);
        let row = |index: usize| {
            let own = Contexts::PLIES[index].is_multiple_of(2);
            &continuation[usize::from(own)][contexts.moves[index].index()]
        };
        QuietRows {
            quiet: &quiet[mover],
            low_ply: (contexts.ply < LOW_PLIES)
                .then(|| (&low_ply[contexts.ply], 1 + 2 * contexts.ply as i32)),
            pawn: &pawn[2 * (contexts.pawns % super::PAWN_BUCKETS) + mover],
            continuation: [row(0), row(1), row(2), row(3), row(4)],
            adder: self.adder,
        }
    }
}

impl<'a> QuietRows<'a> {
    /// Returns the score by which quiet moves are ordered.
    #[inline(always)]
    pub fn order(&self, position: &Position, mv: Move) -> i32 {
        let to = mv.to().index();
        let by_origin = mv.origin() * Square::COUNT + to;
        let by_kind = moved_kind(position, mv).index() * Square::COUNT + to;
        let mut score = 2 * (self.quiet[by_origin].get() + self.pawn[by_kind].get());
        for row in self.continuation {
            score += row[by_kind].get();
        }
        score + self.early(mv)
    }

    /// Returns the part of the score that only the first plies have.
    #[inline(always)]
    pub fn early(&self, mv: Move) -> i32 {
        let by_origin = mv.origin() * Square::COUNT + mv.to().index();
        let row = self.low_ply;
        row.map_or(0, |(row, divisor)| 8 * row[by_origin].get() / divisor)
    }

    /// Tells whether the node lies in the first plies.
    #[inline(always)]
    pub fn is_early(&self) -> bool {
        self.low_ply.is_some()
    }

    /// Returns the butterfly histories of an origin or a dropped kind by destination.
    #[inline(always)]
    pub fn of_origin(&self, origin: usize) -> &[HistoryEntry; Square::COUNT] {
        &self.quiet.as_chunks().0[origin]
    }

    /// Returns the histories of a kind by destination: that of the pawns, which counts twice, and those of
    /// the moves before.
    #[inline(always)]
    pub(super) fn of_kind(&self, kind: usize) -> [&[HistoryEntry; Square::COUNT]; 6] {
        let of = |row: &'a KindRow| &row.as_chunks().0[kind];
        let [a, b, c, d, e] = self.continuation.map(of);
        [of(self.pawn), a, b, c, d, e]
    }
}
