//! A side of an experiment: its players or engine, their voting rule, and their limits.

use super::driven_engine::DrivenEngine;
use crate::clock::TimeControl;
use monju_coordinator::{clock::NodesTime, voting::Rule};
use monju_engine::eval::Sigma;
use monju_host::{CoreSet, GoForm, NativeSpec, OptionValue, PlayerKind, PlayerSpec, UsiSpec};
use monju_proto::v1::Limits;
use monju_team::config::BookConfig;
use serde::Deserialize;
use std::{
    cmp::Reverse,
    iter,
    path::{Path, PathBuf},
    time::Duration,
};

/// One side, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SideEnsemble {
    /// Its name in the file.
    pub name: String,
    /// Its players or engine.
    pub members: Members,
    /// Limits of every move, for each player.
    pub limits: Limits,
    /// Clock of a game; only a [`Members::Engine`] has one.
    pub clock: Option<TimeControl>,
    /// The nodes that count as a millisecond of the clock, by the engine's word; `None` for a clock of time.
    pub nodes_time: Option<NodesTime>,
    /// Time beyond the limit or the clock after which a move loses.
    pub margin: Duration,
    /// Consequence of an engine that ends in its turn.
    pub crash: CrashRule,
}

/// Consequence of an engine that ends in its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrashRule {
    /// The pair is played again, and given up after three failures.
    #[default]
    Again,
    /// The side loses the game.
    Loss,
}

/// Players or engine of a side.
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    /// Players inside the runner.
    Embedded {
        /// Each with its own table size.
        players: Vec<PlayerSpec>,
        /// Rule that turns votes into a move.
        rule: Rule,
        /// Player whose move is taken when no move has a majority.
        primary: Option<String>,
        /// File of win rates by score.
        calibration: Option<PathBuf>,
        /// Opening book, if it has a file.
        book: BookConfig,
    },
    /// Players of a running coordinator.
    Remote {
        /// Its URL.
        url: String,
        /// Rule to ask for; `None` for its own.
        rule: Option<Rule>,
        /// Folder of the team's certificates, for a URL with `https`.
        tls: Option<PathBuf>,
    },
    /// One USI engine that the referee drives as a GUI would.
    Engine(Box<DrivenEngine>),
}

impl SideEnsemble {
    /// Returns whether the other ensemble has the same members, so that their processes can stay. Members take turns or
    /// have cores of their own from their start, as their effort is measured.
    pub fn same_team(&self, other: &Self) -> bool {
        self.members == other.members && self.is_timed() == other.is_timed()
    }

    /// Returns whether the other ensemble plays as this one, whatever its name.
    pub fn is_alike(&self, other: &Self) -> bool {
        let Self {
            name: _,
            members,
            limits,
            clock,
            nodes_time,
            margin,
            crash,
        } = self.without_idle();
        let other = other.without_idle();
        members == other.members
            && limits == other.limits
            && clock == other.clock
            && nodes_time == other.nodes_time
            && margin == other.margin
            && crash == other.crash
    }

    /// The ensemble with the defaults of settings that have no effect in it.
    fn without_idle(&self) -> Self {
        let mut side = self.clone();
        if side.clock.is_none() && !side.is_timed() {
            side.margin = Duration::ZERO;
        }
        if let Members::Embedded { players, rule, .. } = &mut side.members {
            if !rule.weighs_votes() {
                for player in players.iter_mut() {
                    player.weight = 1.0;
                }
            }
            let is_native = |player: &PlayerSpec| matches!(player.kind, PlayerKind::Native(_));
            if players.iter().all(is_native) {
                side.crash = CrashRule::default();
            }
        }
        side
    }

    /// Returns whether both ensembles play the same move in every position, so that a game between them has a mirror
    /// image with the colours exchanged: players of the same settings, under whatever names, that neither vary nor
    /// differ among themselves. Players that differ may be at odds, and ties are broken anew in every game. Players
    /// that rank several moves search otherwise.
    pub fn mirrors(&self, other: &Self) -> bool {
        let nameless = |side: &Self| -> Vec<PlayerSpec> {
            let players = side.players().iter().cloned();
            // Equal players vote alike, whatever weight each vote has.
            let nameless = players.map(|player| PlayerSpec {
                name: String::new(),
                weight: 1.0,
                ..player
            });
            nameless.collect()
        };
        let (own, others) = (nameless(self), nameless(other));
        let is_fixed = |side: &Self| {
            !side.varies() && !side.is_timed() && !side.players().iter().any(has_unlike_lanes)
        };
        is_fixed(self)
            && is_fixed(other)
            && self.limits == other.limits
            && self.ranks_moves() == other.ranks_moves()
            && own.iter().chain(&others).all(|player| *player == own[0])
    }

