//! Progress of the cells, and closing them.

use super::{cells::Cells, connection::statement, values::number};
use crate::{
    statistics::PairOutcome,
    store::{
        error::StoreError,
        plan::GameUnderWay,
        rows::{CellStanding, PairUnderWay},
    },
};
use sqlx::{AnyConnection, AssertSqlSafe, Executor, Row, any::AnyRow};
use std::ops::Range;

/// Selects pairs that are over: cell, first number, the number after the last.
const OUTCOMES: &str = "
    SELECT number, state, points FROM pairs
    WHERE cell = $1 AND number >= $2 AND number < $3 AND state IN (2, 3) ORDER BY number";

/// First version of the tables in which finished pairs are counted as they are finished.
const WITH_TALLIES: i64 = 7;

/// Most pairs under way that are listed.
const LISTED: u32 = 5_000;

/// Longest text of a position, far longer than any that Monju writes.
const LONGEST_POSITION: u32 = 60_000;

/// Progress of every cell, in the order of the plan. Pairs whose lease is over are open: nobody plays them.
pub(super) async fn standings(
    connection: &mut AnyConnection,
    cells: &Cells,
    (version, now): (i64, &str),
) -> Result<Vec<CellStanding>, StoreError> {
    if cells.count() == 0 {
        return Ok(Vec::new());
    }
    if version >= WITH_TALLIES
        && let Some(standings) = tallied(connection, cells, now).await?
    {
        return Ok(standings);
    }
    counted(connection, cells, now).await
}

/// Progress by the counts that the database keeps: one statement, whose cost does not depend on the number of pairs.
/// `None` if the store has more pairs than the plan, which are in those counts.
async fn tallied(
    connection: &mut AnyConnection,
    cells: &Cells,
    now: &str,
) -> Result<Option<Vec<CellStanding>>, StoreError> {
    let rows = cells.rows();
    let query = format!(
        "SELECT id, 'all', closed, COALESCE((SELECT MAX(number) + 1 FROM pairs WHERE cell = cells.id), 0)
         FROM cells WHERE id IN {rows}
         UNION ALL
         SELECT cell, 'finished', points, CAST(SUM(pairs) AS BIGINT) FROM tallies WHERE cell IN {rows}
         GROUP BY cell, points
         UNION ALL
         SELECT cell, 'apart', state, COUNT(*) FROM pairs
         WHERE cell IN {rows} AND state IN (1, 3) AND (state = 3 OR expires >= {now})
         GROUP BY cell, state"
    );
    let mut standings = vec![CellStanding::default(); cells.count()];
    for row in connection.fetch_all(AssertSqlSafe(query)).await? {
        let Some(cell) = cells.index(row.try_get(0)?) else {
            continue;
        };
        let standing = &mut standings[cell];
        let (value, count) = (row.try_get::<i64, _>(2)?, row.try_get::<i64, _>(3)? as u64);
        match row.try_get::<&str, _>(1)? {
            "all" if count > u64::from(cells.pairs(cell)) => return Ok(None),
            "all" => standing.closed = value == 1,
            "finished" => {
                standing.finished += count;
                standing.pairs[value.clamp(0, 4) as usize] += count;
            }
            _ if value == 1 => standing.leased = count,
            _ => standing.given_up = count,
        }
    }
    Ok(Some(with_open(standings, cells)))
}

/// Adds the pairs that are left, whether or not the store has made them yet.
fn with_open(mut standings: Vec<CellStanding>, cells: &Cells) -> Vec<CellStanding> {
    for (cell, standing) in standings.iter_mut().enumerate() {
        let others = standing.finished + standing.leased + standing.given_up;
        standing.open = u64::from(cells.pairs(cell)).saturating_sub(others);
    }
    standings
}

