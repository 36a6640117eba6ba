//! The faults of one game, drawn from its number.

use monju_engine::random::SplitMix64;
use std::time::Duration;

/// Workers of the cluster, each with one noise player.
pub const WORKERS: usize = 4;

/// Number of the team's first moves among which the faults fall.
const FAULTS_WITHIN: u64 = 16;
/// Most lines of a search before its fault; a search that ends earlier has it at its end.
const MOST_LINES: u64 = 12;
/// Most moves of the team for which something stays away.
const ABSENCE: u64 = 8;
/// Longest time for which the proxy is frozen, in milliseconds.
const LONGEST_FREEZE_MS: u64 = 1_500;

/// A process or an edge, and the thing that happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A worker is killed, and started again later.
    KillWorker(usize),
    /// A worker stands still, and goes on later.
    FreezeWorker(usize),
    /// Nothing passes between the coordinator and a worker for a while.
    CutWorker(usize),
    /// The connections between the coordinator and a worker end, and new ones are refused for a while.
    CloseWorker(usize),
    /// The coordinator is killed, and started again later.
    KillCoordinator,
    /// The coordinator stands still, and goes on later.
    FreezeCoordinator,
    /// Nothing passes between the proxy and the coordinator for a while.
    CutProxy,
    /// The connections between the proxy and the coordinator end, and new ones are refused for a while.
    CloseProxy,
    /// The proxy is killed in mid-search; the GUI starts it again and asks again.
    KillProxy,
    /// The proxy stands still for a time, which counts for no answer.
    FreezeProxy(Duration),
}

/// One fault of one game.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The thing that happens.
    pub kind: FaultKind,
    /// The team's move in whose search it happens, from 0.
    pub at_move: u64,
    /// Lines of that search before it happens.
    pub after_lines: u64,
    /// The team's move before which it is over.
    pub back_at: u64,
}

/// Returns the faults of a game, each in a move of its own: a killed and a frozen worker, a cut edge of a
/// worker, and something that happens to the coordinator or the proxy.
pub fn faults(random: &mut FaultDraws) -> Vec<Fault> {
    let killed = random.below(WORKERS as u64) as usize;
    let frozen = (killed + 1 + random.below(WORKERS as u64 - 1) as usize) % WORKERS;
    let cut = random.below(WORKERS as u64) as usize;
    let freeze = Duration::from_millis(1 + random.below(LONGEST_FREEZE_MS));
    let kinds = [
        FaultKind::KillWorker(killed),
        FaultKind::FreezeWorker(frozen),
        match random.below(2) {
            0 => FaultKind::CutWorker(cut),
            _ => FaultKind::CloseWorker(cut),
        },
        match random.below(6) {
            0 => FaultKind::KillCoordinator,
            1 => FaultKind::FreezeCoordinator,
            2 => FaultKind::CutProxy,
            3 => FaultKind::CloseProxy,
            4 => FaultKind::KillProxy,
            _ => FaultKind::FreezeProxy(freeze),
        },
    ];
    let mut moves: Vec<u64> = (0..FAULTS_WITHIN).collect();
    kinds
        .map(|kind| {
            let at_move = moves.swap_remove(random.below(moves.len() as u64) as usize);
            Fault {
                kind,
                at_move,
                after_lines: random.below(MOST_LINES),
                back_at: at_move + 1 + random.below(ABSENCE),
            }
        })
        .to_vec()
}

/// Random numbers.
#[derive(Debug)]
pub struct FaultDraws(SplitMix64);

impl FaultDraws {
    /// Starts at the draws of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::from_state(seed))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.next() % bound
    }
}