    fn ranks_moves(&self) -> bool {
        matches!(&self.members, Members::Embedded { rule, .. } if rule.ranks_moves())
    }

    /// Its players inside the runner.
    pub fn players(&self) -> &[PlayerSpec] {
        match &self.members {
            Members::Embedded { players, .. } => players,
            Members::Remote { .. } | Members::Engine(_) => &[],
        }
    }

    /// Its file of win rates by score.
    pub fn calibration(&self) -> Option<&Path> {
        match &self.members {
            Members::Embedded { calibration, .. } => calibration.as_deref(),
            Members::Remote { .. } | Members::Engine(_) => None,
        }
    }

    /// The file of its opening book, if it has one.
    pub fn book(&self) -> Option<&Path> {
        match &self.members {
            Members::Embedded { book, .. } => book.file.as_deref(),
            Members::Remote { .. } | Members::Engine(_) => None,
        }
    }

    /// Its foreign engines among the players.
    pub fn foreign(&self) -> impl Iterator<Item = &PlayerSpec> {
        self.players().iter().filter(|player| player.is_foreign())
    }

    /// Returns whether its moves may differ between games of one opening: noise has a new seed in every
    /// game, and foreign engines and remote coordinators need not be deterministic.
    pub fn varies(&self) -> bool {
        match &self.members {
            // A book is drawn from anew in every game.
            Members::Embedded { book, .. } if book.file.is_some() => true,
            Members::Embedded { players, .. } => players.iter().any(|player| match &player.kind {
                PlayerKind::Native(_) => thinks_anew(player),
                PlayerKind::Usi(_) => true,
            }),
            Members::Remote { .. } | Members::Engine(_) => true,
        }
    }

    /// Returns whether it surely thinks otherwise in another game of one opening: by noise, by several threads, or
    /// because its effort is measured in time. A book gives as many games as it has lines, and most engines with one
    /// thread and a limit of nodes play the same game again.
    pub fn thinks_anew(&self) -> bool {
        self.is_timed()
            || match &self.members {
                Members::Embedded { players, .. } => players.iter().any(thinks_anew),
                Members::Engine(engine) => asked_threads(&engine.spec).is_some_and(|it| it > 1),
                Members::Remote { .. } => true,
            }
    }

    /// Returns whether it belongs to a remote coordinator.
    pub fn has_remote_members(&self) -> bool {
        matches!(self.members, Members::Remote { .. })
    }

