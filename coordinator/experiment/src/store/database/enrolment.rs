//! Enrolment of an experiment: its tables, its row, and the rows of its cells and pairs.

use super::migrations::MigrationList;
use crate::store::{
    error::StoreError,
    fault::DatabaseFault,
    plan::{BLOCK, ExperimentPlan, OpenMode},
};
use sqlx::{
    AnyPool, Row,
    migrate::{MigrateError, Migrator},
};
use std::{collections::BTreeMap, time::Duration};

/// Inserts the pairs of a cell up to a number: cell, pairs, position of the cell, cells, block, first
/// number, experiment. Pairs of a closed cell get the state in which they are never handed out.
const INSERT_PAIRS: &str = "
    INSERT INTO pairs (experiment, cell, number, dispatch, state)
    WITH RECURSIVE n (i) AS (SELECT $6 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2)
    SELECT $7, $1, i, (i / $5) * $5 * $4 + $3 * $5 + i % $5,
        (SELECT CASE closed WHEN 1 THEN 4 ELSE 0 END FROM cells WHERE id = $1)
    FROM n WHERE i < $2
    ON CONFLICT (cell, number) DO NOTHING";

/// Brings the tables up to date. Tries again after errors, because two processes may create the same
/// file at the same moment.
pub(super) async fn migrate(pool: &AnyPool, migrations: MigrationList) -> Result<(), StoreError> {
    let migrator = Migrator::new(migrations).await;
    let migrator = migrator.map_err(DatabaseFault::Migration)?;
    let mut tries = 0;
    loop {
        match migrator.run(pool).await {
            Ok(()) => return Ok(()),
            Err(MigrateError::VersionMissing(_)) => {
                return Err(DatabaseFault::Newer.into());
            }
            Err(_) if tries < 5 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(100 * tries)).await;
            }
            Err(error) => return Err(DatabaseFault::Migration(error).into()),
        }
    }
}

/// Version of the tables, which is that of the last migration.
pub(super) async fn version(pool: &AnyPool) -> Result<i64, StoreError> {
    let row = sqlx::query("SELECT MAX(version) FROM _sqlx_migrations")
        .fetch_one(pool)
        .await?;
    Ok(row.try_get(0)?)
}

