//! The players of the ensemble, and their names on the ballot.

use super::{link::Link, reach_error::ReachError};
use crate::{ballot::players_of, door, seed};
use monju_proto::v1::PlayerInfo;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tonic::transport::Channel;

/// One player of the ensemble.
#[derive(Clone, Debug)]
pub struct PlayerSlot {
    /// Description of the player, with a name that is unique in the ensemble.
    pub info: PlayerInfo,
    /// Its name on its worker.
    pub called: String,
    /// Index of its worker in the roster.
    pub worker: usize,
    /// Channel to its worker, which connects by itself.
    pub channel: Channel,
    /// The failure of its worker, if that is not connected.
    pub access: Result<(), ReachError>,
    /// Time to set aside for a round trip to its worker.
    pub round_trip: Duration,
    /// The last round trip that was measured: less than the time to set aside, once a storm is over.
    pub last_round_trip: Duration,
}

impl PlayerSlot {
    /// Returns the seed of this player's noise in a game. It depends only on the game's seed and the
    /// player's name, so it is the same on any number of machines. It has 32 bits, so that it can be
    /// copied from any ballot into any configuration: neither JSON nor TOML carries 64.
    pub fn noise_seed(&self, game_seed: u64) -> u64 {
        seed::derive(game_seed, &self.info.name) >> 32
    }
}

/// Lists all players in the order of their workers, of which the first `lasting` have not enrolled themselves. Workers
/// for whose votes the ballot has no room are left out, and those that are there at another address.
pub(super) fn assign(links: &[Arc<Link>], lasting: usize) -> Vec<PlayerSlot> {
    let mut slots = Vec::new();
    let mut votes = 0;
    let chosen = chosen_links(links);
    for (worker, link) in links.iter().enumerate() {
        let players = link.players();
        let own = door::votes(&players);
        let twin = link.instance().and_then(|instance| chosen.get(&instance));
        let reason = match twin.filter(|&&twin| twin != worker) {
            Some(&twin) => Some(format!(
                "left out: it is the worker at {}, which would have two votes",
                links[twin].address()
            )),
            None if votes + own > door::MOST_VOTES => Some(format!(
                "left out: with its {own} votes the ballot would have more than {}",
                door::MOST_VOTES
            )),
            None => None,
        };
        let is_left_out = reason.is_some();
        link.leave_out(reason);
        if is_left_out {
            continue;
        }
        votes += own;
        let worker_name = link.name();
        let build = link.build();
        for info in players {
            slots.push(PlayerSlot {
                called: info.name.clone(),
                info: PlayerInfo {
                    worker: worker_name.clone(),
                    build: build.clone(),
                    ..info
                },
                worker,
                channel: link.channel(),
                access: link.failure().map_or(Ok(()), Err),
                round_trip: link.round_trip(),
                last_round_trip: link.last_round_trip(),
            });
        }
    }
    let players = slots.iter().map(|slot| CalledPlayer {
        name: &slot.called,
        worker: &slot.info.worker,
        lanes: slot.info.lanes,
    });
    let lasting = slots.partition_point(|slot| slot.worker < lasting);
    let names = unique_names(&Vec::from_iter(players), lasting);
    for (slot, name) in slots.iter_mut().zip(names) {
        slot.info.name = name;
    }
    slots
}

/// Chooses a link to each worker, by the number of its process: the first, or the first that is connected. A worker may
/// be listed at one address and enrol itself from another.
fn chosen_links(links: &[Arc<Link>]) -> BTreeMap<u64, usize> {
    let mut chosen = BTreeMap::new();
    for (worker, link) in links.iter().enumerate() {
        let Some(instance) = link.instance() else {
            continue;
        };
        let first = *chosen.entry(instance).or_insert(worker);
        if links[first].failure().is_some() && link.failure().is_none() {
            chosen.insert(instance, worker);
        }
    }
    chosen
}