    /// Returns whether its effort is measured in time.
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() && self.nodes_time.is_none()
            || self.limits.time_ms.is_some()
            || match &self.members {
                Members::Embedded { players, .. } => {
                    players.iter().any(|player| player.limits.time.is_some())
                }
                Members::Engine(engine) => engine.go.as_deref().is_some_and(names_time),
                Members::Remote { .. } => true,
            }
    }

    /// Returns whether it thinks on the opponent's time, too.
    pub fn ponders(&self) -> bool {
        matches!(&self.members, Members::Engine(engine) if engine.ponder)
    }

    /// Keeps its players, which are `players`, on cores of their own, as far as the cores go. A foreign engine whose
    /// options do not say how many threads it has is not kept: its own default may be several.
    pub fn keep_on(&self, cores: &CoreSet, players: &mut [PlayerSpec]) {
        let mut left = cores.clone();
        for player in players {
            let own = left.take(threads(player));
            let own = match own.numbers() {
                // The others share all of them.
                [] => cores.clone(),
                _ => own,
            };
            match &mut player.kind {
                PlayerKind::Native(native) => native.cores = own,
                PlayerKind::Usi(spec) if asked_threads(spec).is_some() => spec.cores = own,
                PlayerKind::Usi(_) => {}
            }
        }
    }

    /// The cores of a board on which its players or its engine are kept; none where one of them is not kept.
    pub fn cores_on(&self, board: &CoreSet) -> CoreSet {
        let is_kept = |player: &PlayerSpec| match &player.kind {
            PlayerKind::Native(_) => true,
            PlayerKind::Usi(spec) => asked_threads(spec).is_some(),
        };
        match &self.members {
            Members::Embedded { players, .. } if players.iter().all(is_kept) => {
                board.clone().take(players.iter().map(threads).sum())
            }
            Members::Engine(engine) if asked_threads(&engine.spec).is_some() => board.clone(),
            Members::Embedded { .. } | Members::Engine(_) | Members::Remote { .. } => {
                CoreSet::default()
            }
        }
    }

    /// Threads that think at once in a game for a limited time, as far as this machine runs and knows them.
    pub fn timed_threads(&self) -> usize {
        match &self.members {
            Members::Embedded { players, .. } => players
                .iter()
                .filter(|player| self.limits_time_of(player))
                .map(threads)
                .sum(),
            Members::Engine(engine) if self.is_timed() => asked_threads(&engine.spec).unwrap_or(1),
            Members::Engine(_) | Members::Remote { .. } => 0,
        }
    }

    /// Threads that think at once without a limit of time, as far as this machine runs and knows them, while this side
    /// is to move on so many boards, whose players take so many turns.
    pub fn untimed_threads(&self, boards: usize, turns: usize) -> usize {
        match &self.members {
            Members::Embedded { players, .. } => {
                let players = players.iter();
                let untimed = players.filter(|player| !self.limits_time_of(player));
                let mut waiting: Vec<usize> = untimed
                    .flat_map(|player| iter::repeat_n(threads(player), boards))
                    .collect();
                waiting.sort_unstable_by_key(|threads| Reverse(*threads));
                waiting.iter().take(turns).sum()
            }
            Members::Engine(engine) if !self.is_timed() => {
                boards * asked_threads(&engine.spec).unwrap_or(1)
            }
            Members::Engine(_) | Members::Remote { .. } => 0,
        }
    }

    fn limits_time_of(&self, player: &PlayerSpec) -> bool {
        self.limits.time_ms.is_some() || player.limits.time.is_some()
    }

    /// Name of a limit that a foreign player cannot be told, where no time limit stops it either.
    pub(super) fn inexpressible(&self, player: &PlayerSpec) -> Option<&'static str> {
        let PlayerKind::Usi(spec) = &player.kind else {
            return None;
        };
        let (own, all) = (&player.limits, &self.limits);
        if own.time.is_some() || all.time_ms.is_some() {
            return None;
        }
        let has_nodes = own.nodes.or(all.nodes).is_some();
        let has_depth = own.depth.or(all.depth).is_some();
        [
            ("nodes", has_nodes, GoForm::Nodes),
            ("depth", has_depth, GoForm::Depth),
        ]
        .into_iter()
        .find(|(_, is_limit, form)| *is_limit && !spec.go.contains(form))
        .map(|(limit, ..)| limit)
    }

    /// Returns whether every player stops by itself.
    pub(super) fn is_limited(&self) -> bool {
        let limits = &self.limits;
        if limits.nodes.is_some() || limits.depth.is_some() || limits.time_ms.is_some() {
            return true;
        }
        match &self.members {
            Members::Embedded { players, .. } => players.iter().all(|player| {
                let own = &player.limits;
                own.nodes.is_some() || own.depth.is_some() || own.time.is_some()
            }),
            Members::Engine(engine) => engine.go.is_some() || self.clock.is_some(),
            Members::Remote { .. } => false,
        }
    }
}

/// Returns whether a player thinks otherwise in another game of one opening, by noise or several threads.
fn thinks_anew(player: &PlayerSpec) -> bool {
    match &player.kind {
        PlayerKind::Native(native) => {
            is_noisy(native) && native.seed.is_none() || native.threads > 1
        }
        PlayerKind::Usi(spec) => asked_threads(spec).is_some_and(|threads| threads > 1),
    }
}

/// Returns whether a player is several voters in one search, who differ by their noise.
fn has_unlike_lanes(player: &PlayerSpec) -> bool {
    match &player.kind {
        PlayerKind::Native(native) => native.lanes > 1 && is_noisy(native),
        PlayerKind::Usi(_) => false,
    }
}

fn is_noisy(native: &NativeSpec) -> bool {
    native.sigma != Sigma::Centipawns(0.0) && native.sigma != Sigma::PawnExchanges(0.0)
}

/// Returns whether the words of a `go` may limit a search in time: all do that name a time, or neither nodes nor depth.
fn names_time(go: &str) -> bool {
    let has = |known: &[&str]| go.split_whitespace().any(|word| known.contains(&word));
    has(&[
        "movetime", "byoyomi", "btime", "wtime", "binc", "winc", "infinite", "mate",
    ]) || !has(&["nodes", "depth"])
}

/// Returns the number of threads with which a player thinks, as far as it is known.
fn threads(player: &PlayerSpec) -> usize {
    match &player.kind {
        PlayerKind::Native(native) => native.threads as usize,
        PlayerKind::Usi(spec) => asked_threads(spec).unwrap_or(1),
    }
}

/// Returns the number of threads that the options of an engine ask for, if they do. A command line gives it as text.
pub(crate) fn asked_threads(spec: &UsiSpec) -> Option<usize> {
    let threads = match spec.options.get("Threads")? {
        OptionValue::Number(threads) => *threads,
        OptionValue::Text(text) => text.trim().parse().ok()?,
        OptionValue::Switch(_) => return None,
    };
    Some(threads.max(1) as usize)
}

/// Returns whether a player comes from the table of this name: a table that stands for several players
/// numbers them.
pub(super) fn belongs_to(player: &str, table: &str) -> bool {
    let rest = player.strip_prefix(table);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