/// Finds the experiment, or makes it. Returns its row and the hash of the specification that it was
/// played by last.
pub(super) async fn enrol(
    pool: &AnyPool,
    plan: &ExperimentPlan,
    mode: OpenMode,
) -> Result<(i64, String), StoreError> {
    let ExperimentPlan {
        name,
        specification,
        build,
        ..
    } = plan;
    if mode != OpenMode::Look {
        sqlx::query(
            "INSERT INTO experiments (name, specification, build) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(specification)
        .bind(build)
        .execute(pool)
        .await?;
    }
    let row = sqlx::query("SELECT id, specification, build FROM experiments WHERE name = $1")
        .bind(name)
        .fetch_optional(pool)
        .await;
    let row = match row {
        // The database has none of our tables.
        Err(sqlx::Error::Database(error))
            if error.code().as_deref() == Some("42P01")
                || error.message().starts_with("no such table") =>
        {
            None
        }
        row => row?,
    };
    let Some(row) = row else {
        return Err(StoreError::Unknown(name.clone()));
    };
    let id: i64 = row.try_get(0)?;
    let OpenMode::Play { accept_changes } = mode else {
        return Ok((id, row.try_get(1)?));
    };
    for (what, ours, theirs) in [
        ("specification", specification, row.try_get::<String, _>(1)?),
        ("build", build, row.try_get(2)?),
    ] {
        if *ours == theirs {
            continue;
        }
        if !accept_changes {
            return Err(StoreError::Mixed {
                what,
                name: name.clone(),
                theirs,
                ours: ours.clone(),
            });
        }
        sqlx::query("UPDATE experiments SET specification = $1, build = $2 WHERE id = $3")
            .bind(specification)
            .bind(build)
            .bind(id)
            .execute(pool)
            .await?;
    }
    Ok((id, specification.clone()))
}

/// Finds or makes the cells and their pairs. Returns the rows of the cells in the order of the plan.
pub(super) async fn plan_cells(
    pool: &AnyPool,
    experiment: i64,
    plan: &ExperimentPlan,
    mode: OpenMode,
) -> Result<Vec<i64>, StoreError> {
    if mode != OpenMode::Look {
        for label in &plan.cells {
            sqlx::query(
                "INSERT INTO cells (experiment, label) VALUES ($1, $2)
                 ON CONFLICT (experiment, label) DO NOTHING",
            )
            .bind(experiment)
            .bind(label)
            .execute(pool)
            .await?;
        }
    }
    let mut rows = BTreeMap::new();
    let known = sqlx::query("SELECT id, label FROM cells WHERE experiment = $1")
        .bind(experiment)
        .fetch_all(pool)
        .await?;
    for row in known {
        rows.insert(row.try_get::<String, _>(1)?, row.try_get::<i64, _>(0)?);
    }
    let mut cells = Vec::with_capacity(plan.cells.len());
    for label in &plan.cells {
        // A cell that was added to the grid since has no row when the store is opened to look; no row has id 0.
        cells.push(rows.get(label).copied().unwrap_or(0));
    }
    if mode != OpenMode::Look {
        for (position, cell) in cells.iter().enumerate() {
            let next =
                sqlx::query("SELECT COALESCE(MAX(number) + 1, 0) FROM pairs WHERE cell = $1")
                    .bind(*cell)
                    .fetch_one(pool)
                    .await?
                    .try_get::<i64, _>(0)?;
            if next >= i64::from(plan.pairs) {
                continue;
            }
            sqlx::query(INSERT_PAIRS)
                .bind(*cell)
                .bind(i64::from(plan.pairs))
                .bind(position as i64)
                .bind(cells.len() as i64)
                .bind(i64::from(BLOCK))
                .bind(next)
                .bind(experiment)
                .execute(pool)
                .await?;
        }
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        Store,
        database::{Database, migrations},
    };
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// A store of an older version, with its temporary folder.
    async fn older_store(version: usize, statements: &[&'static str]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("old.db");
        sqlx::any::install_default_drivers();
        let url = format!("sqlite:{}?mode=rwc", file.display());
        let pool = AnyPool::connect(&url).await.expect("a new file");
        let older = MigrationList(&migrations::SQLITE.0[..version]);
        migrate(&pool, older).await.expect("an older version");
        for statement in statements {
            let written = sqlx::query(statement).execute(&pool).await;
            written.expect("written");
        }
        pool.close().await;
        (folder, file)
    }

    #[tokio::test]
    async fn games_of_an_older_version_have_no_known_origin() {
        let (_folder, file) = older_store(
            2,
            &[
                "INSERT INTO experiments VALUES (7, 'old', 'another', 'build')",
                "INSERT INTO cells VALUES (3, 7, 'one', 0)",
                "INSERT INTO games VALUES
                 (3, 0, 0, 'win', 'mate', 9, 1, 1, 1, 1, 1, 1, '', '', 'runner', 'build')",
                "INSERT INTO records VALUES (3, 0, 0, 1, 'startpos moves 7g7f', x'')",
            ],
        )
        .await;
        let plan = ExperimentPlan {
            name: "old".to_owned(),
            specification: "specification".to_owned(),
            seed: 1,
            build: "build".to_owned(),
            cells: vec!["one".to_owned()],
            pairs: 2,
        };
        let before = std::fs::read(&file).expect("a file");
        let looked = Database::sqlite(&file, &plan, OpenMode::Look).await;
        let looked = looked.expect("a store");
        assert_eq!(looked.specification(), "another");
        let games = looked.games(0).await.expect("games");
        assert_eq!((&games[0].origin, &games[0].occasion), (&None, &None));
        let records = looked.records(0, 0, 10).await.expect("records");
        assert_eq!((records.len(), records[0].notes.0.len()), (1, 0));
        looked.pool.close().await;
        assert!(
            std::fs::read(&file).expect("a file") == before,
            "looking changes nothing"
        );

        let opening = OpenMode::Play {
            accept_changes: true,
        };
        let played = Database::sqlite(&file, &plan, opening).await;
        let games = played.expect("a store").games(0).await.expect("games");
        assert_eq!((&games[0].origin, &games[0].occasion), (&None, &None));
    }

    #[tokio::test]
    async fn a_store_of_the_first_version_can_be_continued() {
        let (_folder, file) = older_store(
            1,
            &[
                "INSERT INTO experiments VALUES (7, 'old', 'specification', 'build')",
                "INSERT INTO cells VALUES (3, 7, 'open', 0), (4, 7, 'closed', 1)",
                "INSERT INTO pairs (cell, number, dispatch, state)
                 VALUES (3, 0, 0, 2), (3, 1, 1, 0), (4, 0, 10, 0)",
            ],
        )
        .await;
        let plan = ExperimentPlan {
            name: "old".to_owned(),
            specification: "specification".to_owned(),
            seed: 1,
            build: "build".to_owned(),
            cells: vec!["open".to_owned(), "closed".to_owned()],
            pairs: 2,
        };
        let opening = OpenMode::Play {
            accept_changes: false,
        };
        let store = Database::sqlite(&file, &plan, opening)
            .await
            .expect("a store");
        let term = Duration::from_secs(60);
        let lease = store.lease("r", term).await.expect("asked");
        let lease = lease.expect("a pair");
        assert_eq!((lease.cell, lease.pair), (0, 1));
        assert_eq!(store.lease("r", term).await.expect("asked"), None);
        let standings = store.standings().await.expect("standings");
        assert_eq!((standings[0].finished, standings[0].leased), (1, 1));
        assert!(
            standings[1].closed && standings[1].open == 2,
            "{standings:?}"
        );
    }
}
