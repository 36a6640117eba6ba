//! The way to a database, and that somebody answers there.

use super::dialect::Dialect;
use crate::store::{Opening, StoreError};
use sqlx::{AnyConnection, AnyPool, Connection, any::AnyPoolOptions};
use std::time::{Duration, Instant};
use tokio::time;

/// A connection that cannot be had within this time is not there.
const ACQUIRE_PATIENCE: Duration = Duration::from_secs(10);

/// A server that says nothing for so long is not there.
const ANSWER_PATIENCE: Duration = Duration::from_secs(5);

/// A store that is busy, or a server that just starts, is asked again for so long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(100);

/// Connects, and says soon why it cannot.
///
/// # Errors
/// Nobody answers, or what is there is no database.
pub(super) async fn connect(
    url: &str,
    dialect: &'static Dialect,
    opening: Opening,
) -> Result<AnyPool, StoreError> {
    sqlx::any::install_default_drivers();
    let setup = match opening {
        Opening::Look => dialect.look,
        Opening::Play { .. } => dialect.setup,
    };
    knock(url, setup).await?;
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

/// Tries a connection by itself: a pool repeats what fails for long, and then does not say why.
async fn knock(url: &str, setup: &[&'static str]) -> Result<(), StoreError> {
    let begun = Instant::now();
    loop {
        let error = match time::timeout(ANSWER_PATIENCE, greet(url, setup)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => StoreError::from(error),
            Err(_) => {
                let seconds = ANSWER_PATIENCE.as_secs();
                return Err(StoreError::Unavailable(format!(
                    "no answer within {seconds} s"
                )));
            }
        };
        if !matches!(error, StoreError::Unavailable(_)) || begun.elapsed() >= PATIENCE {
            return Err(error);
        }
        time::sleep(PAUSE).await;
    }
}

async fn greet(url: &str, setup: &[&'static str]) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    for statement in setup {
        sqlx::query(statement).execute(&mut connection).await?;
    }
    connection.close().await
}