/// Returns the name on the ballot of the player that is called so, there or by its full name: a configuration may name
/// `strong@pc1` while no other worker has told of a player `strong` yet.
pub fn ballot_name(slots: &[PlayerSlot], wanted: &str) -> Option<String> {
    let on_ballot = |slot: &PlayerSlot| lane_names(&slot.info.name, slot.info.lanes);
    let is_wanted = |name: &String| name == wanted;
    if let Some(name) = slots.iter().flat_map(on_ballot).find(is_wanted) {
        return Some(name);
    }
    slots.iter().find_map(|slot| {
        let full = format!("{}@{}", slot.called, slot.info.worker);
        let lane = lane_names(&full, slot.info.lanes)
            .iter()
            .position(is_wanted)?;
        on_ballot(slot).into_iter().nth(lane)
    })
}

/// A player as its worker calls it.
#[derive(Clone, Copy, Debug)]
struct CalledPlayer<'a> {
    name: &'a str,
    worker: &'a str,
    /// Number of its virtual players.
    lanes: u32,
}

/// Returns unique names: players that share a name become `name@worker`; if their workers share a name, too, all but
/// the first get a number: `name@worker#2`. The names of virtual players are unique as well. No player after the first
/// `lasting` ones takes the name of one of those, which may be that of the primary.
fn unique_names(players: &[CalledPlayer<'_>], lasting: usize) -> Vec<String> {
    fn holders<'a>(players: &[CalledPlayer<'a>]) -> BTreeMap<&'a str, u32> {
        let mut holders = BTreeMap::new();
        for player in players {
            *holders.entry(player.name).or_default() += 1;
        }
        holders
    }
    let (of_lasting, of_all) = (holders(&players[..lasting]), holders(players));
    let mut taken = BTreeSet::new();
    let mut name_of = |(index, player): (usize, &CalledPlayer<'_>)| {
        let CalledPlayer {
            name,
            worker,
            lanes,
        } = *player;
        let holders = if index < lasting {
            &of_lasting
        } else {
            &of_all
        };
        let full = match holders[name] {
            1 => name.to_owned(),
            _ => format!("{name}@{worker}"),
        };
        let mut own = lane_names(&full, lanes);
        let mut number = 1;
        while own.iter().any(|name| taken.contains(name)) {
            number += 1;
            own = lane_names(&format!("{full}#{number}"), lanes);
        }
        let first = own[0].clone();
        taken.extend(own);
        first
    };
    players.iter().enumerate().map(&mut name_of).collect()
}

/// Returns the names of a player's virtual players on the ballot, its own first.
fn lane_names(name: &str, lanes: u32) -> Vec<String> {
    let info = PlayerInfo {
        name: name.to_owned(),
        lanes,
        ..PlayerInfo::default()
    };
    players_of(info).map(|lane| lane.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of players of one lane each.
    fn names_of(players: &[(&str, &str)], lasting: usize) -> Vec<String> {
        let called = players.iter().map(|&(name, worker)| CalledPlayer {
            name,
            worker,
            lanes: 1,
        });
        unique_names(&Vec::from_iter(called), lasting)
    }

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
            names_of(&players, players.len()),
            [
                "native@desk",
                "gps",
                "native@attic",
                "twin@cellar",
                "twin@cellar#2"
            ]
        );
    }

    /// A worker with the right to enrol itself took the primary out of a running game by its name.
    #[test]
    fn a_worker_that_enrols_itself_takes_nobodys_name() {
        let players = [
            ("gps", "desk"),
            ("native", "desk"),
            ("native", "attic"),
            ("gps", "guest"),
            ("native@desk", "guest"),
            ("own", "guest"),
        ];
        let names = names_of(&players, 3);
        assert_eq!(names[..3], ["gps", "native@desk", "native@attic"]);
        assert_eq!(names[3..], ["gps@guest", "native@desk#2", "own"]);
    }

    #[test]
    fn a_virtual_player_has_a_name_of_its_own() {
        let twin = CalledPlayer {
            name: "a",
            worker: "desk",
            lanes: 2,
        };
        let names = unique_names(&[twin, twin, CalledPlayer { lanes: 1, ..twin }], 3);
        assert_eq!(names, ["a@desk", "a@desk#3", "a@desk#4"]);
        let on_ballot: Vec<String> = names[..2]
            .iter()
            .flat_map(|name| lane_names(name, 2))
            .collect();
        assert_eq!(on_ballot, ["a@desk", "a@desk#2", "a@desk#3", "a@desk#3#2"]);
    }
}
