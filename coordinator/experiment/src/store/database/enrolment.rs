//! Enrolment of an experiment: its tables, its row, and the rows of its cells and pairs.

use super::{
    builds,
    connection::{lacks_table, statement},
    dialect::Dialect,
    known_cells::KnownCells,
    plans,
};
use crate::store::{
    error::StoreError,
    plan::{Accepted, BLOCK, ExperimentPlan, PlannedCell},
};
use sqlx::{AnyConnection, Row};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// Inserts the pairs of a cell up to a number: cell, pairs, position of the cell, cells, block, first
/// number, experiment. Pairs of a closed cell get the state in which they are never handed out.
const INSERT_PAIRS: &str = "
    INSERT INTO pairs (experiment, cell, number, dispatch, state)
    WITH RECURSIVE n (i) AS (SELECT $6 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2)
    SELECT $7, $1, i, (i / $5) * $5 * $4 + $3 * $5 + i % $5,
        (SELECT CASE closed WHEN 1 THEN 4 ELSE 0 END FROM cells WHERE id = $1)
    FROM n WHERE i < $2
    ON CONFLICT (cell, number) DO NOTHING";

/// The row of an experiment.
#[derive(Clone, Debug)]
pub(super) struct Enrolled {
    /// Its number.
    pub experiment: i64,
    /// Hash of the specification that made it, or that an older version played last.
    pub specification: String,
}

