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

/// Raises the limit of file descriptors as far as the system lets it, says whether that is enough, and returns
/// the number of connections that the service can have. The process needs `others` descriptors for other things.
pub(super) fn connections(others: usize) -> usize {
    let needed = PROCESS + others + MOST_CONNECTIONS;
    let Some(limit) = raised(needed) else {
        return MOST_CONNECTIONS;
    };
    let connections = fitting(limit, others);
    if limit < needed {
        warn!(
            limit,
            needed,
            connections,
            "few file descriptors; raise the limit of the system (ulimit -n, LimitNOFILE)"
        );
    } else {
        info!(limit, needed, connections, "file descriptors");
    }
    connections
}

fn fitting(limit: usize, others: usize) -> usize {
    let left = limit.saturating_sub(PROCESS + others);
    left.clamp(FEWEST_CONNECTIONS, MOST_CONNECTIONS)
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
        assert_eq!(fitting(1_024, 0), 896);
        assert_eq!(fitting(1_024, 200), 696);
        assert_eq!(fitting(100_000, 200), MOST_CONNECTIONS);
        assert_eq!(fitting(64, 200), FEWEST_CONNECTIONS);
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
