//! The troubles of one game, drawn from its seed.

use crate::{draw::Draws, network::Weather};
use std::{collections::BTreeMap, time::Duration};

/// Number of workers.
pub const WORKERS: u64 = 4;
/// Most troubles of a game.
const MOST_TROUBLES: u64 = 16;
/// Number of the team's first moves among which they begin.
const WITHIN_MOVES: u64 = 120;
/// Longest trouble, in milliseconds.
const LONGEST_MS: u64 = 8_000;

/// Longest time for which the first coordinator of two is lost, in milliseconds: more than most games last.
const LONGEST_LOSS_MS: u64 = 400_000;

/// The number of a coordinator: 0 is the one that the proxy asks first.
pub type Seat = usize;

/// A process or an edge, and what happens to it for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Trouble {
    /// Nothing passes between the proxy and a coordinator.
    CutFront(Seat),
    /// Nothing passes between a coordinator and a worker.
    CutWorker(Seat, usize),
    /// Packets between the proxy and a coordinator are late by up to a second, and some are lost.
    StormFront(Seat),
    /// The same between a coordinator and a worker.
    StormWorker(Seat, usize),
    /// The worker's process ends, and its connections with it.
    KillWorker(usize),
    /// The worker's machine loses its power: nobody hears of it.
    DarkWorker(usize),
    /// The worker stands still.
    FreezeWorker(usize),
    /// A coordinator's process ends, and its connections with it.
    KillCoordinator(Seat),
    /// A coordinator's machine loses its power.
    DarkCoordinator(Seat),
    /// A coordinator stands still.
    FreezeCoordinator(Seat),
    /// The first coordinator's process ends, mostly for the rest of the game, while the second one goes on.
    LoseCoordinator,
    /// The proxy's process ends; the GUI starts it again at once.
    KillProxy,
    /// The proxy stands still: it hears and says nothing.
    FreezeProxy,
}

/// One trouble of a game.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The trouble.
    pub trouble: Trouble,
    /// The move of the team at which it happens, from 0.
    pub at_move: u64,
    /// Time from the `go` of that move.
    pub after: Duration,
    /// Time until it is over.
    pub lasts: Duration,
}

/// The edges of a coordinator.
#[derive(Clone, Debug)]
pub struct Edges<T> {
    /// The one to the proxy.
    pub front: T,
    /// Those to the workers.
    pub workers: Vec<T>,
}

impl<T> Edges<T> {
    /// Returns all edges.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        [&self.front].into_iter().chain(&self.workers)
    }
}

/// Everything that is drawn for a game before it begins.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The troubles.
    pub events: Vec<Event>,
    /// Main time of each side, in milliseconds.
    pub main_ms: u64,
    /// Byoyomi.
    pub byoyomi_ms: u64,
    /// Time that each move adds to the clock; 0 where there is byoyomi.
    pub increment_ms: u64,
    /// The GUI lets the team ponder.
    pub ponders: bool,
    /// The team has Black.
    pub has_black: bool,
    /// The edges of each coordinator: one or two.
    pub seats: Vec<Edges<Weather>>,
    /// Speeds of the workers' clocks in percent.
    pub clocks: Vec<u32>,
    /// The number of the worker that lies, if there is one.
    pub hostile: Option<usize>,
}

/// Number of each fault, by its name.
pub type Faults = BTreeMap<String, u64>;

