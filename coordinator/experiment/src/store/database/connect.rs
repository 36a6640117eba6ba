//! Connecting to a database, with a quick and clear error where none answers.

use super::dialect::Dialect;
use crate::store::{error::StoreError, fault::DatabaseFault, plan::OpenMode};
use sqlx::{AnyConnection, AnyPool, Connection, any::AnyPoolOptions};
use std::time::Duration;
use tokio::time::{self, Instant};

/// Longest wait for a free connection of the pool.
const ACQUIRE_PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for the first answer of a server.
const ANSWER_PATIENCE: Duration = Duration::from_secs(5);

/// Time for which a busy file or a starting server is tried again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Connects.
///
/// # Errors
/// No server answers, or the address is not that of a database; reported within seconds.
pub(super) async fn connect(
    url: &str,
    dialect: &'static Dialect,
    mode: OpenMode,
) -> Result<AnyPool, StoreError> {
    sqlx::any::install_default_drivers();
    let setup = match mode {
        OpenMode::Look => dialect.look,
        OpenMode::Play(_) => dialect.setup,
    };
    probe(url, setup).await?;
    let options = AnyPoolOptions::new()
        .max_connections(4)
        .acquire_timeout(ACQUIRE_PATIENCE)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                for statement in setup {
                    sqlx::query(statement).execute(&mut *connection).await?;
                }
                Ok(())
            })
        });
    Ok(options.connect(url).await?)
}

/// Tries one connection outside the pool, because a pool retries for long and then hides the reason.
async fn probe(url: &str, setup: &[&'static str]) -> Result<(), StoreError> {
    let begun = Instant::now();
    loop {
        let error = match time::timeout(ANSWER_PATIENCE, open_and_close(url, setup)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => StoreError::from(error),
            Err(_) => {
                return Err(DatabaseFault::NoAnswer(ANSWER_PATIENCE).into());
            }
        };
        if !matches!(error, StoreError::Unavailable(_)) || begun.elapsed() >= PATIENCE {
            return Err(error);
        }
        time::sleep(PAUSE).await;
    }
}

async fn open_and_close(url: &str, setup: &[&'static str]) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    for statement in setup {
        sqlx::query(statement).execute(&mut connection).await?;
    }
    connection.close().await
}
