//! Leases: which runner may play which pair, and for how long.

use super::{
    cells::Cells,
    connection::statement,
    dialect::Dialect,
    values::{milliseconds, number},
};
use crate::store::{
    error::StoreError,
    fault::DatabaseFault,
    plan::{ATTEMPTS, GameUnderWay, Lease},
};
use sqlx::{AnyConnection, Row};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Finishes a pair that has no result yet, whoever holds it or has given it up: cell, pair, token, points.
const FINISH: &str = "
    UPDATE pairs SET state = 2, points = $4, token = $3
    WHERE cell = $1 AND number = $2 AND state IN (0, 1, 3)";

/// Counts a failure: cell, pair, token, attempts.
const FAIL: &str = "
    UPDATE pairs SET failures = failures + 1, token = '',
        state = CASE WHEN failures + 1 >= $4 THEN 3 ELSE 0 END
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Frees a pair: cell, pair, token.
const GIVE_BACK: &str = "
    UPDATE pairs SET state = 0, token = ''
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// SQL statements about leases.
#[derive(Debug)]
pub(super) struct Leases {
    take: String,
    extend: String,
    /// Number of the next token, which makes tokens unique within this process.
    tokens: AtomicU64,
}

impl Leases {
    pub fn new(dialect: &Dialect, cells: &Cells) -> Self {
        let Dialect { now, lock, .. } = dialect;
        let experiment = cells.experiment();
        let choice = format!(
            "{} AND cell NOT IN (SELECT id FROM cells WHERE closed = 1)",
            cells.planned("+")
        );
        Self {
            // Each of the two indexes begins with its next pair, and the second is not read if the first has
            // one. The plus keeps SQLite from using the index of cells, which would sort all their pairs.
            // Pairs of a closed cell that a runner gives back are skipped; the others have left the index.
            take: format!(
                "UPDATE pairs SET state = 1, token = $1, runner = $2, expires = {now} + $3, game = 0,
                    position = ''
                 WHERE (cell, number) = (SELECT cell, number FROM (
                    SELECT * FROM (
                        SELECT cell, number FROM pairs
                        WHERE experiment = {experiment} AND state = 1 AND expires < {now} AND {choice}
                        ORDER BY expires LIMIT 1 {lock}) AS expired
                    UNION ALL SELECT * FROM (
                        SELECT cell, number FROM pairs
                        WHERE experiment = {experiment} AND state = 0 AND {choice}
                        ORDER BY dispatch, cell, number LIMIT 1 {lock}) AS open) AS free LIMIT 1)
                 RETURNING cell, number, failures"
            ),
            extend: format!(
                "UPDATE pairs SET expires = {now} + $4, game = $5, position = $6
                 WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1"
            ),
            tokens: AtomicU64::new(0),
        }
    }

    /// Takes the next pair in dispatch order; `None` when no pair is free.
    pub async fn take(
        &self,
        connection: &mut AnyConnection,
        cells: &Cells,
        runner: &str,
        term: Duration,
    ) -> Result<Option<Lease>, StoreError> {
        let token = format!("{runner}-{}", self.tokens.fetch_add(1, Ordering::Relaxed));
        let rows = statement(&self.take)
            .bind(&token)
            .bind(runner)
            .bind(milliseconds(term))
            .fetch_all(connection)
            .await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let id: i64 = row.try_get(0)?;
        let cell = cells.index(id);
        Ok(Some(Lease {
            cell: cell.ok_or(DatabaseFault::UnplannedCell(id))?,
            pair: number(row, 1)?,
            failures: number(row, 2)?,
            token,
        }))
    }

    /// Holds a pair for longer; returns false when the lease is over.
    pub async fn extend(
        &self,
        connection: &mut AnyConnection,
        cell: i64,
        lease: &Lease,
        (term, game): (Duration, &GameUnderWay),
    ) -> Result<bool, StoreError> {
        let done = statement(&self.extend)
            .bind(cell)
            .bind(i64::from(lease.pair))
            .bind(&lease.token)
            .bind(milliseconds(term))
            .bind(i64::from(game.game))
            .bind(&game.position)
            .execute(connection)
            .await?;
        Ok(done.rows_affected() == 1)
    }
}

/// Finishes a pair, also after the lease has run out; returns false when it is over already.
pub(super) async fn finish(
    connection: &mut AnyConnection,
    cell: i64,
    lease: &Lease,
    half_points: u32,
) -> Result<bool, StoreError> {
    settle(connection, FINISH, cell, lease, half_points.into()).await
}

