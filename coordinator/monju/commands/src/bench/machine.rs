//! Upper bound of the speed of several threads on this machine.

use super::stack::on_search_stack;
use monju_engine::{
    Limits, Player, PlayerSettings,
    bench::{self, MIDDLEGAME},
};
use std::thread;

/// Nodes of each search: about a fifth of a second.
const NODES: u64 = 300_000;

/// Positions that are searched.
const POSITIONS: usize = 12;

/// Returns the ratio of the nodes/second of `count` independent searches at the same time to those of one
/// search: cores share caches, memory, heat, and sometimes themselves. No search with as many threads can be
/// expected to exceed it.
///
/// # Errors
/// A player cannot be made.
pub fn limit(settings: &PlayerSettings, count: usize) -> anyhow::Result<f64> {
    let settings = PlayerSettings {
        threads: 1,
        lanes: 1,
        ..settings.clone()
    };
    let mut players = Vec::new();
    for _ in 0..count {
        players.push(Player::new(settings.clone())?);
    }
    let mut logarithms = 0.0;
    for position in &MIDDLEGAME[..POSITIONS] {
        let alone = speed(&mut players[..1], position)?;
        let together = speed(&mut players, position)?;
        logarithms += (together / alone).ln();
    }
    Ok((logarithms / POSITIONS as f64).exp())
}

/// Returns the sum of the nodes/second of players that all search one position at the same time.
fn speed(players: &mut [Player], position: &'static str) -> anyhow::Result<f64> {
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    let limits = &limits;
    let speeds: Vec<anyhow::Result<f64>> = thread::scope(|scope| {
        let searches: Vec<_> = players
            .iter_mut()
            .map(|player| {
                scope.spawn(move || {
                    on_search_stack(|| {
                        Ok(bench::measure(player, 1, position, limits)?.nodes_per_second())
                    })
                })
            })
            .collect();
        searches
            .into_iter()
            .map(|search| {
                search
                    .join()
                    .unwrap_or_else(|_| Err(anyhow::anyhow!("a search panicked")))
            })
            .collect()
    });
    speeds.into_iter().sum()
}
