//! Bringing the tables of a database up to date.

use super::{
    connection::{DatabaseConnection, lacks_table, statement},
    dialect::Dialect,
    migrations::MigrationList,
};
use crate::store::{error::StoreError, fault::DatabaseFault};
use sha2::{Digest, Sha384};
use sqlx::{AnyConnection, Executor, Row};

/// Selects the version of the tables.
const VERSION: &str = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";

/// Version of the tables that this version can read; 0 for none.
///
/// # Errors
/// A later version has made the tables, or the database refuses.
pub(super) async fn known_version(
    connection: &DatabaseConnection,
    list: MigrationList,
) -> Result<i64, StoreError> {
    match version(connection).await? {
        version if version > list.newest() => Err(DatabaseFault::Newer.into()),
        version => Ok(version),
    }
}

/// Version of the tables, which is that of the last migration; 0 for none.
async fn version(connection: &DatabaseConnection) -> Result<i64, StoreError> {
    let mut transaction = connection.begin().await?;
    match transaction.connection.fetch_one(VERSION).await {
        Ok(row) => {
            let version = row.try_get(0)?;
            transaction.commit().await?;
            Ok(version)
        }
        Err(error) if lacks_table(&error) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Brings the tables up to date, and returns their version. The transaction excludes all others that may do so.
///
/// # Errors
/// A later version has made the tables meanwhile, or the database refuses.
pub(super) async fn migrate(
    connection: &mut AnyConnection,
    dialect: &Dialect,
    list: MigrationList,
) -> Result<i64, StoreError> {
    connection.execute(dialect.migration_table).await?;
    let last: i64 = connection.fetch_one(VERSION).await?.try_get(0)?;
    if last > list.newest() {
        return Err(DatabaseFault::Newer.into());
    }
    for (index, (name, sql)) in list.0.iter().enumerate() {
        let version = index as i64 + 1;
        if version > last {
            connection.execute(*sql).await?;
            note(connection, version, name, sql).await?;
        }
    }
    Ok(list.newest())
}

/// Notes a migration as sqlx does, so that versions that leave it to sqlx can read the table.
async fn note(
    connection: &mut AnyConnection,
    version: i64,
    name: &str,
    sql: &str,
) -> Result<(), StoreError> {
    statement(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES ($1, $2, TRUE, $3, 0)",
    )
    .bind(version)
    .bind(name)
    .bind(Sha384::digest(sql.as_bytes()).to_vec())
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{
        database::{dialect, migrations::SQLITE},
        plan::OpenMode,
    };
    use sqlx::{
        SqlSafeStr,
        error::BoxDynError,
        migrate::{MigrateError, Migration, MigrationSource, MigrationType, Migrator},
    };
    use std::{future::Future, pin::Pin};

    impl MigrationSource<'static> for MigrationList {
        fn resolve(
            self,
        ) -> Pin<Box<dyn Future<Output = Result<Vec<Migration>, BoxDynError>> + Send>> {
            let migration = |(index, (name, sql)): (usize, &(&'static str, &'static str))| {
                let version = index as i64 + 1;
                let kind = MigrationType::Simple;
                Migration::new(version, (*name).into(), kind, (*sql).into_sql_str(), false)
            };
            let migrations = self.0.iter().enumerate().map(migration).collect();
            Box::pin(async move { Ok(migrations) })
        }
    }

    #[tokio::test]
    async fn versions_that_leave_it_to_sqlx_know_the_migrations() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}?mode=rwc", folder.path().join("x.db").display());
        let connection = DatabaseConnection::open(&url, &dialect::SQLITE, OpenMode::PLAY).await;
        let connection = connection.expect("a new file");
        let mut transaction = connection.begin_alone().await.expect("begun");
        for _ in 0..2 {
            let made = migrate(&mut transaction.connection, &dialect::SQLITE, SQLITE).await;
            assert_eq!(made.expect("made"), SQLITE.newest());
        }
        transaction.commit().await.expect("written");

        let mut transaction = connection.begin().await.expect("begun");
        let same = Migrator::new(SQLITE).await.expect("a list");
        let same = same
            .run_direct(None, &mut transaction.connection, false)
            .await;
        assert!(same.is_ok(), "{same:?}");
        let fewer = MigrationList(&SQLITE.0[..3]);
        let older = Migrator::new(fewer).await.expect("a list");
        let older = older
            .run_direct(None, &mut transaction.connection, false)
            .await;
        assert!(
            matches!(older, Err(MigrateError::VersionMissing(_))),
            "{older:?}"
        );
        let refused = migrate(&mut transaction.connection, &dialect::SQLITE, fewer).await;
        transaction.undo().await.expect("undone");
        let refused = refused.expect_err("written by a later version");
        assert!(refused.to_string().contains("newer"), "{refused}");
        let looked = known_version(&connection, fewer).await;
        let looked = looked.expect_err("not read by a guess");
        assert!(looked.to_string().contains("newer"), "{looked}");
    }
}
