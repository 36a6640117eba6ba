//! Faults of a database, and of the data in it.

use crate::stored_text::StoredTextError;
use std::{io, path::PathBuf, time::Duration};

/// A fault of a database, or of the data in it.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseFault {
    /// A statement or a connection failed.
    #[error("{}", one_line(.0))]
    Sql(#[source] sqlx::Error),
    /// The tables belong to a later version.
    #[error("it was written by a newer monju; use that version")]
    Newer,
    /// The server accepts connections and does not answer.
    #[error("no answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// The folder of a new file cannot be made.
    #[error("cannot make the folder {}: {source}", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file lies on a network file system.
    #[error(
        "{} lies on a network file system ({kind}), where SQLite files are damaged; move it to a disk of this machine, \
         or use a PostgreSQL database",
        .file.display()
    )]
    Network {
        /// The file.
        file: PathBuf,
        /// Kind of the file system.
        kind: &'static str,
    },
    /// The path of the file is not Unicode.
    #[error(
        "the path {} is not Unicode, as the file of a store has to be; rename what is not, or name a store by --store",
        .0.display()
    )]
    Path(PathBuf),
    /// A stored number does not fit its type.
    #[error("{0} is out of range")]
    Range(i64),
    /// A stored text cannot be read.
    #[error("{0}")]
    Text(#[from] StoredTextError),
    /// Ballots cannot be compressed.
    #[error("ballots cannot be packed: {0}")]
    Pack(#[source] io::Error),
    /// Ballots cannot be decompressed.
    #[error("ballots cannot be read: {0}")]
    Unpack(#[source] io::Error),
    /// A leased pair belongs to a cell outside the plan.
    #[error("cell {0} is not planned")]
    UnplannedCell(i64),
    /// The plan has fewer pairs than this number.
    #[error("pair {0} is beyond every plan; export the bundle again")]
    UnplannedPair(u32),
    /// The plan has fewer cells than this index.
    #[error("'{experiment}' has no cell {cell}")]
    UnknownCell {
        /// The experiment.
        experiment: String,
        /// The index.
        cell: usize,
    },
}

impl DatabaseFault {
    /// Returns true if the server, or the pooler before it, has no connection to spare.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Sql(sqlx::Error::Database(error)) => {
                // Poolers have no code of their own for it.
                error.code().as_deref() == Some("53300")
                    || error.message().contains("no more connections allowed")
                    || error.message().contains("too many clients")
            }
            _ => false,
        }
    }

    /// Returns true if the server is starting, or the pooler before it has not reached it for a while.
    pub fn is_starting(&self) -> bool {
        match self {
            Self::Sql(sqlx::Error::Database(error)) => {
                error.code().as_deref() == Some("57P03")
                    || error.message().contains("server login has been failing")
            }
            _ => false,
        }
    }

    /// Returns true for faults that pass: a lost connection, a server that stops or starts, is full or may only be read
    /// from, a statement that it has ended before its time, a busy file. They are waited for some minutes.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::NoAnswer(_) => true,
            Self::Sql(error) => match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::WorkerCrashed => true,
                // PostgreSQL: connection exceptions, no connection, memory or disk to spare, a server that may only
                // be read from while another takes its place, a transaction that it has ended because the host slept or
                // it took too long, a deadlock that it has broken, transactions that got into each other's way, a
                // statement or a lock that took too long, a server that stops or starts, a fault of its disk. SQLite:
                // busy, no disk to spare.
                sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                    code.starts_with("08")
                        || code.starts_with("53")
                        || code == "25006"
                        || code == "25P03"
                        || code == "25P04"
                        || code == "40001"
                        || code == "40P01"
                        || code == "55P03"
                        || code == "57014"
                        || code.starts_with("57P")
                        // Those of SQLite have fewer characters.
                        || (code.len() == 5 && code.starts_with("58"))
                        || code == "5"
                        || code == "517"
                        || code == "13"
                }),
                _ => false,
            },
            _ => false,
        }
    }
}