/// Tells whether this very lease has ended with a result: the answer to its end may have been lost.
pub(super) async fn has_finished(
    connection: &mut AnyConnection,
    cell: i64,
    lease: &Lease,
) -> Result<bool, StoreError> {
    let query =
        "SELECT number FROM pairs WHERE cell = $1 AND number = $2 AND token = $3 AND state = 2";
    let found = statement(query)
        .bind(cell)
        .bind(i64::from(lease.pair))
        .bind(&lease.token)
        .fetch_optional(connection)
        .await?;
    Ok(found.is_some())
}

/// Ends a lease with a failure; returns false when it was over already.
pub(super) async fn fail(
    connection: &mut AnyConnection,
    cell: i64,
    lease: &Lease,
) -> Result<bool, StoreError> {
    settle(connection, FAIL, cell, lease, ATTEMPTS.into()).await
}

/// Ends a lease without a result.
pub(super) async fn give_back(
    connection: &mut AnyConnection,
    cell: i64,
    lease: &Lease,
) -> Result<(), StoreError> {
    statement(GIVE_BACK)
        .bind(cell)
        .bind(i64::from(lease.pair))
        .bind(&lease.token)
        .execute(connection)
        .await?;
    Ok(())
}

/// Frees the pairs that were given up, except in closed cells; returns their number.
pub(super) async fn retry(
    connection: &mut AnyConnection,
    cells: &Cells,
) -> Result<u64, StoreError> {
    let retry = format!(
        "UPDATE pairs SET state = 0, failures = 0 WHERE state = 3 AND {}
         AND cell NOT IN (SELECT id FROM cells WHERE closed = 1)",
        cells.planned("")
    );
    let freed = statement(&retry).execute(connection).await?;
    Ok(freed.rows_affected())
}

