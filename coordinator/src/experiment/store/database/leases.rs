//! Who may play which pair, and for how long.

use super::{
    cells::Cells,
    dialect::Dialect,
    values::{milliseconds, number},
};
use crate::experiment::store::{ATTEMPTS, Lease, StoreError};
use sqlx::{Any, AnyPool, Executor, Row};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Finishes a pair: cell, pair, token, points.
const FINISH: &str = "
    UPDATE pairs SET state = 2, points = $4
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Counts a failure: cell, pair, token, attempts.
const FAIL: &str = "
    UPDATE pairs SET failures = failures + 1, token = '',
        state = CASE WHEN failures + 1 >= $4 THEN 3 ELSE 0 END
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Frees a pair: cell, pair, token.
const GIVE_BACK: &str = "
    UPDATE pairs SET state = 0, token = ''
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// The statements about leases.
#[derive(Debug)]
pub(super) struct Leases {
    take: String,
    extend: String,
    /// Makes tokens unique within this process.
    tokens: AtomicU64,
}

impl Leases {
    pub fn new(dialect: &Dialect, cells: &Cells) -> Self {
        let Dialect { now, lock, .. } = dialect;
        let planned = cells.planned();
        Self {
            // The plus keeps SQLite from looking cells up and sorting all their pairs: the index by
            // dispatch has the next one in front.
            take: format!(
                "UPDATE pairs SET state = 1, token = $1, runner = $2, expires = {now} + $3
                 WHERE (cell, number) = (
                    SELECT cell, number FROM pairs
                    WHERE state IN (0, 1) AND (state = 0 OR expires < {now}) AND +{planned}
                        AND cell NOT IN (SELECT id FROM cells WHERE closed = 1)
                    ORDER BY dispatch, cell, number LIMIT 1 {lock})
                 RETURNING cell, number, failures"
            ),
            extend: format!(
                "UPDATE pairs SET expires = {now} + $4
                 WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1"
            ),
            tokens: AtomicU64::new(0),
        }
    }

    /// The next pair in dispatch order; `None` when nothing is free.
    pub async fn take(
        &self,
        pool: &AnyPool,
        cells: &Cells,
        runner: &str,
        term: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        let token = format!("{runner}-{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let rows = sqlx::query(&self.take)
            .bind(&token)
            .bind(runner)
            .bind(milliseconds(term))
            .fetch_all(pool)
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let id: i64 = row.try_get(0)?;
        let cell = cells.index(id);
        Ok(Some(Lease {
            cell: cell.ok_or_else(|| StoreError::Database(format!("cell {id} is not planned")))?,
            pair: number(row, 1)?,
            failures: number(row, 2)?,
            token,
        }))
    }

    /// Holds a pair for longer; whether it is still held.
    pub async fn extend(
        &self,
        pool: &AnyPool,
        cell: i64,
        lease: &Lease,
        term: Duration,
    ) -> Result<bool, StoreError> {
        settle(pool, &self.extend, cell, lease, milliseconds(term)).await
    }
}

/// Ends a lease with a result; whether it was still held.
pub(super) async fn finish<'e>(
    executor: impl Executor<'e, Database = Any>,
    cell: i64,
    lease: &Lease,
    half_points: u32,
) -> Result<bool, StoreError> {
    settle(executor, FINISH, cell, lease, half_points.into()).await
}

/// Ends a lease with a failure; whether it was still held.
pub(super) async fn fail<'e>(
    executor: impl Executor<'e, Database = Any>,
    cell: i64,
    lease: &Lease,
) -> Result<bool, StoreError> {
    settle(executor, FAIL, cell, lease, ATTEMPTS.into()).await
}

/// Ends a lease with nothing.
pub(super) async fn give_back(pool: &AnyPool, cell: i64, lease: &Lease) -> Result<(), StoreError> {
    sqlx::query(GIVE_BACK)
        .bind(cell)
        .bind(i64::from(lease.pair))
        .bind(&lease.token)
        .execute(pool)
        .await?;
    Ok(())
}

/// Changes a pair, if its lease is still this one.
async fn settle<'e>(
    executor: impl Executor<'e, Database = Any>,
    statement: &str,
    cell: i64,
    lease: &Lease,
    value: i64,
) -> Result<bool, StoreError> {
    let done = sqlx::query(statement)
        .bind(cell)
        .bind(i64::from(lease.pair))
        .bind(&lease.token)
        .bind(value)
        .execute(executor)
        .await?;
    Ok(done.rows_affected() == 1)
}