fn one_line(error: &sqlx::Error) -> String {
    let line = match error {
        // Its own text has the line of the server's source, which looks like one of a file here.
        sqlx::Error::Database(error) => error.message().to_owned(),
        error => error.to_string(),
    };
    let line = line.replace('\n', " ");
    let database = error.as_database_error();
    let mend = match line.contains("extra_float_digits") {
        true => Some("PgBouncer needs ignore_startup_parameters = extra_float_digits"),
        false => database.and_then(|error| mend_of_file(error).or_else(|| mend_of_server(error))),
    };
    match mend {
        Some(mend) => format!("{line}; {mend}"),
        None => line,
    }
}

/// What mends tables of the same names with other columns.
const FOREIGN_TABLES: &str = "these tables may be another program's: name a database of its own";

/// What mends a refusal of PostgreSQL, by its code.
fn mend_of_server(error: &dyn sqlx::error::DatabaseError) -> Option<&'static str> {
    match &*error.code()? {
        "28P01" | "28000" => Some("correct the user, or its password in PGPASSWORD or ~/.pgpass"),
        "3D000" => Some("name a database that is there, or make it with createdb"),
        "3F000" => Some("set the role's search_path to a schema that is there"),
        "42501" => Some("let this role own the database, or name one that may write to it"),
        "42703" | "42P07" => Some(FOREIGN_TABLES),
        _ => None,
    }
}

/// What mends a fault of an SQLite file, by the code of its result.
fn mend_of_file(error: &dyn sqlx::error::DatabaseError) -> Option<&'static str> {
    let code = error.code()?;
    // Codes of PostgreSQL have five characters.
    let code: u32 = (code.len() < 5).then(|| code.parse().ok()).flatten()?;
    // The lowest byte is the kind.
    match code & 0xff {
        // The code of all faults of a statement.
        1 => {
            let message = error.message();
            let is_foreign = message.contains("no such column")
                || message.contains("has no column")
                || message.contains("already exists");
            is_foreign.then_some(FOREIGN_TABLES)
        }
        8 => Some("let this user write the file and its folder, or name another store"),
        11 => Some("the file is damaged: import the last bundle of its games into a new store"),
        14 => Some("name a file that this user may write, in a folder that it may write"),
        26 => Some("name another store"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{AnyConnection, Connection, Executor};
    use std::{borrow::Cow, error::Error};

    /// An error of a database with a code, as PostgreSQL has it.
    #[derive(Debug, thiserror::Error)]
    #[error("{1} at line 334")]
    struct Refusal(&'static str, &'static str);

    impl sqlx::error::DatabaseError for Refusal {
        fn message(&self) -> &str {
            self.1
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.into())
        }

        fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> sqlx::error::ErrorKind {
            sqlx::error::ErrorKind::Other
        }
    }

    /// A statement that took longer than the server allows ended a runner, and lost its pairs.
    #[test]
    fn what_passes_is_waited_for_and_what_does_not_says_what_mends_it() {
        let fault = |code, message| {
            let error: Box<dyn sqlx::error::DatabaseError> = Box::new(Refusal(code, message));
            DatabaseFault::Sql(sqlx::Error::Database(error))
        };
        for code in [
            "57014", "55P03", "40001", "25P04", "58030", "57P03", "53300",
        ] {
            assert!(fault(code, "no").is_temporary(), "{code}");
        }
        assert!(fault("57P03", "starting up").is_starting());
        assert!(fault("08P01", "server login has been failing, try again later").is_starting());
        assert!(!fault("57014", "canceling statement").is_starting());
        let refused = fault("28P01", "password authentication failed for user \"monju\"");
        assert!(!refused.is_temporary());
        let expected = "password authentication failed for user \"monju\"; correct the user, or its password in \
                        PGPASSWORD or ~/.pgpass";
        assert_eq!(refused.to_string(), expected);
    }

    #[tokio::test]
    async fn a_full_disk_is_waited_for() {
        sqlx::any::install_default_drivers();
        let memory = AnyConnection::connect("sqlite::memory:").await;
        let mut memory = memory.expect("a database");
        let mut run = async |sql: &'static str| memory.execute(sql).await;
        run("CREATE TABLE texts (text TEXT)").await.expect("room");
        run("PRAGMA max_page_count = 2").await.expect("a limit");
        let full = run("INSERT INTO texts VALUES (hex(zeroblob(100000)))").await;
        let fault = DatabaseFault::Sql(full.expect_err("no room"));
        assert!(fault.to_string().contains("is full"), "{fault}");
        assert!(fault.is_temporary() && !fault.is_full());
    }
}
