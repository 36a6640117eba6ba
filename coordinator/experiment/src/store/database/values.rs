//! Conversion of values between a database and Rust.

use crate::{store::fault::DatabaseFault, stored_text::StoredTextError, unix_time};
use sqlx::{Row, any::AnyRow};
use std::{
    str::FromStr,
    time::{Duration, SystemTime},
};

/// A column as a number of 32 bits.
pub(super) fn number(row: &AnyRow, index: usize) -> Result<u32, DatabaseFault> {
    let value: i64 = row.try_get(index).map_err(DatabaseFault::Sql)?;
    u32::try_from(value).map_err(|_| DatabaseFault::Range(value))
}

/// A text column as the value that it stands for.
pub(super) fn parse<T: FromStr<Err = StoredTextError>>(text: &str) -> Result<T, DatabaseFault> {
    Ok(text.parse()?)
}

/// A moment as a database stores it.
pub(super) fn milliseconds_since_1970(moment: SystemTime) -> i64 {
    milliseconds(Duration::from_millis(unix_time::milliseconds(moment)))
}

/// A duration as a database stores it.
pub(super) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2)
}
