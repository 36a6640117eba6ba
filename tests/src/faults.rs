//! Games of a cluster in which one worker is killed and one is frozen, each at a random moment of
//! a search, and brought back some moves later. The referee is strict: the byoyomi is all there is.
//! Only a move in which the machine stopped the referee itself, too, proves nothing: such a game is
//! void, and to be played again.

use crate::{cluster::Cluster, data::opening, usi::Usi};
use monju_engine::{Answer, Color, Control, Game, Limits, Player, PlayerSettings, Repetition};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Workers of the cluster, each with one noise player.
const WORKERS: usize = 4;
/// Faults come within so many of the team's moves from the opening.
const FAULTS_WITHIN: u64 = 12;
/// A referee that was itself stopped for so long during a move cannot judge the time.
const REFEREE_STALL: Duration = Duration::from_millis(50);
/// How often the referee looks whether it runs.
const HEARTBEAT: Duration = Duration::from_millis(5);
/// A worker stays away for one to so many of the team's moves.
const ABSENCE: u64 = 8;

/// How games are played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All the time that the team has for a move, in milliseconds.
    pub byoyomi_ms: u64,
    /// What the coordinator keeps back of it.
    pub overhead_ms: u32,
    /// Nodes that the opponent searches for a move; it has no clock.
    pub opponent_nodes: u64,
    /// Plies after which a game is drawn.
    pub maximum_plies: usize,
    /// Everything random is drawn from it and from the game's number.
    pub seed: u64,
}

/// What happens to one worker in one game.
#[derive(Clone, Copy, Debug)]
struct Fault {
    worker: usize,
    /// The team's move in whose search it happens, from 0.
    at_move: u64,
    /// How long after `go`.
    after: Duration,
    /// The team's move before which the worker comes back.
    back_at: u64,
}

/// A cluster behind a proxy, which lives from game to game.
#[derive(Debug)]
pub struct Rig {
    cluster: Cluster,
    usi: Usi,
    settings: Settings,
    pulse: Pulse,
}

/// Sees for how long the machine does not let the referee run.
#[derive(Debug)]
struct Pulse {
    longest_gap_us: Arc<AtomicU64>,
}

impl Pulse {
    fn start() -> Self {
        let longest_gap_us = Arc::new(AtomicU64::new(0));
        let noted = Arc::downgrade(&longest_gap_us);
        thread::spawn(move || {
            while let Some(noted) = noted.upgrade() {
                let slept = Instant::now();
                thread::sleep(HEARTBEAT);
                let gap = slept.elapsed().saturating_sub(HEARTBEAT);
                noted.fetch_max(gap.as_micros() as u64, Ordering::Relaxed);
            }
        });
        Self { longest_gap_us }
    }

    /// The longest gap since this was asked last.
    fn longest_gap(&self) -> Duration {
        Duration::from_micros(self.longest_gap_us.swap(0, Ordering::Relaxed))
    }
}

/// How one game went.
#[derive(Clone, Debug)]
pub struct Report {
    /// Its number.
    pub game: u64,
    /// How it ended: `mate`, `resignation`, `declaration`, `repetition`, `perpetual check`,
    /// `maximum plies`, or what must never be: `time`, `illegal move`. `void` where a move was late
    /// while the machine had stopped the referee, too.
    pub ending: String,
    /// Plies with those of the opening.
    pub plies: usize,
    /// Moves of the team.
    pub moves: u64,
    /// The longest that the team took for one of them, in milliseconds.
    pub slowest_ms: u64,
    /// How many of the two faults came to pass before the game was over.
    pub faults: u32,
}

impl Report {
    /// Whether the team lost on time or by an illegal move.
    pub fn is_forfeit(&self) -> bool {
        matches!(self.ending.as_str(), "time" | "illegal move")
    }

    /// Whether the game proves nothing.
    pub fn is_void(&self) -> bool {
        self.ending == "void"
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "game": self.game,
            "ending": self.ending,
            "plies": self.plies,
            "moves": self.moves,
            "slowest_ms": self.slowest_ms,
            "faults": self.faults,
        })
    }

    /// Reads what [`Report::to_json`] wrote.
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            game: value["game"].as_u64()?,
            ending: value["ending"].as_str()?.to_owned(),
            plies: usize::try_from(value["plies"].as_u64()?).ok()?,
            moves: value["moves"].as_u64()?,
            slowest_ms: value["slowest_ms"].as_u64()?,
            faults: u32::try_from(value["faults"].as_u64()?).ok()?,
        })
    }
}

