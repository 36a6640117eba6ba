//! Moments as milliseconds since 1970, as stores, bundles and reports have them.

use std::time::{Duration, SystemTime};

/// Returns the milliseconds from the beginning of 1970 to a moment; 0 for earlier ones.
pub(crate) fn milliseconds(moment: SystemTime) -> u64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Returns the moment so many milliseconds after the beginning of 1970, at most the end of the year 9999: calendars
/// refuse later ones.
pub(crate) fn moment(milliseconds: u64) -> SystemTime {
    const LAST: u64 = 253_402_300_799_999;
    SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds.min(LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_back_and_end_with_the_calendar() {
        for number in [0, 1, 1_764_000_000_123, 253_402_300_799_999] {
            assert_eq!(milliseconds(moment(number)), number);
        }
        assert_eq!(milliseconds(moment(u64::MAX)), 253_402_300_799_999);
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(milliseconds(before), 0);
    }
}
