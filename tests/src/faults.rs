//! Games of a cluster in which one worker is killed and one is frozen, each after a random number of
//! lines of a search, and brought back some moves later. The referee is strict: the byoyomi is all the time
//! there is. A late move during which the machine stopped the referee, too, proves nothing: such a game is
//! void, and has to be played again.

use crate::{
    cluster::TestCluster,
    data::opening,
    usi::{Usi, UsiAnswer},
};
use monju_engine::{Answer, Color, Control, Game, Limits, Player, PlayerSettings, Repetition};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;

/// Workers of the cluster, each with one noise player.
const WORKERS: usize = 4;
/// Number of the team's first moves among which the faults fall.
const FAULTS_WITHIN: u64 = 12;
/// Most lines of a search before its fault; a search that ends earlier has it at its end.
const MOST_LINES: u64 = 12;
/// Most moves of the team for which a worker stays away.
const ABSENCE: u64 = 8;

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

/// The fault of one worker in one game.
#[derive(Clone, Copy, Debug)]
struct Fault {
    worker: usize,
    /// The team's move in whose search it happens, from 0.
    at_move: u64,
    /// Lines of that search before it happens.
    after_lines: u64,
    /// The team's move before which the worker comes back.
    back_at: u64,
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
    /// while the machine had stopped the referee, too.
    pub ending: String,
    /// Plies with those of the opening.
    pub plies: usize,
    /// Moves of the team.
    pub moves: u64,
    /// Longest time of one of them, in milliseconds.
    pub slowest_ms: u64,
    /// Number of the two faults that came to pass before the game was over.
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
        let cluster = TestCluster::start_with_overhead(&tables, "", settings.overhead_ms);
        let mut usi = Usi::start(&["--coordinator", &cluster.coordinator.url()]);
        usi.handshake();
        Self {
            cluster,
            usi,
            settings,
        }
    }

    /// Plays one game from an opening that its number chooses; the team has Black in even games.
    /// Call it on a thread with the stack of a search: the opponent searches on it.
    pub fn play(&mut self, number: u64) -> FaultyGame {
        let mut sampler = Sampler(self.settings.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let [kill, freeze] = faults(&mut sampler);
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
            faults: 0,
        };
        played.ending = loop {
            if let Some(ending) = self.ending(&game) {
                break ending.to_owned();
            }
            let mv = if game.position().side_to_move() == team {
                self.bring_back(&kill, &freeze, played.moves);
                let due = [(Signal::KILL, kill), (Signal::STOP, freeze)]
                    .into_iter()
                    .find(|(_, fault)| fault.at_move == played.moves);
                let answer = self.think(&game, due);
                played.moves += 1;
                played.faults += u32::from(due.is_some());
                played.slowest_ms = played.slowest_ms.max(answer.elapsed.as_millis() as u64);
                if answer.elapsed > Duration::from_millis(self.settings.byoyomi_ms) {
                    let ending = match answer.has_stalled {
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
        self.bring_back(&kill, &freeze, u64::MAX);
        played
    }

    /// Lets the team make one move, in which a fault may happen.
    fn think(&mut self, game: &Game, due: Option<(Signal, Fault)>) -> UsiAnswer {
        let byoyomi = self.settings.byoyomi_ms;
        let go = format!("go btime 0 wtime 0 byoyomi {byoyomi}");
        let asked = self.usi.begin(&position_of(game), &go);
        let Some((signal, fault)) = due else {
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
        self.cluster.workers[fault.worker].process.signal(signal);
        self.usi.answer_after(asked, read)
    }

    /// Restarts and continues the workers that come back before the team's move of this number.
    fn bring_back(&mut self, kill: &Fault, freeze: &Fault, before: u64) {
        let is_due = |fault: &Fault| match before {
            u64::MAX => true,
            before => fault.back_at == before,
        };
        if is_due(freeze) {
            // Continuing a process that runs changes nothing.
            self.cluster.workers[freeze.worker]
                .process
                .signal(Signal::CONT);
        }
        if is_due(kill) && !self.cluster.workers[kill.worker].process.is_running() {
            self.cluster.restart_worker(kill.worker);
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

/// Returns the faults of two workers, each in a move of its own.
fn faults(sampler: &mut Sampler) -> [Fault; 2] {
    let kill_at = sampler.below(FAULTS_WITHIN);
    let freeze_at = (kill_at + 1 + sampler.below(FAULTS_WITHIN - 1)) % FAULTS_WITHIN;
    let killed = sampler.below(WORKERS as u64) as usize;
    let frozen = (killed + 1 + sampler.below(WORKERS as u64 - 1) as usize) % WORKERS;
    let mut fault = |worker, at_move| Fault {
        worker,
        at_move,
        after_lines: sampler.below(MOST_LINES),
        back_at: at_move + 1 + sampler.below(ABSENCE),
    };
    [fault(killed, kill_at), fault(frozen, freeze_at)]
}

/// Random numbers (SplitMix64).
struct Sampler(u64);

impl Sampler {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
