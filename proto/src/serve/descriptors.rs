//! The file descriptors of a service: as many as the system gives, and enough for its team.

use super::HEALTH_LIMITS;
use tracing::{info, warn};

/// Greatest number of connections of a service.
const MOST_CONNECTIONS: usize = 1_000;

/// Fewest connections, however few descriptors there are.
const FEWEST_CONNECTIONS: usize = 16;

/// Descriptors of the process itself: its runtime, its log, files that are read, and the probes of its health.
const PROCESS: usize = 64 + HEALTH_LIMITS.all;

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
    Count::default().share(demand)
}

/// Count of the descriptors of a service, made again when its demand has grown.
#[derive(Debug, Default)]
pub struct Count {
    /// The outcome of the last count.
    last: Option<Room>,
}

/// The degree to which descriptors are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// For all that may come.
    Whole,
    /// For fewer connections and enrolled peers.
    Part,
    /// Not for the process itself and the fewest connections.
    None,
}

impl Count {
    /// Raises the limit as far as the system lets it, and shares the descriptors out. Says whether they are enough at
    /// the first count, and later when they are less so than at the count before.
    pub fn share(&mut self, demand: Demand) -> Shares {
        let limit = raised(demand.needed());
        let (shares, news) = self.share_within(limit, demand);
        let needed = demand.needed();
        let Shares {
            connections,
            enrolled,
        } = shares;
        match news {
            Some(Room::Whole) => info!(limit, needed, connections, enrolled, "file descriptors"),
            Some(Room::Part) => warn!(
                limit,
                needed,
                connections,
                enrolled,
                "few file descriptors; raise the limit of the system (ulimit -n, LimitNOFILE)"
            ),
            Some(Room::None) => warn!(
                limit,
                needed,
                "too few file descriptors for the team; raise the limit of the system (ulimit -n, LimitNOFILE)"
            ),
            None => {}
        }
        shares
    }

    /// Shares a limit out. Also returns what has to be said.
    fn share_within(&mut self, limit: Option<usize>, demand: Demand) -> (Shares, Option<Room>) {
        let needed = demand.needed();
        let room = match limit {
            Some(limit) if limit < PROCESS + demand.others + FEWEST_CONNECTIONS => Room::None,
            Some(limit) if limit < needed => Room::Part,
            _ => Room::Whole,
        };
        let is_news = match self.last.replace(room) {
            Some(last) => last < room,
            None => limit.is_some(),
        };
        let shares = fitting(limit.unwrap_or(needed), demand);
        (shares, is_news.then_some(room))
    }
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

    #[test]
    fn a_growing_team_is_told_once_that_the_descriptors_are_few_and_once_that_they_are_too_few() {
        let mut count = Count::default();
        let mut told = |others| {
            let demand = Demand {
                others,
                ..Demand::default()
            };
            count.share_within(Some(2_000), demand).1
        };
        assert_eq!(told(800), Some(Room::Whole));
        assert_eq!(told(872), None, "the last that fits");
        assert_eq!(told(873), Some(Room::Part));
        assert_eq!(told(1_500), None);
        assert_eq!(told(1_857), Some(Room::None));
        assert_eq!(told(5_000), None);
        assert_eq!(told(800), None, "better news");
        assert_eq!(told(5_000), Some(Room::None));
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
