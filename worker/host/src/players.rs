//! The players of a process, at work.

use crate::{
    choice::{BuildError, PlayerChoice},
    evaluator::WeightsCache,
    limits::OwnLimits,
    native::{NativePlayer, NativeStartError, Seeding},
    player::{self, PlayerBackend, PlayerStub},
    profile,
    search_thread::{Scheduling, SearchPriority},
    searcher::BuiltPlayer,
    spec::{NativeSpec, PlayerKind, PlayerSpec, UsiSpec},
    turns::InTurns,
    usi_player::UsiPlayer,
};
use monju_engine::{Model, Player};
use monju_proto::v1;
use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinHandle,
    time::{Instant, timeout_at},
};

/// Default size in MiB of the transposition tables of all native players together.
pub const DEFAULT_HASH_MIB: u32 = 256;

/// Longest time that players may take to end before they are cut off.
const CLOSE_PATIENCE: Duration = Duration::from_secs(4);

/// Settings of the players of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayersSettings {
    /// Name of the worker, as ballots show it.
    pub name: String,
    /// Total in MiB that is shared equally among the native players without a `hash_mib` of their
    /// own; each gets at least 1.
    pub hash_mib: u32,
    /// The players.
    pub players: Vec<PlayerSpec>,
}

/// Reason why players cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum PlayersStartError {
    /// The settings have no players.
    #[error("worker {0:?} has no players; give it at least one")]
    NoPlayers(String),
    /// Two players have one name.
    #[error("two players are named {0:?}, names must be unique")]
    Taken(String),
    /// A native player cannot be built.
    #[error("player {player:?}: {source}")]
    Build {
        /// Name of the player.
        player: String,
        /// The reason.
        source: BuildError,
    },
    /// The system refuses another thread.
    #[error("player {player:?}: cannot start its thread: {source}")]
    Thread {
        /// Name of the player.
        player: String,
        /// Error of the system.
        source: io::Error,
    },
}

/// Players at work. Dropping them ends them in the background, child processes included;
/// [`Players::close`] waits for that.
#[derive(Debug)]
pub struct Players {
    list: Arc<PlayerList>,
    closing: watch::Sender<bool>,
    actors: Vec<JoinHandle<()>>,
}

/// The players as a service reaches them.
#[derive(Debug)]
pub struct PlayerList {
    /// Name of the worker.
    pub name: String,
    /// The players, in the order of the configuration.
    pub members: Vec<HostedPlayer>,
    /// True, or without a sender, when the worker goes down.
    pub closing: watch::Receiver<bool>,
}

/// One of the players.
#[derive(Debug)]
pub struct HostedPlayer {
    info: v1::PlayerInfo,
    /// Name of a foreign engine, once it is ready; empty if it does not tell one.
    engine: Arc<OnceLock<String>>,
    /// Settings of a foreign engine.
    pub usi: Option<UsiSpec>,
    /// Handle of the player's actor.
    pub stub: PlayerStub,
}

impl HostedPlayer {
    /// Returns the name of the player.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Returns true if the player can search: a foreign engine has loaded once.
    pub fn is_ready(&self) -> bool {
        self.usi.is_none() || self.engine.get().is_some()
    }

    /// Returns the description of the player for rosters and ballots.
    pub fn info(&self) -> v1::PlayerInfo {
        let mut info = self.info.clone();
        if let Some(engine) = self.engine.get().filter(|engine| !engine.is_empty()) {
            info.engine.clone_from(engine);
        }
        info
    }
}

impl Players {
    /// Starts all players. Foreign engines load in the background. Needs a tokio runtime.
    ///
    /// # Errors
    /// There are no players, two have one name, or one cannot be started.
    pub fn start(settings: PlayersSettings) -> Result<Self, PlayersStartError> {
        Self::start_in_turns(settings, None)
    }

    /// As [`Players::start`], but a player searches only while it holds one of the permits of `turns`, which
    /// several sets of players may share. Waiting counts as thinking time: this is for limits of nodes or
    /// depth.
    ///
    /// # Errors
    /// As those of [`Players::start`].
    pub fn start_in_turns(
        settings: PlayersSettings,
        turns: Option<Arc<Semaphore>>,
    ) -> Result<Self, PlayersStartError> {
        let PlayersSettings {
            name,
            hash_mib,
            players,
        } = settings;
        if players.is_empty() {
            return Err(PlayersStartError::NoPlayers(name));
        }
        let mut names = BTreeSet::new();
        if let Some(player) = players.iter().find(|player| !names.insert(&player.name)) {
            return Err(PlayersStartError::Taken(player.name.clone()));
        }
        let share_mib = share(hash_mib, &players);
        let priority = match turns.is_none() && is_crowded(&players) {
            true => SearchPriority::Lowered,
            false => SearchPriority::Normal,
        };
        let (closing, closed) = watch::channel(false);
        let mut members = Vec::with_capacity(players.len());
        let mut actors = Vec::with_capacity(players.len());
        let mut weights = WeightsCache::default();
        for player in players {
            let engine = Arc::new(OnceLock::new());
            let mut info = profile::common(&name, &player);
            let PlayerSpec {
                name: player,
                limits,
                clock_share,
                kind,
                ..
            } = player;
            let own = OwnLimits {
                limits,
                clock_share,
            };
            let mut usi = None;
            let stub = match kind {
                PlayerKind::Native(spec) => {
                    let evaluator = weights.get(&spec.evaluator);
                    let evaluator = evaluator.map_err(|source| PlayersStartError::Build {
                        player: player.clone(),
                        source: source.into(),
                    })?;
                    let hash_mib = spec.hash_mib.unwrap_or(share_mib);
                    profile::native(&mut info, &spec, &evaluator, hash_mib);
                    let host = start_native(&player, own, &spec, evaluator, hash_mib, priority)?;
                    spawn_actor(InTurns::new(host, turns.clone()), &closed, &mut actors)
                }
                PlayerKind::Usi(spec) => {
                    profile::usi(&mut info, &spec);
                    usi = Some(spec.clone());
                    let host = UsiPlayer::new(player, spec, own, Arc::clone(&engine));
                    spawn_actor(InTurns::new(host, turns.clone()), &closed, &mut actors)
                }
            };
            members.push(HostedPlayer {
                info,
                engine,
                usi,
                stub,
            });
        }
        let list = Arc::new(PlayerList {
            name,
            members,
            closing: closed,
        });
        Ok(Self {
            list,
            closing,
            actors,
        })
    }

