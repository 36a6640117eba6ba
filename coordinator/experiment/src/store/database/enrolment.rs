//! Enrolment of an experiment: its tables, its row, and the rows of its cells and pairs.

use super::{dialect::Dialect, known_cells::KnownCells, migrations::MigrationList};
use crate::store::{
    error::StoreError,
    fault::DatabaseFault,
    plan::{Accepted, BLOCK, ExperimentPlan, OpenMode, PlannedCell},
};
use sqlx::{
    AnyPool, Row,
    migrate::{MigrateError, Migrator},
};
use std::{collections::BTreeSet, time::Duration};

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

/// The row of an experiment.
#[derive(Clone, Debug)]
pub(super) struct Enrolled {
    /// Its number.
    pub experiment: i64,
    /// Hash of the specification that made it, or that an older version played last.
    pub specification: String,
}

/// Finds the experiment, or makes it.
pub(super) async fn enrol(
    pool: &AnyPool,
    plan: &ExperimentPlan,
    mode: OpenMode,
) -> Result<Enrolled, StoreError> {
    let name = &plan.name;
    if mode != OpenMode::Look {
        sqlx::query(
            "INSERT INTO experiments (name, specification, build) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(&plan.specification)
        .bind(&plan.build)
        .execute(pool)
        .await?;
    }
    let row = sqlx::query("SELECT id, specification FROM experiments WHERE name = $1")
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
    Ok(Enrolled {
        experiment: row.try_get(0)?,
        specification: row.try_get(1)?,
    })
}

/// Finds or makes the cells and their pairs, unless the store holds games of other settings or of another
/// build that nobody has accepted: then nothing is changed. Returns all cells.
pub(super) async fn plan_cells(
    pool: &AnyPool,
    dialect: &Dialect,
    (mut known, enrolled): (KnownCells, &Enrolled),
    plan: &ExperimentPlan,
    accepted: Accepted,
) -> Result<KnownCells, StoreError> {
    let experiment = enrolled.experiment;
    // The settings of a cell of an older version are those of its file, which has not changed.
    if enrolled.specification == plan.specification {
        for cell in &plan.cells {
            adopt(pool, &mut known, cell).await?;
        }
    }
    let played = played(pool, dialect, &known).await?;
    let builds = builds(pool, experiment).await?;
    let builds_of = |row: i64| {
        let of_row = builds.iter().filter(move |(cell, _)| *cell == row);
        of_row.map(|(_, build)| build.as_str())
    };
    for PlannedCell {
        label,
        specification,
    } in &plan.cells
    {
        let Some(cell) = known.find(label, specification) else {
            let unlike =
                (known.unlike(label, specification)).find(|cell| played.contains(&cell.id));
            if let Some(unlike) = unlike
                && !accepted.changes
            {
                return Err(StoreError::Changed {
                    name: plan.name.clone(),
                    cell: label.clone(),
                    theirs: match unlike.specification.as_str() {
                        "" => format!("those of specification {}", enrolled.specification),
                        hash => hash.to_owned(),
                    },
                    ours: specification.clone(),
                });
            }
            continue;
        };
        let mut others = builds_of(cell.id)
            .filter(|build| *build != plan.build)
            .peekable();
        let is_known = builds_of(cell.id).any(|build| build == plan.build);
        if !is_known && played.contains(&cell.id) && others.peek().is_some() && !accepted.build {
            return Err(StoreError::OtherBuild {
                name: plan.name.clone(),
                cell: label.clone(),
                theirs: others.collect::<Vec<_>>().join(", "),
                ours: plan.build.clone(),
            });
        }
    }
    for cell in &plan.cells {
        sqlx::query(
            "INSERT INTO cells (experiment, label, specification) VALUES ($1, $2, $3)
             ON CONFLICT (experiment, label, specification) DO NOTHING",
        )
        .bind(experiment)
        .bind(&cell.label)
        .bind(&cell.specification)
        .execute(pool)
        .await?;
    }
    let known = KnownCells::read(pool, experiment, version(pool).await?).await?;
    let rows = known.planned(plan);
    for (position, cell) in rows.iter().enumerate() {
        if !accepted.build && !played.contains(cell) {
            forget_builds(pool, *cell).await?;
        }
        welcome(pool, dialect, *cell, &plan.build).await?;
        let place = (position, rows.len());
        add_pairs(pool, experiment, *cell, place, plan.pairs).await?;
    }
    Ok(known)
}

/// Gives a cell of an older version the hash of its settings.
async fn adopt(
    pool: &AnyPool,
    known: &mut KnownCells,
    planned: &PlannedCell,
) -> Result<(), StoreError> {
    let PlannedCell {
        label,
        specification,
    } = planned;
    if known.find(label, specification).is_some() {
        return Ok(());
    }
    let mut cells = known.0.iter_mut();
    let older = cells.find(|cell| cell.label == *label && cell.specification.is_empty());
    if let Some(older) = older {
        sqlx::query("UPDATE cells SET specification = $2 WHERE id = $1 AND specification = ''")
            .bind(older.id)
            .bind(specification)
            .execute(pool)
            .await?;
        older.specification.clone_from(specification);
    }
    Ok(())
}

/// Rows of those known cells that have a game, or a pair under way.
async fn played(
    pool: &AnyPool,
    dialect: &Dialect,
    known: &KnownCells,
) -> Result<BTreeSet<i64>, StoreError> {
    let leased = format!(
        "SELECT cell FROM pairs WHERE cell = $1 AND state = 1 AND expires >= {} LIMIT 1",
        dialect.now
    );
    let mut played = BTreeSet::new();
    for cell in &known.0 {
        for query in ["SELECT cell FROM games WHERE cell = $1 LIMIT 1", &leased] {
            let row = sqlx::query(query).bind(cell.id).fetch_optional(pool);
            if row.await?.is_some() {
                played.insert(cell.id);
                break;
            }
        }
    }
    Ok(played)
}

/// Rows of the cells of an experiment, each with a build whose games it may hold.
async fn builds(pool: &AnyPool, experiment: i64) -> Result<Vec<(i64, String)>, StoreError> {
    let rows = sqlx::query(
        "SELECT cell, cell_builds.build FROM cell_builds JOIN cells ON cells.id = cell
         WHERE experiment = $1 ORDER BY cell, since, cell_builds.build",
    )
    .bind(experiment)
    .fetch_all(pool)
    .await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
    rows.collect()
}

/// Forgets the builds of a cell without games.
async fn forget_builds(pool: &AnyPool, cell: i64) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM cell_builds WHERE cell = $1")
        .bind(cell)
        .execute(pool)
        .await?;
    Ok(())
}

