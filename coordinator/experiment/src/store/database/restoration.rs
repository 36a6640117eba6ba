//! Games of another store, written into a new one.

use super::{
    builds, cells::Cells, connection::statement, dialect::Dialect, games, incidents, plans,
    standings,
};
use crate::store::{
    error::StoreError,
    fault::DatabaseFault,
    plan::ATTEMPTS,
    rows::{KeptCell, KeptResults},
};
use sqlx::{AnyConnection, Row};
use std::collections::BTreeSet;

/// State of a finished pair.
const FINISHED: i64 = 2;

/// State of a pair that failed too often.
const GIVEN_UP: i64 = 3;

/// Marks a pair as finished with so many half points, or as given up.
const MARK_PAIR: &str =
    "UPDATE pairs SET state = $3, points = $4, failures = $5 WHERE cell = $1 AND number = $2";

/// Makes a cell that counts games of another store.
const COUNT_ELSEWHERE: &str = "
    INSERT INTO cells (experiment, label, specification, elsewhere) VALUES ($1, $2, $3, $4)
    ON CONFLICT (experiment, label, specification) DO UPDATE SET elsewhere = EXCLUDED.elsewhere";

/// Writes the results of another store into the experiment called `name`, which has none. `file` is the text of its
/// file.
pub(super) async fn restore(
    connection: &mut AnyConnection,
    (dialect, cells, name): (&Dialect, &Cells, &str),
    kept: &KeptResults,
    file: &str,
) -> Result<(), StoreError> {
    let query = format!(
        "SELECT COUNT(*) FROM pairs WHERE cell IN {} AND state IN (1, 2, 3)",
        cells.rows()
    );
    let begun = statement(&query).fetch_one(&mut *connection).await?;
    if begun.try_get::<i64, _>(0)? > 0 {
        return Err(StoreError::Begun(name.to_owned()));
    }
    plans::restore(connection, cells.experiment(), &kept.plans, file).await?;
    for (index, cell) in kept.cells.iter().enumerate() {
        restore_cell(connection, dialect, cells.row(index)?, cell).await?;
    }
    for other in &kept.others {
        statement(COUNT_ELSEWHERE)
            .bind(cells.experiment())
            .bind(&other.label)
            .bind(other.specification.as_deref().unwrap_or_default())
            .bind(i64::try_from(other.games).unwrap_or(i64::MAX))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn restore_cell(
    connection: &mut AnyConnection,
    dialect: &Dialect,
    cell: i64,
    kept: &KeptCell,
) -> Result<(), StoreError> {
    let builds: BTreeSet<&str> = kept
        .games
        .iter()
        .map(|(row, _)| row.build.as_str())
        .collect();
    if !builds.is_empty() {
        builds::forget(connection, cell).await?;
    }
    for build in builds {
        builds::welcome(connection, dialect, cell, build).await?;
    }
    for pair in kept
        .games
        .chunk_by(|(one, _), (other, _)| one.pair == other.pair)
    {
        let points = pair.iter().map(|(row, _)| row.result.half_points()).sum();
        mark(connection, (cell, pair[0].0.pair), (FINISHED, points, 0)).await?;
        for (row, record) in pair {
            games::restore(connection, cell, (row, record)).await?;
        }
    }
    for pair in &kept.given_up {
        mark(connection, (cell, *pair), (GIVEN_UP, 0, ATTEMPTS)).await?;
    }
    for incident in &kept.incidents {
        incidents::restore(connection, cell, incident).await?;
    }
    if kept.closed {
        standings::mark(connection, cell, standings::Mark::Closed).await?;
    }
    Ok(())
}

/// Gives a pair a state, the half points of its first side, and its failures.
async fn mark(
    connection: &mut AnyConnection,
    (cell, pair): (i64, u32),
    (state, points, failures): (i64, u32, u32),
) -> Result<(), StoreError> {
    let marked = statement(MARK_PAIR)
        .bind(cell)
        .bind(i64::from(pair))
        .bind(state)
        .bind(i64::from(points))
        .bind(i64::from(failures))
        .execute(connection)
        .await?;
    match marked.rows_affected() {
        0 => Err(DatabaseFault::UnplannedPair(pair).into()),
        _ => Ok(()),
    }
}
