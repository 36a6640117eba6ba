//! Which players are in the ensemble, and what the ballot calls them.

use super::Link;
use crate::seed;
use monju_proto::v1::PlayerInfo;
use std::{collections::BTreeMap, time::Duration};
use tonic::transport::Channel;

/// One player of the ensemble.
#[derive(Clone, Debug)]
pub struct PlayerSlot {
    /// Who it is; the name is unique in the ensemble.
    pub info: PlayerInfo,
    /// What its worker calls it.
    pub called: String,
    /// Index of its worker in the roster.
    pub worker: usize,
    /// The way to its worker, which connects where it is not connected.
    pub channel: Channel,
    /// Whether its worker is there, or why it is not.
    pub access: Result<(), String>,
    /// What to set aside for a round trip to its worker.
    pub round_trip: Duration,
}

impl PlayerSlot {
    /// The seed of this player's noise in a game: the same on any number of machines, because it
    /// depends on nothing but the game's seed and the player's name. It has 32 bits, so that it can
    /// be copied from any ballot into any configuration: neither JSON nor TOML carries 64.
    pub fn noise_seed(&self, game_seed: u64) -> u64 {
        seed::derive(game_seed, &self.info.name) >> 32
    }
}

/// Lists all players in the order of their workers.
pub(super) fn assign(links: &[Link]) -> Vec<PlayerSlot> {
    let mut slots = Vec::new();
    for (worker, link) in links.iter().enumerate() {
        let worker_name = link.name();
        for info in link.players() {
            slots.push(PlayerSlot {
                called: info.name.clone(),
                info: PlayerInfo {
                    worker: worker_name.clone(),
                    ..info
                },
                worker,
                channel: link.channel(),
                access: link.failure().map_or(Ok(()), Err),
                round_trip: link.round_trip(),
            });
        }
    }
    let names = unique_names(
        slots
            .iter()
            .map(|slot| (slot.called.as_str(), slot.info.worker.as_str())),
    );
    for (slot, name) in slots.iter_mut().zip(names) {
        slot.info.name = name;
    }
    slots
}

/// Players that share a name become `name@worker`; where workers share a name, too, all but the
/// first get a number: `name@worker#2`.
fn unique_names<'a>(players: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<String> {
    let mut holders = BTreeMap::<&str, u32>::new();
    for (name, _) in players.clone() {
        *holders.entry(name).or_default() += 1;
    }
    let mut taken = BTreeMap::<String, u32>::new();
    let mut name_of = |name: &str, worker: &str| {
        let full = match holders[name] {
            1 => name.to_owned(),
            _ => format!("{name}@{worker}"),
        };
        let number = taken.entry(full.clone()).or_default();
        *number += 1;
        match *number {
            1 => full,
            number => format!("{full}#{number}"),
        }
    };
    players
        .map(|(name, worker)| name_of(name, worker))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_unique() {
        let players = [
            ("native", "desk"),
            ("gps", "desk"),
            ("native", "attic"),
            ("twin", "cellar"),
            ("twin", "cellar"),
        ];
        assert_eq!(
            unique_names(players.into_iter()),
            [
                "native@desk",
                "gps",
                "native@attic",
                "twin@cellar",
                "twin@cellar#2"
            ]
        );
    }
}
