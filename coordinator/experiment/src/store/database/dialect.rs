//! Differences between SQLite and PostgreSQL.

use super::migrations::{self, MigrationList};

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
    migrations: migrations::SQLITE,
};

/// PostgreSQL, a server for several machines.
pub(super) const POSTGRES: Dialect = Dialect {
    now: "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
    lock: "FOR UPDATE SKIP LOCKED",
    setup: &[],
    look: &[],
    migrations: migrations::POSTGRES,
};
