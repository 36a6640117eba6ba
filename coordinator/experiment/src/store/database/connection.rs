//! The one connection of a process to its database, and transactions on it.
//!
//! A process has one connection, because a server has few and runners may be many, and closes it when it was not used
//! for a while. Everything happens in transactions by statements without names, so that a pooler may give every
//! transaction another connection of the server.

use super::dialect::Dialect;
use crate::store::{error::StoreError, fault::DatabaseFault, plan::OpenMode};
use sqlx::{
    Any, AnyConnection, AssertSqlSafe, Connection, Executor, any::AnyArguments, query::Query,
};
use std::{
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::{self, Instant},
};

/// Longest wait for the end of a connection.
const CLOSING_PATIENCE: Duration = Duration::from_secs(5);

/// Longest wait for the beginning of a transaction; a pooler may hold it until a connection of the server is free.
const BEGIN_PATIENCE: Duration = Duration::from_secs(150);

/// Longest wait for an operation of a runner, the beginning of its transaction and those of others before it included.
const OPERATION_PATIENCE: Duration = Duration::from_secs(300);

/// Time for which a busy file or a starting server is tried again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// The connection while no transaction has it; `None` before the first and once it is closed.
type ConnectionSlot = Mutex<Option<IdleConnection>>;

/// A connection that is not in use.
#[derive(Debug)]
struct IdleConnection {
    connection: AnyConnection,
    since: Instant,
}

/// The connection of a process to its database.
#[derive(Debug)]
pub(super) struct DatabaseConnection {
    url: String,
    /// Statements for every new connection.
    setup: &'static [&'static str],
    /// Statements that begin a transaction.
    begin: &'static [&'static str],
    /// Statements that begin a transaction which excludes all others of the kind.
    begin_alone: &'static [&'static str],
    /// Statements before it is closed.
    settle: &'static [&'static str],
    /// Time after which an unused connection is closed; `None` for never.
    idle: Option<Duration>,
    slot: Arc<ConnectionSlot>,
}

/// A transaction. One that is dropped is undone.
#[derive(Debug)]
pub(super) struct Transaction {
    /// The connection.
    pub connection: AnyConnection,
    slot: OwnedMutexGuard<Option<IdleConnection>>,
}

impl DatabaseConnection {
    /// Connects.
    ///
    /// # Errors
    /// No server answers, or the address is not that of a database; reported within seconds, for a file within a
    /// minute.
    pub async fn open(
        url: &str,
        dialect: &'static Dialect,
        mode: OpenMode,
    ) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let opened = Self {
            url: url.to_owned(),
            setup: match mode {
                OpenMode::Look => dialect.look,
                OpenMode::Play(_) => dialect.setup,
            },
            begin: dialect.begin,
            begin_alone: dialect.begin_alone,
            settle: match mode {
                OpenMode::Look => &[],
                OpenMode::Play(_) => dialect.settle,
            },
            idle: dialect.idle,
            slot: Arc::default(),
        };
        let begun = Instant::now();
        loop {
            let error = match time::timeout(dialect.answer, opened.connect()).await {
                Ok(Ok(connection)) => {
                    opened.keep(connection).await;
                    return Ok(opened);
                }
                Ok(Err(error)) => StoreError::from(error),
                Err(_) => return Err(DatabaseFault::NoAnswer(dialect.answer).into()),
            };
            let is_temporary = matches!(&error, StoreError::Unavailable(fault) if !fault.is_full());
            if !is_temporary || begun.elapsed() >= PATIENCE {
                return Err(error);
            }
            time::sleep(PAUSE).await;
        }
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// The database does not answer, or has no connection to spare.
    pub async fn begin(&self) -> Result<Transaction, StoreError> {
        self.begin_by(self.begin).await
    }