impl Plan {
    /// Draws the plan of a game.
    pub fn of(draws: Draws) -> Self {
        let (main_ms, byoyomi_ms) = match draws.below(0, 8) {
            0 => (0, 100),
            1 | 2 => (0, 300),
            3 => (60_000, 1_000),
            4 => (30_000, 0),
            5 => (0, 3_000),
            _ => (0, 1_000),
        };
        let (main_ms, byoyomi_ms, increment_ms) = match draws.chance(11, 250) {
            true => match draws.below(12, 3) {
                0 => (0, 0, 600),
                1 => (10_000, 0, 1_000),
                _ => (60_000, 0, 2_000),
            },
            false => (main_ms, byoyomi_ms, 0),
        };
        let is_lossy = draws.chance(1, 300);
        let weather = |place: u64| {
            let draws = draws.at(100 + place);
            Weather {
                latency_ms: draws.below(0, 4),
                jitter_ms: draws.below(1, 6),
                loss_per_mille: if is_lossy { draws.below(2, 30) } else { 0 },
            }
        };
        let count = match draws.chance(2, 100) {
            true => 0,
            false => draws.below(3, MOST_TROUBLES + 1),
        };
        let has_wrong_clocks = draws.chance(6, 500);
        let seats = 1 + usize::from(draws.chance(9, 500));
        Self {
            events: (0..count)
                .map(|number| event(draws.at(200 + number), seats))
                .collect(),
            main_ms,
            byoyomi_ms,
            increment_ms,
            ponders: draws.chance(4, 400),
            has_black: draws.chance(5, 500),
            seats: (0..seats as u64)
                .map(|seat| Edges {
                    front: weather(10 * seat + WORKERS),
                    workers: (0..WORKERS)
                        .map(|worker| weather(10 * seat + worker))
                        .collect(),
                })
                .collect(),
            clocks: (0..WORKERS)
                .map(|worker| match has_wrong_clocks {
                    true => 50 + draws.below(20 + worker, 151) as u32,
                    false => 100,
                })
                .collect(),
            hostile: draws
                .chance(7, 500)
                .then(|| draws.below(8, WORKERS) as usize),
        }
    }

    /// Returns the faults that last for the whole game, and counts the second coordinators among them.
    pub fn lasting_faults(&self) -> Faults {
        let wrong_clocks = self.clocks.iter().filter(|clock| **clock != 100).count();
        let edges = self.seats.iter().flat_map(Edges::all);
        let lossy_edges = edges.filter(|edge| edge.loss_per_mille > 0).count();
        let has_second = self.seats.len() > 1;
        let faults = [
            ("hostile_worker", usize::from(self.hostile.is_some())),
            ("lossy_edge", lossy_edges),
            ("second_coordinator", usize::from(has_second)),
            ("wrong_clock", wrong_clocks),
        ];
        faults
            .map(|(name, count)| (name.to_owned(), count as u64))
            .into()
    }
}

/// The weather of a storm.
pub fn storm(draws: Draws) -> Weather {
    Weather {
        latency_ms: draws.below(0, 500),
        jitter_ms: draws.below(1, 500),
        loss_per_mille: draws.below(2, 200),
    }
}

fn event(draws: Draws, seats: usize) -> Event {
    let worker = draws.below(0, WORKERS) as usize;
    let seat = draws.below(6, seats as u64) as usize;
    let trouble = match draws.below(1, 15) {
        0 => Trouble::CutFront(seat),
        1 | 2 => Trouble::CutWorker(seat, worker),
        3 => Trouble::StormFront(seat),
        4 | 5 => Trouble::StormWorker(seat, worker),
        6 => Trouble::KillWorker(worker),
        7 => Trouble::DarkWorker(worker),
        8 => Trouble::FreezeWorker(worker),
        9 => Trouble::KillCoordinator(seat),
        10 => Trouble::DarkCoordinator(seat),
        11 => Trouble::FreezeCoordinator(seat),
        12 if seats > 1 => Trouble::LoseCoordinator,
        12 => Trouble::KillCoordinator(seat),
        13 => Trouble::FreezeProxy,
        _ => Trouble::KillProxy,
    };
    // Short troubles are as frequent as long ones: each factor of two is.
    let longest = match trouble {
        Trouble::LoseCoordinator => LONGEST_LOSS_MS,
        _ => LONGEST_MS >> draws.below(2, 10),
    };
    Event {
        trouble,
        at_move: draws.below(3, WITHIN_MOVES),
        after: Duration::from_millis(draws.below(4, 1_200)),
        lasts: Duration::from_millis(1 + draws.below(5, longest)),
    }
}
