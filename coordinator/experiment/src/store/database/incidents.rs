//! Rows of incidents.

use super::{connection::statement, values::number};
use crate::{
    record::{Incident, MatchSide},
    store::{error::StoreError, rows::IncidentRow},
};
use sqlx::{AnyConnection, Row};

/// Inserts one incident.
const INSERT: &str = "
    INSERT INTO incidents (cell, pair, game, cause, side, detail, runner)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Selects the incidents of one cell.
const SELECT: &str = "
    SELECT pair, game, cause, side, detail FROM incidents WHERE cell = $1 ORDER BY id";

/// Writes an incident.
pub(super) async fn write(
    connection: &mut AnyConnection,
    (cell, pair): (i64, u32),
    incident: &Incident,
    runner: &str,
) -> Result<(), StoreError> {
    statement(INSERT)
        .bind(cell)
        .bind(i64::from(pair))
        .bind(i64::from(incident.game))
        .bind(incident.cause.name())
        .bind(incident.side.name())
        .bind(&incident.detail)
        .bind(runner)
        .execute(connection)
        .await?;
    Ok(())
}

/// Incidents of a cell, in the order in which they were recorded.
pub(super) async fn read(
    connection: &mut AnyConnection,
    cell: i64,
) -> Result<Vec<IncidentRow>, StoreError> {
    let rows = statement(SELECT).bind(cell).fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
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
            })
        })
        .collect()
}
