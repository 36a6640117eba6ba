//! The little in which the databases differ.

use super::migrations::{self, Embedded};

/// One kind of database.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// Its clock in milliseconds since 1970, as an expression.
    pub now: &'static str,
    /// What keeps two runners from taking the same pair.
    pub lock: &'static str,
    /// Said on every new connection.
    pub setup: &'static [&'static str],
    /// Said instead on those that only look, and change nothing.
    pub look: &'static [&'static str],
    /// How its tables came to be.
    pub migrations: Embedded,
}

/// A file of this machine.
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
    // The version is read for the sake of reading: damage shows at once.
    look: &["PRAGMA busy_timeout = 60000", "PRAGMA schema_version"],
    migrations: migrations::SQLITE,
};

/// A server for several machines.
pub(super) const POSTGRES: Dialect = Dialect {
    now: "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
    lock: "FOR UPDATE SKIP LOCKED",
    setup: &[],
    look: &[],
    migrations: migrations::POSTGRES,
};
