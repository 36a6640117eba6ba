//! Progress of the cells, and closing them.

use super::{cells::Cells, values::number};
use crate::{
    statistics::PairOutcome,
    store::{error::StoreError, rows::CellStanding},
};
use sqlx::{AnyPool, Row};
use std::ops::Range;

/// Selects pairs that are over: cell, first number, the number after the last.
const OUTCOMES: &str = "
    SELECT number, state, points FROM pairs
    WHERE cell = $1 AND number >= $2 AND number < $3 AND state IN (2, 3) ORDER BY number";

/// Progress of every cell, in the order of the plan.
pub(super) async fn standings(
    pool: &AnyPool,
    cells: &Cells,
) -> Result<Vec<CellStanding>, StoreError> {
    let mut standings = vec![CellStanding::default(); cells.count()];
    let counts = format!(
        "SELECT cell, state, points, COUNT(*) FROM pairs WHERE {}
         GROUP BY cell, state, points",
        cells.planned()
    );
    for row in sqlx::query(&counts).fetch_all(pool).await? {
        let Some(cell) = cells.index(row.try_get(0)?) else {
            continue;
        };
        let standing = &mut standings[cell];
        let count = row.try_get::<i64, _>(3)? as u64;
        match row.try_get::<i64, _>(1)? {
            0 | 4 => standing.open += count,
            1 => standing.leased += count,
            2 => {
                standing.finished += count;
                let points = row.try_get::<i64, _>(2)?.clamp(0, 4) as usize;
                standing.pairs[points] += count;
            }
            _ => standing.given_up += count,
        }
    }
    let closed = sqlx::query("SELECT id FROM cells WHERE closed = 1");
    for row in closed.fetch_all(pool).await? {
        if let Some(cell) = cells.index(row.try_get(0)?) {
            standings[cell].closed = true;
        }
    }
    Ok(standings)
}

/// The pairs of a cell with these numbers that are over, by number.
pub(super) async fn outcomes(
    pool: &AnyPool,
    cell: i64,
    numbers: Range<u32>,
) -> Result<Vec<PairOutcome>, StoreError> {
    let rows = sqlx::query(OUTCOMES)
        .bind(cell)
        .bind(i64::from(numbers.start))
        .bind(i64::from(numbers.end))
        .fetch_all(pool)
        .await?;
    rows.iter()
        .map(|row| {
            let finished = row.try_get::<i64, _>(1)? == 2;
            let half_points = finished.then(|| number(row, 2)).transpose()?;
            Ok((number(row, 0)?, half_points))
        })
        .collect()
}

/// Hands out no more pairs of a cell.
pub(super) async fn close(pool: &AnyPool, cell: i64) -> Result<(), StoreError> {
    mark(pool, cell, (1, [0, 4])).await
}

/// Hands out the pairs of a closed cell again.
pub(super) async fn reopen(pool: &AnyPool, cell: i64) -> Result<(), StoreError> {
    mark(pool, cell, (0, [4, 0])).await
}

/// Marks a cell as open or closed, and moves its pairs from one state to another.
async fn mark(
    pool: &AnyPool,
    cell: i64,
    (closed, [from, to]): (i64, [i64; 2]),
) -> Result<(), StoreError> {
    let mut transaction = pool.begin().await?;
    sqlx::query("UPDATE cells SET closed = $2 WHERE id = $1")
        .bind(cell)
        .bind(closed)
        .execute(&mut *transaction)
        .await?;
    sqlx::query("UPDATE pairs SET state = $3 WHERE cell = $1 AND state = $2")
        .bind(cell)
        .bind(from)
        .bind(to)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(())
}
