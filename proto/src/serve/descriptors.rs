//! The file descriptors of a service: as many as the system gives, and enough for its team.

use super::HEALTH_CONNECTIONS;
use tracing::{info, warn};

/// Greatest number of connections of a service.
const MOST_CONNECTIONS: usize = 1_000;

/// Fewest connections, however few descriptors there are.
const FEWEST_CONNECTIONS: usize = 16;

/// Descriptors of the process itself: its runtime, its log, files that are read, and the probes of its health.
const PROCESS: usize = 64 + HEALTH_CONNECTIONS;

/// Descriptors of the players and connections of a process that is no service.
const OWN_TEAM: usize = 1_000;

/// Raises the limit of file descriptors of a process that is no service as far as the system lets it, and says if
/// that is not enough. The process needs `others` descriptors beside those of its players.
pub fn raise(others: usize) {
    let needed = PROCESS + OWN_TEAM + others;
    if let Some(limit) = raised(needed)
        && limit < needed
    {
        info!(limit, needed, "few file descriptors");
    }
}

/// Descriptors that a service asks for, beside those of its own connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// Those of the process for other things.
    pub others: usize,
    /// Greatest number of peers that enrol themselves, each over a connection of its own.
    pub enrolled: usize,
    /// Descriptors for each of them, beside that connection.
    pub for_each: usize,
}

/// Numbers that the descriptors are enough for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Connections of the service, with those of the enrolled peers.
    pub connections: usize,
    /// Peers that enrol themselves.
    pub enrolled: usize,
}

impl Demand {
    /// Descriptors of an enrolled peer, with its connection.
    fn of_each(self) -> usize {
        self.for_each + 1
    }

    fn needed(self) -> usize {
        PROCESS + self.others + MOST_CONNECTIONS + self.enrolled * self.of_each()
    }
}

/// Raises the limit of file descriptors as far as the system lets it, says whether that is enough, and shares the
/// descriptors out.
pub fn share(demand: Demand) -> Shares {
    let needed = demand.needed();
    let limit = raised(needed);
    let shares = fitting(limit.unwrap_or(needed), demand);
    let Shares {
        connections,
        enrolled,
    } = shares;
    match limit {
        Some(limit) if limit < needed => warn!(
            limit,
            needed,
            connections,
            enrolled,
            "few file descriptors; raise the limit of the system (ulimit -n, LimitNOFILE)"
        ),
        Some(limit) => info!(limit, needed, connections, enrolled, "file descriptors"),
        None => {}
    }
    shares
}

/// Shares a limit out: half of what is left belongs to connections, and what enrolled peers leave of the rest.
fn fitting(limit: usize, demand: Demand) -> Shares {
    let left = limit.saturating_sub(PROCESS + demand.others);
    let connections = (left / 2).min(MOST_CONNECTIONS);
    let enrolled = ((left - connections) / demand.of_each()).min(demand.enrolled);
    let connections = left - enrolled * demand.of_each();
    Shares {
        connections: connections.clamp(FEWEST_CONNECTIONS, MOST_CONNECTIONS) + enrolled,
        enrolled,
    }
}

/// Raises the limit to `needed` if it is lower, and returns it; `None` without a limit.
#[cfg(unix)]
fn raised(needed: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = needed as u64;
    let current = limit.current?;
    if current < wanted {
        let raised = limit.maximum.map_or(wanted, |most| most.min(wanted));
        let limits = Rlimit {
            current: Some(raised),
            maximum: limit.maximum,
        };
        // Told by the limit that is in force then.
        let _ = setrlimit(Resource::Nofile, limits);
    }
    let current = getrlimit(Resource::Nofile).current?;
    Some(usize::try_from(current).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raised(_: usize) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_take_what_the_rest_leaves() {
        let connections = |limit, others| {
            let demand = Demand {
                others,
                ..Demand::default()
            };
            fitting(limit, demand).connections
        };
        assert_eq!(connections(1_024, 0), 896);
        assert_eq!(connections(1_024, 200), 696);
        assert_eq!(connections(100_000, 200), MOST_CONNECTIONS);
        assert_eq!(connections(64, 200), FEWEST_CONNECTIONS);
    }

    #[test]
    fn every_peer_that_may_enrol_itself_has_its_descriptors_or_is_not_counted_on() {
        let demand = Demand {
            others: 200,
            enrolled: 1_000,
            for_each: 2,
        };
        let whole = Shares {
            connections: MOST_CONNECTIONS + 1_000,
            enrolled: 1_000,
        };
        assert_eq!(fitting(demand.needed(), demand), whole);
        for limit in [64, 1_024, 4_096, demand.needed() - 1] {
            let Shares {
                connections,
                enrolled,
            } = fitting(limit, demand);
            let used = PROCESS + demand.others + connections + enrolled * demand.for_each;
            assert!(enrolled < 1_000, "{limit}");
            assert!(used <= limit || limit == 64, "{used} of {limit}");
        }
        let few = Shares {
            connections: 348 + 116,
            enrolled: 116,
        };
        assert_eq!(fitting(1_024, demand), few);
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_to_what_is_needed_where_the_system_allows_it() {
        use rustix::process::{Resource, getrlimit};
        let limit = getrlimit(Resource::Nofile);
        let (Some(current), Some(most)) = (limit.current, limit.maximum) else {
            return;
        };
        let needed = current.saturating_add(1);
        assert_eq!(raised(needed as usize), Some(needed.min(most) as usize));
    }
}