/// Finds the experiment; `None` if the database does not have it, or none of our tables.
pub(super) async fn find(
    connection: &mut AnyConnection,
    name: &str,
) -> Result<Option<Enrolled>, StoreError> {
    let row = statement("SELECT id, specification FROM experiments WHERE name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await;
    let row = match row {
        Err(error) if lacks_table(&error) => None,
        row => row?,
    };
    let enrolled = row.map(|row| -> Result<_, sqlx::Error> {
        Ok(Enrolled {
            experiment: row.try_get(0)?,
            specification: row.try_get(1)?,
        })
    });
    Ok(enrolled.transpose()?)
}

/// Returns whether a run of the plan has nothing to write before its first pair, as that of any runner but the first.
pub(super) async fn is_complete(
    connection: &mut AnyConnection,
    (known, enrolled): (&KnownCells, &Enrolled),
    plan: &ExperimentPlan,
) -> Result<bool, StoreError> {
    let experiment = enrolled.experiment;
    let mut cells = plan.cells.iter();
    if !cells.all(|cell| known.find(&cell.label, &cell.specification).is_some()) {
        return Ok(false);
    }
    let ready: BTreeSet<(i64, String)> = builds::of_cells(connection, experiment)
        .await?
        .into_iter()
        .collect();
    let made = pairs(connection, experiment).await?;
    let rows = known.planned(plan).into_iter().zip(&plan.cells);
    let is_ready = |(row, cell): (i64, &PlannedCell)| {
        ready.contains(&(row, plan.build_of(cell)))
            && made.get(&row) >= Some(&i64::from(cell.pairs))
    };
    Ok(
        rows.into_iter().all(is_ready)
            && plans::is_registered(connection, experiment, plan).await?,
    )
}

/// Finds the experiment, or makes it.
pub(super) async fn enrol(
    connection: &mut AnyConnection,
    plan: &ExperimentPlan,
) -> Result<Enrolled, StoreError> {
    statement(
        "INSERT INTO experiments (name, specification, build) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO NOTHING",
    )
    .bind(&plan.name)
    .bind(&plan.specification)
    .bind(&plan.build)
    .execute(&mut *connection)
    .await?;
    let enrolled = find(connection, &plan.name).await?;
    enrolled.ok_or_else(|| StoreError::Unknown(plan.name.clone()))
}

/// Finds or makes the cells and their pairs, unless the store holds games of other settings or of another
/// build that nobody has accepted: then nothing is changed. Returns all cells.
pub(super) async fn plan_cells(
    connection: &mut AnyConnection,
    (dialect, version): (&Dialect, i64),
    (mut known, enrolled): (KnownCells, &Enrolled),
    plan: &ExperimentPlan,
    accepted: Accepted,
) -> Result<KnownCells, StoreError> {
    let experiment = enrolled.experiment;
    // The settings of a cell of an older version are those of its file, which has not changed.
    if enrolled.specification == plan.specification {
        for cell in &plan.cells {
            adopt(connection, &mut known, cell).await?;
        }
    }
    let played = played(connection, dialect, experiment).await?;
    let builds = builds::of_cells(connection, experiment).await?;
    let builds_of = |row: i64| {
        let of_row = builds.iter().filter(move |(cell, _)| *cell == row);
        of_row.map(|(_, build)| build.as_str())
    };
    for planned in &plan.cells {
        let PlannedCell {
            label,
            specification,
            ..
        } = planned;
        let Some(cell) = known.find(label, specification) else {
            let is_planned = |label: &String| plan.cells.iter().any(|cell| cell.label == *label);
            let reordered = (known.reordered(label))
                .find(|cell| played.contains(&cell.id) && !is_planned(&cell.label));
            if let Some(reordered) = reordered
                && !accepted.changes
            {
                return Err(StoreError::Reordered {
                    name: plan.name.clone(),
                    cell: label.clone(),
                    theirs: reordered.label.clone(),
                });
            }
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
        let ours = plan.build_of(planned);
        let mut others = builds_of(cell.id).filter(|build| *build != ours).peekable();
        let is_known = builds_of(cell.id).any(|build| build == ours);
        if !is_known && played.contains(&cell.id) && others.peek().is_some() && !accepted.build {
            return Err(StoreError::OtherBuild {
                name: plan.name.clone(),
                cell: label.clone(),
                theirs: others.collect::<Vec<_>>().join(", "),
                ours,
            });
        }
    }
    for cell in &plan.cells {
        statement(
            "INSERT INTO cells (experiment, label, specification) VALUES ($1, $2, $3)
             ON CONFLICT (experiment, label, specification) DO NOTHING",
        )
        .bind(experiment)
        .bind(&cell.label)
        .bind(&cell.specification)
        .execute(&mut *connection)
        .await?;
    }
    let known = KnownCells::read(connection, experiment, version).await?;
    let rows = known.planned(plan);
    let made = pairs(connection, experiment).await?;
    for (position, (cell, planned)) in rows.iter().zip(&plan.cells).enumerate() {
        let ours = plan.build_of(planned);
        let is_welcome = builds_of(*cell).any(|build| build == ours);
        if !accepted.build && !played.contains(cell) && !is_welcome {
            builds::forget(connection, *cell).await?;
        }
        builds::welcome(connection, dialect, *cell, &ours).await?;
        let missing = made.get(cell).copied().unwrap_or(0)..i64::from(planned.pairs);
        let place = (position, rows.len());
        add_pairs(connection, (experiment, *cell), place, missing).await?;
    }
    Ok(known)
}

/// Gives a cell of an older version the hash of its settings.
async fn adopt(
    connection: &mut AnyConnection,
    known: &mut KnownCells,
    planned: &PlannedCell,
) -> Result<(), StoreError> {
    let PlannedCell {
        label,
        specification,
        ..
    } = planned;
    if known.find(label, specification).is_some() {
        return Ok(());
    }
    let mut cells = known.0.iter_mut();
    let older = cells.find(|cell| cell.label == *label && cell.specification.is_empty());
    if let Some(older) = older {
        statement("UPDATE cells SET specification = $2 WHERE id = $1 AND specification = ''")
            .bind(older.id)
            .bind(specification)
            .execute(connection)
            .await?;
        older.specification.clone_from(specification);
    }
    Ok(())
}

/// Rows of the cells of an experiment that have a game, or a pair under way.
async fn played(
    connection: &mut AnyConnection,
    dialect: &Dialect,
    experiment: i64,
) -> Result<BTreeSet<i64>, StoreError> {
    let query = format!(
        "SELECT id FROM cells WHERE experiment = $1 AND (
            EXISTS (SELECT 1 FROM games WHERE games.cell = cells.id)
            OR EXISTS (SELECT 1 FROM pairs WHERE pairs.cell = cells.id AND state IN (1, 3) AND state = 1
                AND expires >= {}))",
        dialect.now
    );
    let rows = statement(&query)
        .bind(experiment)
        .fetch_all(connection)
        .await?;
    let rows = rows.iter().map(|row| row.try_get(0));
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Number of pairs that each cell of an experiment has.
async fn pairs(
    connection: &mut AnyConnection,
    experiment: i64,
) -> Result<BTreeMap<i64, i64>, StoreError> {
    let query = "SELECT id, COALESCE((SELECT MAX(number) + 1 FROM pairs WHERE cell = cells.id), 0)
        FROM cells WHERE experiment = $1";
    let rows = statement(query)
        .bind(experiment)
        .fetch_all(connection)
        .await?;
    let rows = rows
        .iter()
        .map(|row| Ok::<_, sqlx::Error>((row.try_get(0)?, row.try_get(1)?)));
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Makes the missing pairs of a cell; `place` is its position among so many cells.
async fn add_pairs(
    connection: &mut AnyConnection,
    (experiment, cell): (i64, i64),
    (position, cells): (usize, usize),
    missing: Range<i64>,
) -> Result<(), StoreError> {
    if !missing.is_empty() {
        statement(INSERT_PAIRS)
            .bind(cell)
            .bind(missing.end)
            .bind(position as i64)
            .bind(cells as i64)
            .bind(i64::from(BLOCK))
            .bind(missing.start)
            .bind(experiment)
            .execute(connection)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        OpenMode, OtherCell, RegisteredPlan, Store,
        database::{
            Database,
            connection::DatabaseConnection,
            dialect,
            migrations::{self, MigrationList},
            upgrade::migrate,
        },
    };
    use sqlx::Executor;
    use std::{path::PathBuf, time::Duration};
    use tempfile::TempDir;

    /// A store of an older version, with its temporary folder.
    async fn older_store(version: usize, statements: &[&'static str]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("old.db");
        let url = format!("sqlite:{}?mode=rwc", file.display());
        let older = MigrationList(&migrations::SQLITE.0[..version]);
        let connection = DatabaseConnection::open(&url, &dialect::SQLITE, OpenMode::Look).await;
        let connection = connection.expect("a new file");
        let mut transaction = connection.begin().await.expect("begun");
        let made = migrate(&mut transaction.connection, &dialect::SQLITE, older).await;
        made.expect("an older version");
        for statement in statements {
            let written = transaction.connection.execute(*statement).await;
            written.expect("written");
        }
        transaction.commit().await.expect("written");
        connection.close().await;
        (folder, file)
    }

    fn planned<const N: usize>(labels: [&str; N]) -> Vec<PlannedCell> {
        let cell = |label: &str| PlannedCell {
            label: label.to_owned(),
            specification: format!("settings of {label}"),
            pairs: 2,
            engines: String::new(),
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
        looked.connection.close().await;
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
        let looked = Database::sqlite(&file, &plan("changed", ""), OpenMode::Look).await;
        let looked = looked.expect("a store");
        assert_eq!(looked.version, 4, "its version can go on with it");
        looked.connection.close().await;
        let anew = Accepted {
            changes: true,
            ..none
        };
        let changed = open(&plan("changed", "build 2"), anew).await;
        let changed = changed.expect("accepted");
        let standings = changed.standings().await.expect("standings");
        assert_eq!((standings[0].finished, standings[0].open), (0, 2));
        let expected = OtherCell {
            label: "one".to_owned(),
            cell: Some(0),
            specification: None,
            games: 1,
        };
        assert_eq!(changed.other_cells().await.expect("asked"), [expected]);

        // The file that played them still has them, and their build.
        let refused = open(&plan("specification", "build 2"), none).await;
        let line = refused.expect_err("another build").to_string();
        assert!(line.contains("(build 1, this is build 2)"), "{line}");
        let same = open(&plan("specification", "build 1"), none).await;
        let standings = same.expect("the same").standings().await;
        assert_eq!(standings.expect("standings")[0].finished, 1);
    }
}
