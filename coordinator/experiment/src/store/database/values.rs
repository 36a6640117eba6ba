//! Values and errors on their way out of and into a database.

use crate::store::StoreError;
use sqlx::{Row, any::AnyRow};
use std::{str::FromStr, time::Duration};

pub(super) fn number(row: &AnyRow, index: usize) -> Result<u32, StoreError> {
    let value: i64 = row.try_get(index)?;
    u32::try_from(value).map_err(|_| StoreError::Database(format!("{value} is out of range")))
}

pub(super) fn parse<T: FromStr<Err = String>>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(StoreError::Database)
}

pub(super) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2)
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let text = error.to_string().replace('\n', " ");
        let passes = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::WorkerCrashed => true,
            // PostgreSQL: connection exceptions, a server that stops or starts. SQLite: busy.
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code.starts_with("08") || code.starts_with("57P") || code == "5" || code == "517"
            }),
            _ => false,
        };
        if passes {
            Self::Unavailable(text)
        } else {
            Self::Database(text)
        }
    }
}
