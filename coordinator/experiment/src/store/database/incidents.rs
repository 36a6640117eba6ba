//! Rows of incidents.

use super::{
    cells::Cells,
    connection::statement,
    values::{milliseconds, number},
};
use crate::{
    record::{Incident, MatchSide},
    store::{error::StoreError, rows::IncidentRow},
};
use sqlx::{AnyConnection, AssertSqlSafe, Executor, Row, any::AnyRow};
use std::time::Duration;

/// Inserts one incident.
const INSERT: &str = "
    INSERT INTO incidents (cell, pair, game, cause, side, detail, runner, stall_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// First version of the tables with stalls of the machine.
const WITH_STALL: i64 = 8;

/// Writes an incident.
pub(super) async fn write(
    connection: &mut AnyConnection,
    (cell, pair): (i64, u32),
    incident: &Incident,
    runner: &str,
) -> Result<(), StoreError> {
    let row = IncidentRow {
        pair,
        game: incident.game,
        cause: incident.cause.name().to_owned(),
        side: Some(incident.side),
        detail: incident.detail.clone(),
        stall: incident.stall,
    };
    insert(connection, cell, &row, runner).await
}

/// Writes an incident of another store, whose runner is not known.
pub(super) async fn restore(
    connection: &mut AnyConnection,
    cell: i64,
    incident: &IncidentRow,
) -> Result<(), StoreError> {
    insert(connection, cell, incident, "").await
}

async fn insert(
    connection: &mut AnyConnection,
    cell: i64,
    row: &IncidentRow,
    runner: &str,
) -> Result<(), StoreError> {
    statement(INSERT)
        .bind(cell)
        .bind(i64::from(row.pair))
        .bind(i64::from(row.game))
        .bind(&row.cause)
        .bind(row.side.map_or("", MatchSide::name))
        .bind(&row.detail)
        .bind(runner)
        .bind(row.stall.map_or(0, milliseconds))
        .execute(connection)
        .await?;
    Ok(())
}

/// Incidents of a cell, in the order in which they were recorded. Opening a store to look leaves old tables as they
/// are, so the query depends on their `version`.
pub(super) async fn read(
    connection: &mut AnyConnection,
    cell: i64,
    version: i64,
) -> Result<Vec<IncidentRow>, StoreError> {
    let columns = columns(version);
    let query = format!("SELECT {columns} FROM incidents WHERE cell = $1 ORDER BY id");
    let rows = statement(&query).bind(cell).fetch_all(connection).await?;
    rows.iter().map(incident).collect()
}

/// The last incidents of all these cells, in the order in which they were recorded.
pub(super) async fn last(
    connection: &mut AnyConnection,
    cells: &Cells,
    count: u32,
    version: i64,
) -> Result<Vec<(usize, IncidentRow)>, StoreError> {
    if cells.count() == 0 {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT {}, cell FROM incidents WHERE cell IN {} ORDER BY id DESC LIMIT {count}",
        columns(version),
        cells.rows()
    );
    let rows = connection.fetch_all(AssertSqlSafe(query)).await?;
    let known = rows.iter().rev().filter_map(|row| {
        let cell = row.try_get(6).map(|id| cells.index(id));
        cell.transpose().map(|cell| Ok((cell?, incident(row)?)))
    });
    known.collect()
}

/// The columns of an [`incident`].
fn columns(version: i64) -> String {
    let stall = match version >= WITH_STALL {
        true => "stall_ms",
        false => "CAST(0 AS BIGINT)",
    };
    format!("pair, game, cause, side, detail, {stall}")
}

fn incident(row: &AnyRow) -> Result<IncidentRow, StoreError> {
    Ok(IncidentRow {
        pair: number(row, 0)?,
        game: number(row, 1)?,
        cause: row.try_get(2)?,
        side: match row.try_get::<String, _>(3)?.as_str() {
            "first" => Some(MatchSide::First),
            "second" => Some(MatchSide::Second),
            _ => None,
        },
        detail: row.try_get(4)?,
        stall: match number(row, 5)? {
            0 => None,
            stall => Some(Duration::from_millis(stall.into())),
        },
    })
}