/// Progress by counting every planned pair.
async fn counted(
    connection: &mut AnyConnection,
    cells: &Cells,
    now: &str,
) -> Result<Vec<CellStanding>, StoreError> {
    let mut standings = vec![CellStanding::default(); cells.count()];
    let counts = format!(
        "SELECT cell, running, points, COUNT(*) FROM
         (SELECT cell, points, CASE WHEN state = 1 AND expires < {now} THEN 0 ELSE state END AS running
          FROM pairs WHERE {}) AS planned
         GROUP BY cell, running, points",
        cells.planned("")
    );
    for row in connection.fetch_all(AssertSqlSafe(counts)).await? {
        let Some(cell) = cells.index(row.try_get(0)?) else {
            continue;
        };
        let standing = &mut standings[cell];
        let count = row.try_get::<i64, _>(3)? as u64;
        match row.try_get::<i64, _>(1)? {
            0 | 4 => {}
            1 => standing.leased += count,
            2 => {
                standing.finished += count;
                let points = row.try_get::<i64, _>(2)?.clamp(0, 4) as usize;
                standing.pairs[points] += count;
            }
            _ => standing.given_up += count,
        }
    }
    let closed = format!(
        "SELECT id FROM cells WHERE closed = 1 AND id IN {}",
        cells.rows()
    );
    for row in connection.fetch_all(AssertSqlSafe(closed)).await? {
        if let Some(cell) = cells.index(row.try_get(0)?) {
            standings[cell].closed = true;
        }
    }
    Ok(with_open(standings, cells))
}

/// The pairs of a cell with these numbers that are over, by number.
pub(super) async fn outcomes(
    connection: &mut AnyConnection,
    cell: i64,
    numbers: Range<u32>,
) -> Result<Vec<PairOutcome>, StoreError> {
    let rows = statement(OUTCOMES)
        .bind(cell)
        .bind(i64::from(numbers.start))
        .bind(i64::from(numbers.end))
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| {
            let finished = row.try_get::<i64, _>(1)? == 2;
            let half_points = finished.then(|| number(row, 2)).transpose()?;
            Ok((number(row, 0)?, half_points))
        })
        .collect()
}

/// The pairs that runners are playing, by runner; empty for tables of a version that does not know their games.
pub(super) async fn under_way(
    connection: &mut AnyConnection,
    cells: &Cells,
    (version, now): (i64, &str),
) -> Result<Vec<PairUnderWay>, StoreError> {
    if version < WITH_TALLIES || cells.count() == 0 {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT cell, number, runner, game, SUBSTR(position, 1, {LONGEST_POSITION}), expires - {now}
         FROM pairs WHERE cell IN {} AND state IN (1, 3) AND state = 1
         ORDER BY runner, cell, number LIMIT {LISTED}",
        cells.rows()
    );
    let rows = connection.fetch_all(AssertSqlSafe(query)).await?;
    let known = rows.iter().filter_map(|row| {
        let cell = row.try_get(0).map(|id| cells.index(id));
        cell.transpose().map(|cell| pair_under_way(row, cell?))
    });
    known.collect()
}

fn pair_under_way(row: &AnyRow, cell: usize) -> Result<PairUnderWay, StoreError> {
    Ok(PairUnderWay {
        cell,
        pair: number(row, 1)?,
        runner: row.try_get(2)?,
        game: GameUnderWay {
            game: number(row, 3)?,
            position: row.try_get(4)?,
        },
        left_ms: row.try_get(5)?,
    })
}

/// Whether pairs of a cell are handed out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Open,
    Closed,
}

/// Marks a cell, and moves its pairs to the state that goes with that. Nobody may add pairs meanwhile: they would keep
/// the state of before.
pub(super) async fn mark(
    connection: &mut AnyConnection,
    cell: i64,
    mark: Mark,
) -> Result<(), StoreError> {
    let (closed, from, to) = match mark {
        Mark::Open => (0, 4, 0),
        Mark::Closed => (1, 0, 4),
    };
    statement("UPDATE cells SET closed = $2 WHERE id = $1")
        .bind(cell)
        .bind(closed)
        .execute(&mut *connection)
        .await?;
    statement("UPDATE pairs SET state = $3 WHERE cell = $1 AND state = $2")
        .bind(cell)
        .bind(from)
        .bind(to)
        .execute(connection)
        .await?;
    Ok(())
}
