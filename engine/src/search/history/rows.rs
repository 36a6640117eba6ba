//! The histories of the quiet moves of one node.

use super::{
    Contexts, History, KIND_SQUARES, LOW_PLIES, MOVES, context::moved_kind, entry::HistoryEntry,
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
        }
    }
}

impl QuietRows<'_> {
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
        if let Some((row, divisor)) = self.low_ply {
            score += 8 * row[by_origin].get() / divisor;
        }
        score
    }
}
