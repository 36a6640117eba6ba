//! Times of moves, and losses on time.

use super::findings::CellFindings;
use crate::{
    counted::CountedPairs,
    notes::Note,
    record::{Cause, Effort, GameEnding, MatchSide},
    specification::Specification,
    store::{Store, StoreError},
};
use monju_engine::{Color, Game};
use std::{collections::BTreeMap, time::Duration};

/// Games that are held in memory at a time.
const BATCH: u32 = 200;

/// Times of the slowest moves of the first and of the second side among the games of a cell that count, moves that lost
/// on time included; `None` without a move.
///
/// # Errors
/// The store cannot be read.
pub async fn slowest_moves(
    specification: &Specification,
    store: &dyn Store,
    cell: usize,
) -> Result<[Option<Duration>; 2], StoreError> {
    let counted = CountedPairs::of(specification, store, cell).await?;
    let lost_on_time: BTreeMap<(u32, u32), [Effort; 2]> = (store.games(cell).await?)
        .into_iter()
        .filter(|game| game.ending == GameEnding::TimeLoss.name())
        .map(|game| ((game.pair, game.game), game.effort))
        .collect();
    let mut slowest = [None; 2];
    let mut from = 0;
    loop {
        let records = store.records(cell, from, BATCH).await?;
        let Some(last) = records.last() else {
            return Ok(slowest);
        };
        from = last.pair + 1;
        for record in records.iter().filter(|it| counted.includes(it.pair)) {
            // Stores hold legal games only; another text has no moves to count.
            let Ok(game) = Game::from_usi(&record.moves) else {
                continue;
            };
            let side_of = |color: Color| match (record.game, color) {
                (0, Color::Black) | (1, Color::White) => MatchSide::First,
                _ => MatchSide::Second,
            };
            let mut note = |side: MatchSide, time_ms: u64| {
                let time = Some(Duration::from_millis(time_ms));
                slowest[side.index()] = slowest[side.index()].max(time);
            };
            let to_move = game.position().side_to_move();
            // The last note belongs to the last move.
            let mut color = !to_move;
            let mut noted = [0; 2];
            for Note { time_ms, .. } in record.notes.0.iter().rev() {
                let side = side_of(color);
                note(side, *time_ms);
                noted[side.index()] += time_ms;
                color = !color;
            }
            // A move that lost on time was not played, and has no note: its time is the rest of the side's effort.
            let is_noted =
                game.moves().len() == record.opening_plies as usize + record.notes.0.len();
            if let Some(effort) = lost_on_time.get(&(record.pair, record.game))
                && is_noted
            {
                let late = side_of(to_move);
                let all = effort[late.index()].time_ms;
                note(late, all.saturating_sub(noted[late.index()]));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        notes::Notes,
        record::MatchOutcome,
        report::tests::{game, played},
        store::PlayedPair,
    };

    #[tokio::test]
    async fn the_slowest_move_may_have_lost_on_time_and_counts_where_its_pair_does() {
        let (specification, store, _folder) = played().await;
        let late = async |cell: usize, time_ms: u64| {
            let lease = store.lease("r", Duration::from_secs(60)).await;
            let lease = lease.expect("asked").expect("a pair");
            assert_eq!(lease.cell, cell);
            let opening = specification.opening(&specification.cells[cell], lease.pair);
            let opening = &specification.openings.lines()[opening];
            let mut games = [0, 1].map(|number| game(opening, number, MatchOutcome::Win));
            for game in &mut games {
                let noted = (game.opening_plies..game.plies).map(|_| Note {
                    time_ms: 20,
                    score: None,
                });
                game.notes = Notes(noted.collect());
            }
            // After 3c3d and 1g1f, the second side has White and is to move.
            games[0].ending = GameEnding::TimeLoss;
            games[0].effort[1].time_ms = 20 + time_ms;
            let pair = PlayedPair {
                games,
                incidents: Vec::new(),
            };
            assert!(store.finish(&lease, "r", &pair).await.expect("asked"));
        };
        late(1, 700).await;
        let ms = |time| Some(Duration::from_millis(time));
        let slowest = slowest_moves(&specification, &*store, 1).await;
        assert_eq!(slowest.expect("read"), [ms(20), ms(700)]);

        late(1, 900).await;
        let mut shorter = specification.clone();
        shorter.limit_pairs(1);
        let slowest = slowest_moves(&shorter, &*store, 1).await;
        assert_eq!(slowest.expect("read"), [ms(20), ms(700)]);
    }
}
