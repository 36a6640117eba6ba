//! Games of a cluster in which workers, the coordinator and the proxy are killed and frozen and the edges
//! between them are cut, each after a random number of lines of a search, and brought back some moves later.
//! The referee is strict: the byoyomi is all the time there is. A move that is late by no more than the time for which
//! the machine stopped the referee meanwhile proves nothing: such a game is void, is reported with the delay that was
//! measured, and has to be played again.

mod plan;

use crate::{
    cluster::TestCluster,
    data::opening,
    relay::EdgeState,
    usi::{Usi, UsiAnswer},
};
use monju_engine::{Answer, Color, Control, Game, Limits, Player, PlayerSettings, Repetition};
use plan::{Fault, FaultDraws, FaultKind, WORKERS, faults};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{thread, time::Duration};

/// Settings of the games.
#[derive(Clone, Debug)]
pub struct FaultSettings {
    /// Time that the team has for a move, in milliseconds.
    pub byoyomi_ms: u64,
    /// Part of it that the coordinator keeps back.
    pub overhead_ms: u32,
    /// Nodes that the opponent searches for a move; it has no clock.
    pub opponent_nodes: u64,
    /// Plies after which a game is drawn.
    pub maximum_plies: usize,
    /// Seed of all random choices, together with the game's number.
    pub seed: u64,
}

/// A cluster behind a proxy, which lives from game to game.
#[derive(Debug)]
pub struct FaultRig {
    cluster: TestCluster,
    usi: Usi,
    settings: FaultSettings,
}

/// The course of one game.
#[derive(Clone, Debug)]
pub struct FaultyGame {
    /// Its number.
    pub game: u64,
    /// Its ending: `mate`, `resignation`, `declaration`, `repetition`, `perpetual check`,
    /// `maximum plies`; `time` or `illegal move`, which must never be; or `void` where a move was late
    /// by no more than the time for which the machine had stopped the referee.
    pub ending: String,
    /// Plies with those of the opening.
    pub plies: usize,
    /// Moves of the team.
    pub moves: u64,
    /// Longest time of one of them, in milliseconds.
    pub slowest_ms: u64,
    /// Longest time for which the machine stopped the referee during a move of the team, in milliseconds.
    pub stall_ms: u64,
    /// Number of the faults that came to pass before the game was over.
    pub faults: u32,
}

impl FaultyGame {
    /// Returns true where the team lost on time or by an illegal move.
    pub fn is_forfeit(&self) -> bool {
        matches!(self.ending.as_str(), "time" | "illegal move")
    }

    /// Returns true where the game proves nothing.
    pub fn is_void(&self) -> bool {
        self.ending == "void"
    }

    /// Returns the game as one JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "game": self.game,
            "ending": self.ending,
            "plies": self.plies,
            "moves": self.moves,
            "slowest_ms": self.slowest_ms,
            "stall_ms": self.stall_ms,
            "faults": self.faults,
        })
    }

    /// Reads the object that [`FaultyGame::to_json`] wrote.
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            game: value["game"].as_u64()?,
            ending: value["ending"].as_str()?.to_owned(),
            plies: usize::try_from(value["plies"].as_u64()?).ok()?,
            moves: value["moves"].as_u64()?,
            slowest_ms: value["slowest_ms"].as_u64()?,
            stall_ms: value["stall_ms"].as_u64().unwrap_or(0),
            faults: u32::try_from(value["faults"].as_u64()?).ok()?,
        })
    }
}

impl FaultRig {
    /// Starts the cluster and the proxy.
    pub fn start(settings: FaultSettings) -> Self {
        let tables: Vec<String> = (1..=WORKERS)
            .map(|number| format!("[[player]]\nname = \"p{number}\"\nsigma = 50\nhash_mib = 8\n"))
            .collect();
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        let cluster = TestCluster::start_with_edges(&tables, "", settings.overhead_ms);
        let usi = proxy_of(&cluster);
        Self {
            cluster,
            usi,
            settings,
        }
    }

    /// Plays one game from an opening that its number chooses; the team has Black in even games.
    /// Call it on a thread with the stack of a search: the opponent searches on it.
    pub fn play(&mut self, number: u64) -> FaultyGame {
        let mut random =
            FaultDraws::new(self.settings.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let faults = faults(&mut random);
        let mut game =
            Game::from_usi(&opening((number / 2 % 200) as usize)).expect("an opening is legal");
        let team = if number.is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        };
        let mut opponent = opponent();
        self.usi.new_game();
        let mut played = FaultyGame {
            game: number,
            ending: String::new(),
            plies: 0,
            moves: 0,
            slowest_ms: 0,
            stall_ms: 0,
            faults: 0,
        };
        played.ending = loop {
            if let Some(ending) = self.ending(&game) {
                break ending.to_owned();
            }
            let mv = if game.position().side_to_move() == team {
                for fault in faults.iter().filter(|fault| fault.back_at == played.moves) {
                    self.bring_back(fault.kind);
                }
                let due = faults.iter().find(|fault| fault.at_move == played.moves);
                let answer = self.think(&game, due);
                played.moves += 1;
                played.faults += u32::from(due.is_some());
                played.slowest_ms = played.slowest_ms.max(answer.elapsed.as_millis() as u64);
                played.stall_ms = played.stall_ms.max(answer.stall.as_millis() as u64);
                let byoyomi = Duration::from_millis(self.settings.byoyomi_ms);
                if answer.elapsed > byoyomi {
                    let ending = match answer.elapsed <= byoyomi + answer.stall {
                        false => "time",
                        true => "void",
                    };
                    break ending.to_owned();
                }
                match answer.bestmove.as_str() {
                    "resign" => break "resignation".to_owned(),
                    "win" if game.can_declare_win() => break "declaration".to_owned(),
                    text => match game.parse_move(text) {
                        Ok(mv) => mv,
                        Err(_) => break "illegal move".to_owned(),
                    },
                }
            } else {
                let limits = Limits {
                    nodes: Some(self.settings.opponent_nodes),
                    ..Limits::default()
                };
                match opponent
                    .think(&game, &limits, &Control::new(), &mut |_| ())
                    .answer
                {
                    Answer::Move(mv) => mv,
                    Answer::Resign => break "resignation".to_owned(),
                    Answer::Win => break "declaration".to_owned(),
                }
            };
            game.play(mv).expect("a legal move");
        };
        played.plies = game.moves().len();
        for fault in &faults {
            self.bring_back(fault.kind);
        }
        played
    }

