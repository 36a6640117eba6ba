//! Permits of connections: how many there may be, and how often new ones may come, from one address and from all.

use super::pace::{Rate, Turns};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Greatest number of a service's connections from one address: a runner has one for each game that it plays at once.
const MOST_FROM_ONE: usize = 256;

/// Time between two new connections from one address that makes no pause. A handshake takes some 0.1 ms of a core, by
/// whoever asks for it.
const INTERVAL_FROM_ONE: Duration = Duration::from_micros(15_625);

/// Time between two new connections when those of all addresses together make no pause.
const INTERVAL_OF_ALL: Duration = Duration::from_micros(1_953);

/// Time for which an address from which a member of the team has come has turns that strangers do not take.
const MEMBERS_STAY: Duration = Duration::from_secs(60 * 60);

/// The kibibytes that come over the connections from one address: 1 MiB at once, and as much a second. A question to a
/// player late in a game has 2 KiB.
const KIBIBYTES_FROM_ONE: Rate = Rate {
    interval: Duration::from_micros(976),
    burst: 1_024,
};

/// Greatest numbers of the connections that a listener has at once, and of new ones that come at once after a pause.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Those of all addresses together.
    pub all: usize,
    /// Those from one address.
    pub from_one: usize,
}

impl ConnectionLimits {
    /// The limits of a service with `all` connections.
    pub(super) fn of_service(all: usize) -> Self {
        Self {
            all,
            from_one: MOST_FROM_ONE,
        }
    }

    fn rate_of_all(self) -> Rate {
        Rate {
            interval: INTERVAL_OF_ALL,
            burst: u32::try_from(self.all).unwrap_or(u32::MAX),
        }
    }

    fn rate_from_one(self) -> Rate {
        Rate {
            interval: INTERVAL_FROM_ONE,
            burst: u32::try_from(self.from_one).unwrap_or(u32::MAX),
        }
    }
}

/// Connections, and the turns of new ones.
#[derive(Debug, Default)]
struct ConnectionLoad {
    open: usize,
    turns: Turns,
    kibibytes: Turns,
    /// The last moment at which a member of the team has come from there.
    member: Option<Instant>,
}

impl ConnectionLoad {
    fn have_room(&self, most: usize, rate: Rate, now: Instant) -> bool {
        self.open < most && self.turns.wait(rate, now).is_zero()
    }

    fn is_of_member(&self, now: Instant) -> bool {
        (self.member).is_some_and(|last| now.saturating_duration_since(last) < MEMBERS_STAY)
    }

    fn add(&mut self, rate: Rate, now: Instant) {
        self.open += 1;
        self.turns.take(rate, now);
    }
}

/// The connections of all addresses together, and of each.
#[derive(Debug, Default)]
struct ConnectionLoads {
    all: ConnectionLoad,
    by_address: HashMap<IpAddr, ConnectionLoad>,
}

/// The permits of a listener. Clones share them.
#[derive(Clone, Debug)]
pub struct ConnectionPermits {
    taken: Arc<Mutex<ConnectionLoads>>,
    limits: ConnectionLimits,
}

impl ConnectionPermits {
    /// Permits within limits, none of them taken.
    pub fn new(limits: ConnectionLimits) -> Self {
        Self {
            taken: Arc::default(),
            limits,
        }
    }

