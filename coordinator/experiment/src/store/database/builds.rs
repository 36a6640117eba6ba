//! The builds of each cell: those whose games it may hold.

use super::{connection::statement, dialect::Dialect};
use crate::store::error::StoreError;
use sqlx::{AnyConnection, Row};

/// Rows of the cells of an experiment, each with a build whose games it may hold.
pub(super) async fn of_cells(
    connection: &mut AnyConnection,
    experiment: i64,
) -> Result<Vec<(i64, String)>, StoreError> {
    let rows = statement(
        "SELECT cell, cell_builds.build FROM cell_builds JOIN cells ON cells.id = cell
         WHERE experiment = $1 ORDER BY cell, since, cell_builds.build",
    )
    .bind(experiment)
    .fetch_all(connection)
    .await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
    rows.collect()
}

/// Forgets the builds of a cell without games.
pub(super) async fn forget(connection: &mut AnyConnection, cell: i64) -> Result<(), StoreError> {
    statement("DELETE FROM cell_builds WHERE cell = $1")
        .bind(cell)
        .execute(connection)
        .await?;
    Ok(())
}

/// Notes that a cell may hold games of a build.
pub(super) async fn welcome(
    connection: &mut AnyConnection,
    dialect: &Dialect,
    cell: i64,
    build: &str,
) -> Result<(), StoreError> {
    let note = format!(
        "INSERT INTO cell_builds (cell, build, since) VALUES ($1, $2, {})
         ON CONFLICT (cell, build) DO NOTHING",
        dialect.now
    );
    statement(&note)
        .bind(cell)
        .bind(build)
        .execute(connection)
        .await?;
    Ok(())
}

/// A cell that may not hold games of a build.
#[derive(Debug)]
pub(super) struct Unwelcome {
    /// Label of the cell.
    pub cell: String,
    /// The builds that may play it.
    pub theirs: String,
}

/// Returns the cell if it may not hold games of a build. That was settled when this build enrolled itself, but until
/// the first pair another build may have taken its place.
pub(super) async fn unwelcome(
    connection: &mut AnyConnection,
    cell: i64,
    build: &str,
) -> Result<Option<Unwelcome>, StoreError> {
    let rows = statement(
        "SELECT label, cell_builds.build FROM cells JOIN cell_builds ON cell = cells.id
         WHERE cells.id = $1 ORDER BY since, cell_builds.build",
    )
    .bind(cell)
    .fetch_all(connection)
    .await?;
    let mut label = String::new();
    let mut theirs = Vec::new();
    for row in &rows {
        label = row.try_get(0)?;
        theirs.push(row.try_get::<String, _>(1)?);
    }
    let is_welcome = theirs.iter().any(|known| known == build);
    Ok((!is_welcome).then(|| Unwelcome {
        cell: label,
        theirs: theirs.join(", "),
    }))
}
