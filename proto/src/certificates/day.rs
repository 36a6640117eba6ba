//! Days of certificates.

use rcgen::date_time_ymd;
use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use time::OffsetDateTime;

/// Length of a day.
const DAY: Duration = Duration::from_secs(86_400);

/// The last day of certificates: year, month and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastDay(pub(super) i32, pub(super) u8, pub(super) u8);

/// Text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no day; expected a form like 2027-05-31")]
pub struct NotADay(pub(super) String);

impl LastDay {
    /// Tells whether the day is over at a time, in UTC: certificates that end with it are of no use.
    pub fn is_over(self, now: SystemTime) -> bool {
        let Self(year, month, day) = self;
        let begin = date_time_ymd(year, month, day).unix_timestamp();
        let begin = Duration::from_secs(u64::try_from(begin).unwrap_or_default());
        UNIX_EPOCH + begin + DAY <= now
    }
}

impl LastDay {
    /// Returns the day of a time; `None` beyond all days that can be given, as that of a certificate for ever.
    pub(super) fn of(time: OffsetDateTime) -> Option<Self> {
        let is_known = (2000..=4000).contains(&time.year());
        is_known.then(|| Self(time.year(), time.month().into(), time.day()))
    }
}

impl fmt::Display for LastDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(year, month, day) = self;
        write!(f, "{year}-{month:02}-{day:02}")
    }
}

impl FromStr for LastDay {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u16>().ok());
        let mut parts = text.split('-');
        let day = (
            number(parts.next()),
            number(parts.next()),
            number(parts.next()),
        );
        match (day, parts.next()) {
            // Every month has these days.
            ((Some(year @ 2000..=4000), Some(month @ 1..=12), Some(day @ 1..=28)), None)
            | ((Some(year @ 2000..=4000), Some(month @ (1 | 3..=12)), Some(day @ 29..=30)), None)
            | (
                (
                    Some(year @ 2000..=4000),
                    Some(month @ (1 | 3 | 5 | 7 | 8 | 10 | 12)),
                    Some(day @ 31),
                ),
                None,
            ) => Ok(Self(year.into(), month as u8, day as u8)),
            _ => Err(NotADay(text.to_owned())),
        }
    }
}