    /// Takes the permit of a new connection, if there is one now.
    pub fn take(&self, address: IpAddr, now: Instant) -> Option<ConnectionPermit> {
        let limits = self.limits;
        let (rate, rate_from_one) = (limits.rate_of_all(), limits.rate_from_one());
        let mut taken = self.lock();
        let ConnectionLoads { all, by_address } = &mut *taken;
        let own = by_address.get(&address);
        let is_free = |own: &ConnectionLoad| own.have_room(limits.from_one, rate_from_one, now);
        // Strangers do not take the turns of members.
        let is_of_member = own.is_some_and(|own| own.is_of_member(now));
        let has_turn = match is_of_member {
            true => all.open < limits.all,
            false => all.have_room(limits.all, rate, now),
        };
        if !own.is_none_or(is_free) || !has_turn {
            return None;
        }
        if by_address.len() >= limits.all {
            let comes = |own: &ConnectionLoad| own.open > 0 || !own.turns.are_over(now);
            by_address.retain(|_, own| comes(own) || own.is_of_member(now));
            if by_address.len() >= 2 * limits.all {
                by_address.retain(|_, own| comes(own));
            }
        }
        match is_of_member {
            true => all.open += 1,
            false => all.add(rate, now),
        }
        by_address
            .entry(address)
            .or_default()
            .add(rate_from_one, now);
        Some(ConnectionPermit {
            permits: self.clone(),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionLoads> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one connection, which is given back when it is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    permits: ConnectionPermits,
    address: IpAddr,
}

impl ConnectionPermit {
    /// Notes that the connection is that of a member of the team.
    pub fn note_member(&self, now: Instant) {
        if let Some(own) = self.permits.lock().by_address.get_mut(&self.address) {
            own.member = Some(now);
        }
    }

    /// Counts kibibytes that have come over this connection; returns the time until more may come.
    pub fn count(&self, kibibytes: u32, now: Instant) -> Duration {
        let mut taken = self.permits.lock();
        let Some(own) = taken.by_address.get_mut(&self.address) else {
            return Duration::ZERO;
        };
        own.kibibytes.take_many(kibibytes, KIBIBYTES_FROM_ONE, now);
        own.kibibytes.wait(KIBIBYTES_FROM_ONE, now)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut taken = self.permits.lock();
        taken.all.open -= 1;
        if let Some(own) = taken.by_address.get_mut(&self.address) {
            own.open -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(last: u32) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + last).into()
    }

    #[test]
    fn permits_are_limited_in_all_and_by_address_and_given_back() {
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(MOST_FROM_ONE + 2));
        let begun = Instant::now();
        let mut from_one =
            Vec::from_iter((0..MOST_FROM_ONE).map(|_| permits.take(address(1), begun)));
        assert!(from_one.iter().all(Option::is_some));
        // Long after the turns are over.
        let later = begun + Duration::from_secs(60);
        assert!(permits.take(address(1), later).is_none());
        let _others =
            [2, 3].map(|last| permits.take(address(last), later).expect("room for others"));
        assert!(permits.take(address(4), later).is_none());
        from_one.pop();
        drop(
            permits
                .take(address(4), later)
                .expect("a permit was given back"),
        );
        permits
            .take(address(1), later)
            .expect("a permit was given back");
    }

    /// Returns the number of new connections in a minute of 1,000 tries a second, which all end at once.
    fn in_a_minute(
        permits: &ConnectionPermits,
        begun: Instant,
        address_of: impl Fn(u32) -> IpAddr,
    ) -> usize {
        let tries = (0..60_000).map(|ms| (address_of(ms), Duration::from_millis(ms.into())));
        let permits = tries.filter_map(|(address, time)| permits.take(address, begun + time));
        permits.count()
    }

    #[test]
    fn whoever_comes_again_and_again_gets_a_pace_and_others_are_let_in() {
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(1_000));
        let begun = Instant::now();
        let from_one = in_a_minute(&permits, begun, |_| address(0));
        let pace = 60 * 64;
        assert!(
            (pace..=pace + MOST_FROM_ONE).contains(&from_one),
            "{from_one}"
        );
        let end = begun + Duration::from_secs(60);
        while permits.take(address(0), end).is_some() {}
        permits.take(address(1), end).expect("room for others");
        // After a pause, some come at once again.
        let rested = end + INTERVAL_FROM_ONE * MOST_FROM_ONE as u32;
        for _ in 0..MOST_FROM_ONE {
            permits.take(address(0), rested).expect("a turn");
        }
    }

    #[test]
    fn what_comes_from_one_address_has_a_pace_over_all_of_its_connections() {
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(1_000));
        let begun = Instant::now();
        let take = |last| permits.take(address(last), begun).expect("a permit");
        let [one, two, other] = [take(0), take(0), take(1)];
        assert_eq!(one.count(512, begun), Duration::ZERO);
        assert_eq!(two.count(511, begun), Duration::ZERO);
        let second = KIBIBYTES_FROM_ONE.interval * 1_024;
        assert_eq!(one.count(1_024, begun), second);
        assert_eq!(other.count(1, begun), Duration::ZERO);
        assert_eq!(two.count(0, begun + second), Duration::ZERO);
    }

    #[test]
    fn strangers_do_not_take_the_turns_of_members() {
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(1_000));
        let begun = Instant::now();
        let member = permits.take(address(0), begun).expect("a permit");
        member.note_member(begun);
        drop(member);
        let later = begun + Duration::from_secs(60);
        for stranger in 1.. {
            if permits.take(address(stranger), later).is_none() {
                break;
            }
        }
        permits.take(address(0), later).expect("a turn of its own");
        let too_late = begun + MEMBERS_STAY;
        for stranger in 1.. {
            if permits.take(address(stranger), too_late).is_none() {
                break;
            }
        }
        assert!(permits.take(address(0), too_late).is_none());
    }

    #[test]
    fn many_addresses_get_a_pace_together_and_are_forgotten() {
        const MOST: usize = 200;
        let permits = ConnectionPermits::new(ConnectionLimits::of_service(MOST));
        let from_all = in_a_minute(&permits, Instant::now(), address);
        let pace = 60 * 512;
        assert!((pace..=pace + MOST + 10).contains(&from_all), "{from_all}");
        assert!(permits.lock().by_address.len() <= MOST);
    }
}
