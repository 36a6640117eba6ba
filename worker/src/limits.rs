//! Limits as they come over the wire, and as a player's own settings change them.

use monju_engine::Limits;
use monju_proto::v1;
use std::time::Duration;

/// Reads the limits that a worker obeys: nodes, depth and time. The game's clock is the
/// coordinator's business, so it is left out. A limit of 0 becomes 1: a vote needs some thought.
pub(crate) fn from_wire(limits: &v1::Limits) -> Limits {
    Limits {
        nodes: limits.nodes.map(|nodes| nodes.max(1)),
        depth: limits.depth.map(|depth| depth.max(1)),
        time: limits
            .time_ms
            .map(|time_ms| Duration::from_millis(time_ms.max(1))),
    }
}

/// Replaces each limit of the ballot by the player's own limit of the same kind, where it has one.
pub(crate) fn own_first(own: &Limits, asked: &Limits) -> Limits {
    Limits {
        nodes: own.nodes.or(asked.nodes),
        depth: own.depth.or(asked.depth),
        time: own.time.or(asked.time),
    }
}

/// A duration as the wire has it.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_limits_replace_those_of_the_same_kind_only() {
        let own = Limits {
            nodes: Some(500),
            ..Limits::default()
        };
        let asked = Limits {
            nodes: Some(9000),
            depth: Some(7),
            time: Some(Duration::from_secs(1)),
        };
        let merged = own_first(&own, &asked);
        assert_eq!(merged.nodes, Some(500));
        assert_eq!(merged.depth, Some(7));
        assert_eq!(merged.time, Some(Duration::from_secs(1)));
    }

    #[test]
    fn the_clock_is_not_a_limit_and_zero_is_one() {
        let limits = from_wire(&v1::Limits {
            nodes: Some(0),
            time_ms: Some(0),
            clock: Some(v1::Clock::default()),
            ..v1::Limits::default()
        });
        assert_eq!(limits.nodes, Some(1));
        assert_eq!(limits.depth, None);
        assert_eq!(limits.time, Some(Duration::from_millis(1)));
    }
}
