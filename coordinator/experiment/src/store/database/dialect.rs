//! Differences between SQLite and PostgreSQL.

use super::migrations::{self, MigrationList};
use std::time::Duration;

/// Differences of one kind of database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// SQL expression of its clock, in milliseconds since 1970.
    pub now: &'static str,
    /// SQL clause that keeps two runners from taking the same pair.
    pub lock: &'static str,
    /// Statements for every new connection.
    pub setup: &'static [&'static str],
    /// Statements for new connections that change nothing.
    pub look: &'static [&'static str],
    /// Statements that begin a transaction.
    pub begin: &'static [&'static str],
    /// Statements that begin a transaction which excludes all others begun in this way.
    pub begin_alone: &'static [&'static str],
    /// Statements before a connection is closed at the end of a command.
    pub settle: &'static [&'static str],
    /// Time after which an unused connection is closed; `None` for never.
    pub idle: Option<Duration>,
    /// Longest wait for the first answer to a new connection.
    pub answer: Duration,
    /// Statement that makes the table of migrations, as sqlx has it.
    pub migration_table: &'static str,
    /// Migrations that make its tables.
    pub migrations: MigrationList,
}

/// SQLite, a file on this machine.
pub(super) const SQLITE: Dialect = Dialect {
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    // One statement is one transaction, and only one may write at a time.
    lock: "",
    // A write-ahead log survives a killed process; only a power cut may lose the last results.
    setup: &[
        "PRAGMA busy_timeout = 60000",
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = NORMAL",
    ],
    // Reading the version reveals a damaged file at once.
    look: &["PRAGMA busy_timeout = 60000", "PRAGMA schema_version"],
    begin: &["BEGIN"],
    begin_alone: &["BEGIN IMMEDIATE"],
    // A copy of the file has all results, and no page beside it keeps the log: but another runner may.
    settle: &[
        "PRAGMA busy_timeout = 2000",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ],
    idle: None,
    // A machine whose cores others have is slow, and not away.
    answer: Duration::from_secs(60),
    migration_table: "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
        version BIGINT PRIMARY KEY, description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
        success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)",
    migrations: migrations::SQLITE,
};

/// Begins a transaction that the server ends if the host of the client vanishes in its midst, so that its locks do not
/// stay. Each statement sees what others have done before it, whatever the defaults of server, database and role. The
/// limit belongs to the transaction, and not to a connection that a pooler may give to others.
const POSTGRES_BEGIN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '300s'";

/// PostgreSQL, a server for several machines.
pub(super) const POSTGRES: Dialect = Dialect {
    // The same throughout a statement, so that an index can be searched for it.
    now: "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)",
    lock: "FOR UPDATE SKIP LOCKED",
    setup: &[],
    look: &[],
    begin: &[POSTGRES_BEGIN],
    // The lock ends with the transaction; its number is that of Monju's tables alone.
    begin_alone: &[
        POSTGRES_BEGIN,
        "DO $$ BEGIN PERFORM pg_advisory_xact_lock(5570241981); END $$",
    ],
    settle: &[],
    idle: Some(Duration::from_secs(1)),
    answer: Duration::from_secs(5),
    migration_table: "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
        version BIGINT PRIMARY KEY, description TEXT NOT NULL,
        installed_on TIMESTAMPTZ NOT NULL DEFAULT now(),
        success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, execution_time BIGINT NOT NULL)",
    migrations: migrations::POSTGRES,
};