/// Notes that a cell may hold games of a build.
async fn welcome(
    pool: &AnyPool,
    dialect: &Dialect,
    cell: i64,
    build: &str,
) -> Result<(), StoreError> {
    let note = format!(
        "INSERT INTO cell_builds (cell, build, since) VALUES ($1, $2, {})
         ON CONFLICT (cell, build) DO NOTHING",
        dialect.now
    );
    sqlx::query(&note)
        .bind(cell)
        .bind(build)
        .execute(pool)
        .await?;
    Ok(())
}

/// Makes the pairs of a cell that are missing; `place` is its position among so many cells.
async fn add_pairs(
    pool: &AnyPool,
    experiment: i64,
    cell: i64,
    (position, cells): (usize, usize),
    pairs: u32,
) -> Result<(), StoreError> {
    let next = sqlx::query("SELECT COALESCE(MAX(number) + 1, 0) FROM pairs WHERE cell = $1")
        .bind(cell)
        .fetch_one(pool)
        .await?
        .try_get::<i64, _>(0)?;
    if next < i64::from(pairs) {
        sqlx::query(INSERT_PAIRS)
            .bind(cell)
            .bind(i64::from(pairs))
            .bind(position as i64)
            .bind(cells as i64)
            .bind(i64::from(BLOCK))
            .bind(next)
            .bind(experiment)
            .execute(pool)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        OtherForm, RegisteredPlan, Store,
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

    fn planned<const N: usize>(labels: [&str; N]) -> Vec<PlannedCell> {
        let cell = |label: &str| PlannedCell {
            label: label.to_owned(),
            specification: format!("settings of {label}"),
        };
        labels.map(cell).into()
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
            cells: planned(["one"]),
            pairs: 2,
            registered: RegisteredPlan::default(),
        };
        let before = std::fs::read(&file).expect("a file");
        let looked = Database::sqlite(&file, &plan, OpenMode::Look).await;
        let looked = looked.expect("a store");
        assert_eq!(looked.older_specification(), Some("another"));
        let games = looked.games(0).await.expect("games");
        assert_eq!((&games[0].origin, &games[0].occasion), (&None, &None));
        let records = looked.records(0, 0, 10).await.expect("records");
        assert_eq!((records.len(), records[0].notes.0.len()), (1, 0));
        looked.pool.close().await;
        assert!(
            std::fs::read(&file).expect("a file") == before,
            "looking changes nothing"
        );

        // By its own file the cell goes on, with its games.
        let unchanged = ExperimentPlan {
            specification: "another".to_owned(),
            ..plan
        };
        let played = Database::sqlite(&file, &unchanged, OpenMode::PLAY).await;
        let played = played.expect("a store");
        assert_eq!(played.older_specification(), None);
        let games = played.games(0).await.expect("games");
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
            cells: planned(["open", "closed"]),
            pairs: 2,
            registered: RegisteredPlan::default(),
        };
        let store = Database::sqlite(&file, &plan, OpenMode::PLAY)
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

    #[tokio::test]
    async fn cells_of_an_older_version_are_not_taken_for_those_of_another_file() {
        let (_folder, file) = older_store(
            4,
            &[
                "INSERT INTO experiments VALUES (7, 'old', 'specification', 'build 1')",
                "INSERT INTO cells VALUES (3, 7, 'one', 0)",
                "INSERT INTO pairs (cell, number, dispatch, state, experiment)
                 VALUES (3, 0, 0, 2, 7), (3, 1, 1, 0, 7)",
                "INSERT INTO games VALUES (3, 0, 0, 'win', 'mate', 9, 1, 1, 1, 1, 1, 1, '', '',
                 'runner', 'build 1', 'specification', '1', 'machine', 5)",
            ],
        )
        .await;
        let plan = |specification: &str, build: &str| {
            let mut cells = planned(["one", "two"]);
            for cell in &mut cells {
                cell.specification.push_str(specification);
            }
            ExperimentPlan {
                name: "old".to_owned(),
                specification: specification.to_owned(),
                seed: 1,
                build: build.to_owned(),
                cells,
                pairs: 2,
                registered: RegisteredPlan::default(),
            }
        };
        let open = async |plan: &ExperimentPlan, accepted| {
            Database::sqlite(&file, plan, OpenMode::Play(accepted)).await
        };
        let none = Accepted::default();
        let refused = open(&plan("changed", "build 1"), none).await;
        let line = refused.expect_err("another file").to_string();
        assert!(
            line.contains("those of specification specification"),
            "{line}"
        );
        let anew = Accepted {
            changes: true,
            ..none
        };
        let changed = open(&plan("changed", "build 2"), anew).await;
        let changed = changed.expect("accepted");
        let standings = changed.standings().await.expect("standings");
        assert_eq!((standings[0].finished, standings[0].open), (0, 2));
        let expected = OtherForm {
            cell: 0,
            specification: None,
            games: 1,
        };
        assert_eq!(changed.other_forms().await.expect("asked"), [expected]);

        // The file that played them still has them, and their build.
        let refused = open(&plan("specification", "build 2"), none).await;
        let line = refused.expect_err("another build").to_string();
        assert!(line.contains("(build 1, this is build 2)"), "{line}");
        let same = open(&plan("specification", "build 1"), none).await;
        let standings = same.expect("the same").standings().await;
        assert_eq!(standings.expect("standings")[0].finished, 1);
    }
}