    /// Lets the team make one move, in which a fault may happen.
    fn think(&mut self, game: &Game, due: Option<&Fault>) -> UsiAnswer {
        let byoyomi = self.settings.byoyomi_ms;
        let go = format!("go btime 0 wtime 0 byoyomi {byoyomi}");
        let asked = self.usi.begin(&position_of(game), &go);
        let Some(fault) = due else {
            return self.usi.answer(asked);
        };
        let mut read = Vec::new();
        let is_answer = |line: &str| line.starts_with("bestmove");
        while (read.len() as u64) < fault.after_lines {
            let line = self.usi.process.expect_line("a line", |_| true);
            read.extend(line);
            if read.last().is_some_and(|(_, line)| is_answer(line)) {
                break;
            }
        }
        match fault.kind {
            FaultKind::KillProxy => {
                self.usi = proxy_of(&self.cluster);
                self.usi.new_game();
                self.think(game, None)
            }
            FaultKind::FreezeProxy(time) => {
                self.usi.process.signal(Signal::STOP);
                thread::sleep(time);
                self.usi.process.signal(Signal::CONT);
                let answer = self.usi.answer_after(asked, read);
                let elapsed = answer.elapsed.saturating_sub(time);
                UsiAnswer { elapsed, ..answer }
            }
            kind => {
                self.happen(kind);
                self.usi.answer_after(asked, read)
            }
        }
    }

    /// Lets a fault happen that does not concern the proxy itself.
    fn happen(&mut self, kind: FaultKind) {
        let cluster = &mut self.cluster;
        match kind {
            FaultKind::KillWorker(worker) => cluster.workers[worker].process.signal(Signal::KILL),
            FaultKind::FreezeWorker(worker) => cluster.workers[worker].process.signal(Signal::STOP),
            FaultKind::CutWorker(worker) => cluster.edges[worker].set(EdgeState::Silent),
            FaultKind::CloseWorker(worker) => cluster.edges[worker].set(EdgeState::Closed),
            FaultKind::KillCoordinator => cluster.coordinator.process.signal(Signal::KILL),
            FaultKind::FreezeCoordinator => cluster.coordinator.process.signal(Signal::STOP),
            FaultKind::CutProxy => cluster.front_edge().set(EdgeState::Silent),
            FaultKind::CloseProxy => cluster.front_edge().set(EdgeState::Closed),
            FaultKind::KillProxy | FaultKind::FreezeProxy(_) => {}
        }
    }

    /// Ends a fault. Where it has not happened, or is over, nothing changes.
    fn bring_back(&mut self, kind: FaultKind) {
        let cluster = &mut self.cluster;
        match kind {
            FaultKind::KillWorker(worker) => {
                if !cluster.workers[worker].process.is_running() {
                    cluster.restart_worker(worker);
                }
            }
            FaultKind::FreezeWorker(worker) => {
                if cluster.workers[worker].process.is_running() {
                    cluster.workers[worker].process.signal(Signal::CONT);
                }
            }
            FaultKind::CutWorker(worker) | FaultKind::CloseWorker(worker) => {
                cluster.edges[worker].set(EdgeState::Open);
            }
            FaultKind::KillCoordinator => {
                if !cluster.coordinator.process.is_running() {
                    cluster.restart_coordinator();
                }
            }
            FaultKind::FreezeCoordinator => cluster.coordinator.process.signal(Signal::CONT),
            FaultKind::CutProxy | FaultKind::CloseProxy => {
                cluster.front_edge().set(EdgeState::Open)
            }
            FaultKind::KillProxy | FaultKind::FreezeProxy(_) => {}
        }
    }

    fn ending(&self, game: &Game) -> Option<&'static str> {
        if game.legal_moves().is_empty() {
            return Some("mate");
        }
        match game.repetition() {
            Repetition::None if game.moves().len() >= self.settings.maximum_plies => {
                Some("maximum plies")
            }
            Repetition::None => None,
            Repetition::Draw => Some("repetition"),
            Repetition::PerpetualCheckBy(_) => Some("perpetual check"),
        }
    }
}

fn opponent() -> Player {
    Player::new(PlayerSettings {
        hash_mib: 4,
        ..PlayerSettings::default()
    })
    .expect("four MiB are there")
}

fn position_of(game: &Game) -> String {
    let start = match game.start() {
        "startpos" => "startpos".to_owned(),
        sfen => format!("sfen {sfen}"),
    };
    let moves: String = game.moves().iter().map(|mv| format!(" {mv}")).collect();
    format!("{start} moves{moves}")
}

/// Starts a proxy of the cluster as a GUI does.
fn proxy_of(cluster: &TestCluster) -> Usi {
    let mut usi = Usi::start(&["--coordinator", &cluster.front_edge().url()]);
    usi.handshake();
    usi
}
