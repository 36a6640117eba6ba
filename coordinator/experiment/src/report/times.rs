//! Times of moves, and losses on time.

use super::findings::CellFindings;
use crate::{
    record::{Cause, MatchSide},
    store::{Store, StoreError},
};
use monju_engine::{Color, Game};
use std::time::Duration;

/// Games that are held in memory at a time.
const BATCH: u32 = 200;

/// Times of the slowest moves of the first and of the second side in a cell; `None` without a move.
///
/// # Errors
/// The store cannot be read.
pub async fn slowest_moves(
    store: &dyn Store,
    cell: usize,
) -> Result<[Option<Duration>; 2], StoreError> {
    let mut slowest = [None; 2];
    let mut from = 0;
    loop {
        let records = store.records(cell, from, BATCH).await?;
        let Some(last) = records.last() else {
            return Ok(slowest);
        };
        from = last.pair + 1;
        for record in &records {
            // Stores hold legal games only; another text has no moves to count.
            let Ok(game) = Game::from_usi(&record.moves) else {
                continue;
            };
            // The last note belongs to the last move.
            let mut color = !game.position().side_to_move();
            for note in record.notes.0.iter().rev() {
                let side = match (record.game, color) {
                    (0, Color::Black) | (1, Color::White) => MatchSide::First,
                    _ => MatchSide::Second,
                };
                let time = Some(Duration::from_millis(note.time_ms));
                slowest[side.index()] = slowest[side.index()].max(time);
                color = !color;
            }
        }
    }
}

/// Games of a cell that a side lost on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLosses {
    /// All of them.
    pub games: usize,
    /// Those in which the machine stalled for longer than the move was late.
    pub stalled: usize,
    /// The longest of these stalls.
    pub longest_stall: Option<Duration>,
}

impl TimeLosses {
    /// Counts them for a side.
    pub fn of(cell: &CellFindings<'_>, side: MatchSide) -> Self {
        let incidents = cell.incidents.iter().filter(|incident| {
            incident.cause == Cause::TimeLoss.name() && incident.side == Some(side)
        });
        let stalls = incidents.clone().filter_map(|incident| incident.stall);
        Self {
            games: incidents.count(),
            stalled: stalls.clone().count(),
            longest_stall: stalls.max(),
        }
    }
}