impl Rig {
    /// Starts the cluster and the proxy.
    pub fn start(settings: Settings) -> Self {
        let tables: Vec<String> = (1..=WORKERS)
            .map(|number| format!("[[player]]\nname = \"p{number}\"\nsigma = 50\nhash_mib = 8\n"))
            .collect();
        let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
        let cluster = Cluster::start_with_overhead(&tables, "", settings.overhead_ms);
        let mut usi = Usi::start(&["--coordinator", &cluster.coordinator.url()]);
        usi.handshake();
        Self {
            cluster,
            usi,
            settings,
            pulse: Pulse::start(),
        }
    }

    /// Plays one game from an opening that its number chooses; the team has Black in even games.
    /// Call it on a thread with a stack of 16 MiB: the opponent searches on it.
    pub fn play(&mut self, number: u64) -> Report {
        let mut draw = Draw(self.settings.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let [kill, freeze] = self.faults(&mut draw);
        let mut game =
            Game::from_usi(&opening((number / 2 % 200) as usize)).expect("an opening is legal");
        let team = if number.is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        };
        let mut opponent = opponent();
        self.usi.new_game();
        let mut report = Report {
            game: number,
            ending: String::new(),
            plies: 0,
            moves: 0,
            slowest_ms: 0,
            faults: 0,
        };
        report.ending = loop {
            if let Some(ending) = self.ending(&game) {
                break ending.to_owned();
            }
            let mv = if game.position().side_to_move() == team {
                self.bring_back(&kill, &freeze, report.moves);
                let due = [(Signal::KILL, kill), (Signal::STOP, freeze)]
                    .into_iter()
                    .find(|(_, fault)| fault.at_move == report.moves);
                self.pulse.longest_gap();
                let (answer, elapsed) = self.think(&game, due);
                let stall = self.pulse.longest_gap();
                report.moves += 1;
                report.faults += u32::from(due.is_some());
                report.slowest_ms = report.slowest_ms.max(elapsed.as_millis() as u64);
                if elapsed > Duration::from_millis(self.settings.byoyomi_ms) {
                    let ending = match stall < REFEREE_STALL {
                        true => "time",
                        false => "void",
                    };
                    break ending.to_owned();
                }
                match answer.as_str() {
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
        report.plies = game.moves().len();
        self.bring_back(&kill, &freeze, u64::MAX);
        report
    }

    /// Two workers, each with a fault at a move of its own.
    fn faults(&self, draw: &mut Draw) -> [Fault; 2] {
        let kill_at = draw.below(FAULTS_WITHIN);
        let freeze_at = (kill_at + 1 + draw.below(FAULTS_WITHIN - 1)) % FAULTS_WITHIN;
        let killed = draw.below(WORKERS as u64) as usize;
        let frozen = (killed + 1 + draw.below(WORKERS as u64 - 1) as usize) % WORKERS;
        let mut fault = |worker, at_move| Fault {
            worker,
            at_move,
            after: Duration::from_millis(draw.below(self.settings.byoyomi_ms)),
            back_at: at_move + 1 + draw.below(ABSENCE),
        };
        [fault(killed, kill_at), fault(frozen, freeze_at)]
    }

    /// One move of the team, in which a fault may happen.
    fn think(&mut self, game: &Game, due: Option<(Signal, Fault)>) -> (String, Duration) {
        let process = due.map(|(_, fault)| self.process_of(fault.worker));
        let asked = self.usi.begin(
            &position_of(game),
            &format!("go btime 0 wtime 0 byoyomi {}", self.settings.byoyomi_ms),
        );
        let usi = &self.usi;
        let answer = thread::scope(|scope| {
            if let (Some((signal, fault)), Some(process)) = (due, process) {
                scope.spawn(move || {
                    thread::sleep(fault.after);
                    kill_process(process, signal).expect("the worker is there");
                });
            }
            usi.answer(asked)
        });
        (answer.bestmove, answer.elapsed)
    }

    /// Restarts and continues those whose time has come before the team's move of this number.
    fn bring_back(&mut self, kill: &Fault, freeze: &Fault, before: u64) {
        let is_due = |fault: &Fault| match before {
            u64::MAX => true,
            before => fault.back_at == before,
        };
        if is_due(freeze) {
            // Continuing a process that runs changes nothing.
            let _ = kill_process(self.process_of(freeze.worker), Signal::CONT);
        }
        if is_due(kill) && !self.cluster.workers[kill.worker].process.is_running() {
            self.cluster.restart_worker(kill.worker);
        }
    }

    fn process_of(&self, worker: usize) -> Pid {
        let id = self.cluster.workers[worker].process.id();
        Pid::from_raw(id as i32).expect("a process id is not zero")
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

/// Random numbers (SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