    /// Begins a transaction that excludes all others begun in this way.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    pub async fn begin_alone(&self) -> Result<Transaction, StoreError> {
        self.begin_by(self.begin_alone).await
    }

    /// Does work that takes no time to speak of. A server that falls silent in the middle of it is given up: a lost
    /// connection is not always told, and everything else would wait for it.
    ///
    /// # Errors
    /// Those of the work, or no answer comes.
    pub async fn answered<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match time::timeout(OPERATION_PATIENCE, work).await {
            Ok(result) => result,
            Err(_) => Err(DatabaseFault::NoAnswer(OPERATION_PATIENCE).into()),
        }
    }

    async fn begin_by(&self, statements: &[&'static str]) -> Result<Transaction, StoreError> {
        let mut slot = Arc::clone(&self.slot).lock_owned().await;
        let begun = time::timeout(BEGIN_PATIENCE, async {
            if let Some(IdleConnection { mut connection, .. }) = slot.take() {
                // A server that was restarted, or a pooler, may have closed it meanwhile.
                if run(&mut connection, statements).await.is_ok() {
                    return Ok::<_, sqlx::Error>(connection);
                }
            }
            let mut connection = self.connect().await?;
            run(&mut connection, statements).await?;
            self.watch_idleness();
            Ok(connection)
        });
        match begun.await {
            Ok(connection) => Ok(Transaction {
                connection: connection?,
                slot,
            }),
            Err(_) => Err(DatabaseFault::NoAnswer(BEGIN_PATIENCE).into()),
        }
    }

    /// Closes the connection, and waits some seconds until the database has let go of it. Nothing is lost where that
    /// fails.
    pub async fn close(&self) {
        let Some(mut kept) = self.slot.lock().await.take() else {
            return;
        };
        let closed = async {
            let _ = run(&mut kept.connection, self.settle).await;
            let _ = kept.connection.close().await;
        };
        // A server may be gone.
        let _ = time::timeout(CLOSING_PATIENCE, closed).await;
    }

    async fn connect(&self) -> Result<AnyConnection, sqlx::Error> {
        let mut connection = AnyConnection::connect(&self.url).await?;
        run(&mut connection, self.setup).await?;
        Ok(connection)
    }

    async fn keep(&self, connection: AnyConnection) {
        *self.slot.lock().await = Some(IdleConnection {
            connection,
            since: Instant::now(),
        });
        self.watch_idleness();
    }

    /// Closes the connection once it was not used for a while.
    fn watch_idleness(&self) {
        if let Some(idle) = self.idle {
            tokio::spawn(close_when_idle(Arc::downgrade(&self.slot), idle));
        }
    }
}

impl Transaction {
    /// Makes its changes last.
    ///
    /// # Errors
    /// The database does not answer; the changes may last or not.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.end("COMMIT").await
    }

    /// Undoes its changes, and keeps the connection.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn undo(self) -> Result<(), StoreError> {
        self.end("ROLLBACK").await
    }

    async fn end(self, statement: &'static str) -> Result<(), StoreError> {
        let Self {
            mut connection,
            mut slot,
        } = self;
        connection.execute(statement).await?;
        *slot = Some(IdleConnection {
            connection,
            since: Instant::now(),
        });
        Ok(())
    }
}

/// A statement without a name. Its text comes from this program; values from elsewhere are bound to it.
pub(super) fn statement(sql: &str) -> Query<'static, Any, AnyArguments> {
    sqlx::query(AssertSqlSafe(sql)).persistent(false)
}

/// Returns whether a statement failed because the database has no such table.
pub(super) fn lacks_table(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table")
    })
}

async fn run(connection: &mut AnyConnection, statements: &[&'static str]) -> sqlx::Result<()> {
    for statement in statements {
        connection.execute(*statement).await?;
    }
    Ok(())
}

async fn close_when_idle(slot: Weak<ConnectionSlot>, idle: Duration) {
    let mut pause = idle;
    loop {
        time::sleep(pause).await;
        let Some(slot) = slot.upgrade() else {
            return;
        };
        let mut slot = slot.lock().await;
        let Some(kept) = slot.take() else {
            return;
        };
        let unused = kept.since.elapsed();
        if unused >= idle {
            let _ = kept.connection.close().await;
            return;
        }
        pause = idle - unused;
        *slot = Some(kept);
    }
}