/// Runs a statement that ends a lease; returns whether it has changed the pair.
async fn settle(
    connection: &mut AnyConnection,
    sql: &str,
    cell: i64,
    lease: &Lease,
    value: i64,
) -> Result<bool, StoreError> {
    let done = statement(sql)
        .bind(cell)
        .bind(i64::from(lease.pair))
        .bind(&lease.token)
        .bind(value)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MatchOutcome;
    use crate::report::tests::game;
    use crate::store::{
        Accepted, ExperimentPlan, OpenMode, PlannedCell, PlayedPair, RegisteredPlan, Store,
        database::Database,
    };
    use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
    use std::{
        path::Path,
        sync::{Arc, atomic::AtomicU32},
    };

    fn plan(name: &str, pairs: u32) -> ExperimentPlan {
        ExperimentPlan {
            name: name.to_owned(),
            specification: "specification".to_owned(),
            seed: 1,
            build: "build".to_owned(),
            cells: ["one", "two"]
                .map(|label| PlannedCell {
                    label: label.to_owned(),
                    specification: "settings".to_owned(),
                    pairs,
                    engines: String::new(),
                })
                .into(),
            registered: RegisteredPlan::default(),
        }
    }

    async fn open(file: &Path, plan: &ExperimentPlan) -> Database {
        let opening = OpenMode::PLAY;
        let opened = Database::sqlite(file, plan, opening).await;
        opened.expect("a store")
    }

    /// Both builds were let in, since no pair had begun, and the games of both were counted together.
    #[tokio::test]
    async fn of_two_builds_that_begin_together_the_later_one_plays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("t.db");
        let first = open(&file, &plan("t", 2)).await;
        let other = ExperimentPlan {
            build: "other build".to_owned(),
            ..plan("t", 2)
        };
        let second = open(&file, &other).await;
        let refused = first.lease("r", Duration::from_secs(60)).await;
        let pair = PlayedPair {
            games: [0, 1].map(|number| game("startpos moves 7g7f", number, MatchOutcome::Win)),
            incidents: Vec::new(),
        };
        let error = refused.expect_err("another build").to_string();
        assert!(error.contains("(other build, this is build)"), "{error}");
        assert!(error.contains("'one' of 't'"), "{error}");
        for _ in 0..3 {
            let lease = second.lease("s", Duration::from_secs(60)).await;
            let lease = lease.expect("asked").expect("a pair");
            assert!(second.finish(&lease, "s", &pair).await.expect("finished"));
        }
    }

    /// The restart forgot the other machine's build, whose next pair was refused.
    #[tokio::test]
    async fn a_restart_with_a_changed_file_keeps_the_builds_that_were_accepted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("t.db");
        open(&file, &plan("t", 2)).await;
        let other = ExperimentPlan {
            build: "other build".to_owned(),
            ..plan("t", 2)
        };
        let accepted = OpenMode::Play(Accepted {
            build: true,
            ..Accepted::default()
        });
        let second = Database::sqlite(&file, &other, accepted).await;
        let second = second.expect("accepted");
        let first = open(&file, &plan("t", 3)).await;
        for store in [&first, &second] {
            let lease = store.lease("r", Duration::from_secs(60)).await;
            lease.expect("a build that may play").expect("a pair");
        }
    }

    /// Counts the steps of SQLite's virtual machine for the next lease, and rolls the lease back.
    async fn steps(file: &Path, database: &Database) -> u32 {
        let url = format!("sqlite:{}", file.display());
        let mut connection = SqliteConnection::connect(&url).await.expect("a file");
        let mut transaction = connection.begin().await.expect("a transaction");
        let steps = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&steps);
        let mut handle = transaction.lock_handle().await.expect("a connection");
        handle.set_progress_handler(1, move || {
            counter.fetch_add(1, Ordering::Relaxed);
            true
        });
        drop(handle);
        let leased = sqlx::query(AssertSqlSafe(database.leases.take.as_str()))
            .bind("token")
            .bind("runner")
            .bind(1000_i64)
            .fetch_all(&mut *transaction)
            .await;
        assert_eq!(leased.expect("asked").len(), 1, "a pair is free");
        transaction.rollback().await.expect("rolled back");
        steps.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_pair_whose_lease_is_over_is_open() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = open(&folder.path().join("t.db"), &plan("t", 3)).await;
        for _ in 0..2 {
            let lease = store.lease("r", std::time::Duration::from_secs(60)).await;
            lease.expect("asked").expect("a pair");
        }
        // Once by the counts that are kept, and once by counting, as where another plan had more pairs.
        let smaller = open(&folder.path().join("t.db"), &plan("t", 2)).await;
        for (expires, expected) in [(9_000_000_000_000_i64, [1, 2]), (1_000, [3, 0])] {
            let mut transaction = store.connection.begin().await.expect("begun");
            statement("UPDATE pairs SET expires = $1 WHERE state = 1")
                .bind(expires)
                .execute(&mut transaction.connection)
                .await
                .expect("set");
            transaction.commit().await.expect("set");
            let [open, leased] = expected;
            let cell = &store.standings().await.expect("standings")[0];
            assert_eq!((cell.open, cell.leased), (open, leased));
            let cell = &smaller.standings().await.expect("standings")[0];
            assert_eq!((cell.open, cell.leased), (open - 1, leased));
        }
    }

    #[tokio::test]
    async fn pairs_that_no_runner_has_made_yet_are_open() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("t.db");
        let store = open(&file, &plan("t", 2)).await;
        store
            .lease("r", Duration::from_secs(60))
            .await
            .expect("asked");
        let mut larger = plan("t", 5);
        let another = PlannedCell {
            label: "another".to_owned(),
            ..larger.cells[0].clone()
        };
        larger.cells.push(another);
        let seen = Database::sqlite(&file, &larger, OpenMode::Look).await;
        let seen = seen.expect("a store").standings().await.expect("standings");
        let open: Vec<_> = seen.iter().map(|cell| (cell.open, cell.leased)).collect();
        assert_eq!(open, [(4, 1), (5, 0), (5, 0)]);
    }

    #[tokio::test]
    async fn a_lease_costs_the_same_in_a_large_store() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("small.db");
        let least = steps(&file, &open(&file, &plan("small", 10)).await).await;
        assert!(least > 20, "{least} steps: nothing was counted");
        let limit = 2 * least;

        let file = folder.path().join("large.db");
        let others = open(&file, &plan("others", 2000)).await;
        let large = open(&file, &plan("large", 2000)).await;
        let fresh = steps(&file, &large).await;
        assert!(fresh <= limit, "{fresh} steps beside {least}: open pairs");

        let mut transaction = large.connection.begin().await.expect("begun");
        statement("UPDATE pairs SET state = 2 WHERE number < 1900")
            .execute(&mut transaction.connection)
            .await
            .expect("finished");
        transaction.commit().await.expect("finished");
        let late = steps(&file, &large).await;
        assert!(late <= limit, "{late} steps beside {least}: finished pairs");

        let mut transaction = large.connection.begin().await.expect("begun");
        statement("UPDATE pairs SET state = 1, expires = 9000000000000 WHERE number < 1900")
            .execute(&mut transaction.connection)
            .await
            .expect("leased");
        transaction.commit().await.expect("leased");
        let running = steps(&file, &large).await;
        assert!(
            running <= limit,
            "{running} steps beside {least}: pairs under way"
        );

        others.close_cell(0).await.expect("closed");
        let decided = steps(&file, &others).await;
        assert!(
            decided <= limit,
            "{decided} steps beside {least}: pairs of a closed cell"
        );
        // Pairs that are planned afterwards are not read either.
        let grown = open(&file, &plan("others", 4000)).await;
        let grown = steps(&file, &grown).await;
        assert!(grown <= limit, "{grown} steps beside {least}: a grown plan");
    }
}