    /// The players, as the service reaches them.
    pub fn list(&self) -> Arc<PlayerList> {
        Arc::clone(&self.list)
    }

    /// Ends all players within 5 s: running thinks fail, engines are told to quit and then killed.
    pub async fn close(self) {
        self.closing.send_replace(true);
        let deadline = Instant::now() + CLOSE_PATIENCE;
        for mut actor in self.actors {
            if timeout_at(deadline, &mut actor).await.is_err() {
                // Dropping the actor kills its child.
                actor.abort();
            }
        }
    }
}

fn spawn_actor<H: PlayerBackend>(
    host: H,
    closing: &watch::Receiver<bool>,
    actors: &mut Vec<JoinHandle<()>>,
) -> PlayerStub {
    let (stub, actor) = player::channel(host, closing.clone());
    actors.push(tokio::spawn(actor));
    stub
}

/// Returns the table size of a native player without one of its own, in MiB.
fn share(total_mib: u32, players: &[PlayerSpec]) -> u32 {
    let sharers = players
        .iter()
        .filter(|player| {
            matches!(&player.kind, PlayerKind::Native(native) if native.hash_mib.is_none())
        })
        .count();
    let sharers = u32::try_from(sharers).unwrap_or(u32::MAX).max(1);
    (total_mib / sharers).max(1)
}

/// Tells whether native players have more threads than the machine has cores.
fn is_crowded(players: &[PlayerSpec]) -> bool {
    let threads = players.iter().map(|player| match &player.kind {
        PlayerKind::Native(native) => u64::from(native.threads),
        PlayerKind::Usi(_) => 0,
    });
    // With an unknown number of cores the clock comes first.
    let cores = thread::available_parallelism().map_or(0, |cores| cores.get() as u64);
    threads.sum::<u64>() > cores
}

fn start_native(
    name: &str,
    own: OwnLimits,
    spec: &NativeSpec,
    evaluator: Model,
    hash_mib: u32,
    priority: SearchPriority,
) -> Result<NativePlayer, PlayersStartError> {
    let choice = PlayerChoice {
        evaluator: spec.evaluator.clone(),
        sigma: spec.sigma,
        noise_model: spec.noise_model,
        hash_mib,
        threads: spec.threads,
        lanes: spec.lanes,
        search: spec.search,
    };
    let settings = choice.settings(evaluator);
    let seeding = match spec.seed {
        _ if settings.sigma == 0.0 => Seeding::Noiseless,
        Some(seed) => Seeding::Fixed(seed),
        None => Seeding::PerGame,
    };
    let build = move || Ok(BuiltPlayer::as_chosen(Player::new(settings.clone())?));
    let scheduling = Scheduling {
        priority,
        cores: spec.cores.clone(),
    };
    NativePlayer::start(name, own, seeding, scheduling, choice, build).map_err(
        |error| match error {
            NativeStartError::Build(source) => PlayersStartError::Build {
                player: name.to_owned(),
                source,
            },
            NativeStartError::Thread(source) => PlayersStartError::Thread {
                player: name.to_owned(),
                source,
            },
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise_players;

    #[test]
    fn the_hash_is_shared_among_those_without_their_own() {
        let mut players = noise_players("monju", 5, 0.0).expect("valid");
        assert_eq!(share(256, &players), 51);
        assert_eq!(share(3, &players), 1);
        if let PlayerKind::Native(native) = &mut players[0].kind {
            native.hash_mib = Some(1024);
        }
        assert_eq!(share(256, &players), 64);
        assert_eq!(share(256, &[]), 256);
    }

    #[tokio::test]
    async fn a_worker_needs_players_with_different_names() {
        let start = |players| {
            let settings = PlayersSettings {
                name: "w".to_owned(),
                hash_mib: 1,
                players,
            };
            Players::start(settings).map(|_| ()).expect_err("refused")
        };
        assert!(matches!(start(Vec::new()), PlayersStartError::NoPlayers(_)));
        let one = noise_players("monju", 1, 0.0).expect("valid");
        let twice = [one.clone(), one].concat();
        assert!(matches!(start(twice), PlayersStartError::Taken(name) if name == "monju-1"));
    }
}
