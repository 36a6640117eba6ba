//! One simulated game, and what must hold in it.

use crate::{
    cluster::{AFTER_STORM, Cluster},
    draw::Draws,
    freeze::Freezes,
    gui::start_proxy,
    plan::{Event, Faults, Plan, Seat, Trouble},
    watch::Watch,
};
use monju_engine::{Color, Game, Move, Repetition};
use monju_proto::v1::Ballot;
use monju_usi::simulation::SimulatedSession;
use std::{
    collections::BTreeMap,
    panic,
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    runtime::Builder,
    sync::mpsc,
    time::{Instant, sleep_until},
};

/// Time that the proxy keeps before the flag, at the least.
const RESERVE: Duration = Duration::from_millis(10);
/// Time after which an answer counts as missing.
const PATIENCE: Duration = Duration::from_secs(90);
/// Time for the answer of a ponder that was stopped.
const STOP_PATIENCE: Duration = Duration::from_millis(1_100);

/// The course of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// Hash of all that the GUI heard, with the times.
    pub digest: u64,
    /// Moves of both sides.
    pub plies: usize,
    /// Answers to a `go`.
    pub answers: u64,
    /// Decided ballots of the coordinator.
    pub ballots: u64,
    /// Votes that were counted on them.
    pub counted: u64,
    /// Faults that came to pass.
    pub faults: Faults,
    /// Time of the game.
    pub simulated: Duration,
    /// Longest share of its time that an answer took, in percent.
    pub slowest_percent: u64,
    /// The things that must never happen and did.
    pub violations: Vec<String>,
}

/// Number of panics in this process: those of tasks end nothing else.
static PANICS: AtomicU64 = AtomicU64::new(0);

fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            usual(info);
        }));
    });
}

/// Plays the game of a seed, of at most so many plies.
pub fn play(seed: u64, plies: usize) -> Report {
    count_panics();
    let panics = PANICS.load(Ordering::Relaxed);
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut table = Table::new(seed);
        table.game(plies).await;
        let report = &mut table.report;
        if PANICS.load(Ordering::Relaxed) != panics {
            report.violations.push("a panic".to_owned());
        }
        if report.answers > 20 && report.counted == 0 {
            report
                .violations
                .push("no vote was ever counted".to_owned());
        }
        table.report
    })
}

/// Something that happens to the cluster at its time.
#[derive(Clone, Copy, Debug)]
enum Due {
    Begin(Event),
    End(Trouble),
    /// The last packets of a storm have arrived.
    Calm,
}

struct Table {
    plan: Plan,
    draws: Draws,
    cluster: Cluster,
    gui: SimulatedSession,
    ballots: mpsc::UnboundedReceiver<(Seat, Ballot)>,
    watch: Watch,
    freezes: Freezes,
    due: BTreeMap<(Instant, u64), Due>,
    numbers: u64,
    begun: Instant,
    /// The proxy was killed, and has to be started again.
    is_proxy_killed: bool,
    /// An answer is owed.
    is_asked: bool,
    clocks: MainTimes,
    report: Report,
}

/// Main times that are left, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct MainTimes {
    teams: u64,
    opponents: u64,
}

impl Table {
    fn new(seed: u64) -> Self {
        let draws = Draws::new(seed);
        let plan = Plan::of(draws.at(1));
        let (sender, ballots) = mpsc::unbounded_channel();
        let cluster = Cluster::start(&plan, draws.at(2), sender);
        let faults = plan.lasting_faults();
        Self {
            gui: start_proxy(cluster.fronts()),
            watch: Watch::new(&plan),
            freezes: Freezes::default(),
            clocks: MainTimes {
                teams: plan.main_ms,
                opponents: plan.main_ms,
            },
            plan,
            draws: draws.at(3),
            cluster,
            ballots,
            due: BTreeMap::new(),
            numbers: 0,
            begun: Instant::now(),
            is_proxy_killed: false,
            is_asked: false,
            report: Report {
                seed,
                digest: 0xcbf2_9ce4_8422_2325,
                plies: 0,
                answers: 0,
                ballots: 0,
                counted: 0,
                faults,
                simulated: Duration::ZERO,
                slowest_percent: 0,
                violations: Vec::new(),
            },
        }
    }

    async fn game(&mut self, plies: usize) {
        self.get_ready().await;
        let mut game = Game::startpos();
        let mut moves = 0;
        while game.moves().len() < plies
            && !game.legal_moves().is_empty()
            && game.repetition() == Repetition::None
            && self.report.violations.len() < 5
        {
            if (game.position().side_to_move() == Color::Black) == self.plan.has_black {
                for event in self.plan.events.clone() {
                    if event.at_move == moves {
                        self.schedule(Instant::now() + event.after, Due::Begin(event));
                    }
                }
                let Some((answer, took)) = self.ask(&game).await else {
                    break;
                };
                if !self.has_time_after(took) {
                    break;
                }
                moves += 1;
                let Some(mv) = self.read(&game, &answer) else {
                    break;
                };
                game.play(mv).expect("a legal move");
                if self.plan.ponders && !self.ponder(&mut game, &answer).await {
                    break;
                }
            } else {
                self.opponent_thinks().await;
                let mv = self.opponents_move(&game);
                game.play(mv).expect("a listed move");
            }
        }
        self.say("quit");
        self.report.plies = game.moves().len();
        self.report.simulated = self.begun.elapsed();
        self.report.ballots = self.watch.ballots;
        self.report.counted = self.watch.counted;
    }

    /// Shakes hands with a proxy that has just been started.
    async fn get_ready(&mut self) {
        self.watch.look(&self.cluster);
        self.say("usi");
        self.say(&format!(
            "setoption name Seed value {}",
            self.report.seed % 1_000_000
        ));
        self.say("isready");
        let latest = Instant::now() + PATIENCE;
        self.is_asked = true;
        while let Some(line) = self.hear(latest).await {
            if line == "readyok" {
                self.is_asked = false;
                self.say("usinewgame");
                self.watch.proxy_is_ready();
                return;
            }
        }
        if !self.is_proxy_killed {
            self.violation("no readyok".to_owned());
        }
    }

    /// Asks for a move until there is one: a proxy that is killed is started again, and asked anew.
    async fn ask(&mut self, game: &Game) -> Option<(String, Duration)> {
        loop {
            let clock = self.clock();
            tracing::debug!(at = ?self.begun.elapsed(), clock, "asked");
            self.say(&position_of(game));
            self.say(&format!("go {clock}"));
            self.is_asked = true;
            let time = self.time();
            self.watch.asked(game);
            if let Some(answered) = self.answer(Instant::now(), time).await {
                if let Some(wrong) = self.watch.answered(time) {
                    self.violation(wrong);
                }
                return Some(answered);
            }
            if !self.restart_if_killed().await {
                return None;
            }
        }
    }

    /// Waits for the answer to a `go`, which must come within `time`, less the reserve.
    async fn answer(&mut self, asked: Instant, time: Duration) -> Option<(String, Duration)> {
        let latest = asked + time + PATIENCE;
        while let Some(line) = self.hear(latest).await {
            if let Some(answer) = line.strip_prefix("bestmove ") {
                let took = asked.elapsed();
                self.report.answers += 1;
                match self.freezes.excuse(asked, time.saturating_sub(RESERVE)) {
                    Some(latest) => {
                        self.count("answer_due_while_frozen");
                        if latest < Instant::now() {
                            let after = latest.elapsed();
                            self.violation(format!("{after:?} after the thaw: {line}"));
                        }
                    }
                    None => {
                        let percent = (took.as_millis() * 100 / time.as_millis().max(1)) as u64;
                        self.report.slowest_percent = self.report.slowest_percent.max(percent);
                        if took + RESERVE > time {
                            self.violation(format!("{took:?} of {time:?}: {line}"));
                        }
                    }
                }
                return Some((answer.to_owned(), took));
            }
        }
        if !self.is_proxy_killed {
            self.violation("no answer".to_owned());
        }
        None
    }

    async fn restart_if_killed(&mut self) -> bool {
        let is_killed = self.is_proxy_killed;
        // It may be killed again before it is ready.
        while std::mem::take(&mut self.is_proxy_killed) {
            self.is_asked = false;
            self.gui = start_proxy(self.cluster.fronts());
            self.get_ready().await;
        }
        is_killed
    }

    /// Lets the proxy ponder on its prediction while the opponent thinks; the opponent plays it or another move.
    /// Returns false where the game cannot go on.
    async fn ponder(&mut self, game: &mut Game, answer: &str) -> bool {
        let predicted = answer.split_once(" ponder ").map(|(_, reply)| reply);
        let Some(mv) = predicted.and_then(|reply| game.parse_move(reply).ok()) else {
            if predicted.is_some() {
                self.violation(format!("an illegal prediction: {answer}"));
            }
            return true;
        };
        let mut pondered = game.clone();
        pondered.play(mv).expect("a legal move");
        self.say(&position_of(&pondered));
        let ply = game.moves().len() as u64;
        // Some GUIs tell the clock with the `go`, some with the hit.
        let hit_has_clock = self.draws.chance(ply + 8_000, 500);
        self.say(&match hit_has_clock {
            true => "go ponder".to_owned(),
            false => format!("go ponder {}", self.clock()),
        });
        self.is_asked = true;
        self.opponent_thinks().await;
        let is_hit = self.draws.chance(ply + 7_000, 500);
        self.say(&match (is_hit, hit_has_clock) {
            (true, true) => format!("ponderhit {}", self.clock()),
            (true, false) => "ponderhit".to_owned(),
            (false, _) => "stop".to_owned(),
        });
        let time = match is_hit {
            true => self.time(),
            false => STOP_PATIENCE,
        };
        let answered = self.answer(Instant::now(), time).await;
        let Some((answer, took)) = answered else {
            return self.restart_if_killed().await;
        };
        if is_hit {
            if !self.has_time_after(took) {
                return false;
            }
            *game = pondered;
            let Some(mv) = self.read(game, &answer) else {
                return game.legal_moves().is_empty();
            };
            game.play(mv).expect("a legal move");
        }
        true
    }

    /// Reads an answer; `None` at the end of the game.
    fn read(&mut self, game: &Game, answer: &str) -> Option<Move> {
        let word = answer.split(' ').next().unwrap_or_default();
        match word {
            "resign" => None,
            "win" if game.can_declare_win() => None,
            word => match game.parse_move(word) {
                Ok(mv) => Some(mv),
                Err(error) => {
                    self.violation(format!("bestmove {answer}: {error}"));
                    None
                }
            },
        }
    }

    async fn opponent_thinks(&mut self) {
        let number = self.numbers;
        self.numbers += 1;
        let time = 20 + self.draws.below(number + 9_000_000, 1_000);
        let spent = time.saturating_sub(self.plan.increment_ms + self.plan.byoyomi_ms);
        self.clocks.opponents = self.clocks.opponents.saturating_sub(spent);
        let until = Instant::now() + Duration::from_millis(time);
        // A proxy that is killed meanwhile is started again at the next question.
        while self.hear(until).await.is_some() {}
    }

    fn opponents_move(&self, game: &Game) -> Move {
        let moves = game.legal_moves();
        let place = self.draws.at(game.moves().len() as u64);
        moves[place.below(1, moves.len() as u64) as usize]
    }

    /// Returns the next line of the proxy; `None` when there is none by `until`, or when the proxy is killed.
    async fn hear(&mut self, until: Instant) -> Option<String> {
        loop {
            if self.is_proxy_killed && self.is_asked {
                return None;
            }
            let next = self.due.first_key_value().map(|(at, _)| *at);
            tokio::select! {
                biased;
                Some((seat, ballot)) = self.ballots.recv() => {
                    for wrong in self.watch.judge(seat, &ballot) {
                        self.violation(wrong);
                    }
                }
                line = self.gui.lines.recv(), if !self.is_proxy_killed && !self.freezes.is_frozen() => {
                    let line = line?;
                    self.note(&line);
                    if line.starts_with("bestmove") && !std::mem::take(&mut self.is_asked) {
                        self.violation(format!("unasked: {line}"));
                    }
                    return Some(line);
                }
                () = sleep_until(next.map_or(until, |(at, _)| at)), if next.is_some() => self.happen(),
                () = sleep_until(until) => return None,
            }
        }
    }

    fn schedule(&mut self, at: Instant, due: Due) {
        self.numbers += 1;
        self.due.insert((at, self.numbers), due);
    }

    /// Lets the next trouble begin or end.
    fn happen(&mut self) {
        let Some((_, due)) = self.due.pop_first() else {
            return;
        };
        tracing::info!(at = ?self.begun.elapsed(), ?due, "trouble");
        match due {
            Due::Begin(event) if self.is_possible(event.trouble) => {
                if self.cluster.begin(event.trouble) {
                    self.count(event.trouble.into());
                    match event.trouble {
                        Trouble::KillProxy => {
                            self.is_proxy_killed = true;
                            self.gui = start_proxy(self.cluster.fronts());
                        }
                        Trouble::FreezeProxy => self.freezes.begin(),
                        _ => {}
                    }
                    self.schedule(Instant::now() + event.lasts, Due::End(event.trouble));
                }
            }
            Due::Begin(_) => {}
            Due::End(trouble) => {
                self.cluster.end(trouble);
                if trouble == Trouble::FreezeProxy {
                    for line in self.freezes.end() {
                        self.gui.say(&line);
                    }
                }
                self.schedule(Instant::now() + AFTER_STORM, Due::Calm);
            }
            Due::Calm => {}
        }
        self.watch.look(&self.cluster);
    }

    /// A frozen proxy is not killed, nor one frozen that was killed and is not started again yet.
    fn is_possible(&self, trouble: Trouble) -> bool {
        match trouble {
            Trouble::KillProxy => !self.freezes.is_frozen(),
            Trouble::FreezeProxy => !self.is_proxy_killed,
            _ => true,
        }
    }

    fn count(&mut self, fault: &str) {
        *self.report.faults.entry(fault.to_owned()).or_default() += 1;
    }

    /// Says a line to the proxy, which hears it when it is thawed.
    fn say(&mut self, line: &str) {
        match self.freezes.is_frozen() {
            true => self.freezes.unheard.push(line.to_owned()),
            false => self.gui.say(line),
        }
    }

    fn clock(&self) -> String {
        let MainTimes { teams, opponents } = self.clocks;
        let (black, white) = match self.plan.has_black {
            true => (teams, opponents),
            false => (opponents, teams),
        };
        let each_move = match self.plan.increment_ms {
            0 => format!("byoyomi {}", self.plan.byoyomi_ms),
            increment => format!("binc {increment} winc {increment}"),
        };
        format!("btime {black} wtime {white} {each_move}")
    }

    /// The time that the team has for a move.
    fn time(&self) -> Duration {
        let Plan {
            byoyomi_ms,
            increment_ms,
            ..
        } = self.plan;
        Duration::from_millis(self.clocks.teams + byoyomi_ms + increment_ms)
    }

    /// Takes the time of a move from the team's clock. Returns false where no time is left for another one: the flag
    /// has fallen while the proxy stood still; any other such answer is a violation.
    fn has_time_after(&mut self, took: Duration) -> bool {
        let took_ms = took.as_millis() as u64;
        self.clocks.teams = (self.clocks.teams + self.plan.increment_ms).saturating_sub(took_ms);
        let has_time = !self.time().is_zero();
        if !has_time {
            self.count("flag_fell_while_frozen");
        }
        has_time
    }

    /// Adds a line to the digest. Errors name processes, which are others in every run.
    fn note(&mut self, line: &str) {
        tracing::debug!(at = ?self.begun.elapsed(), line, "heard");
        let line = match line.strip_prefix("info string error") {
            Some(_) => "error",
            None => line,
        };
        let at = self.begun.elapsed().as_millis().to_le_bytes();
        for byte in at.iter().chain(line.as_bytes()) {
            self.report.digest ^= u64::from(*byte);
            self.report.digest = self.report.digest.wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn violation(&mut self, what: String) {
        let at = self.begun.elapsed().as_millis();
        self.report.violations.push(format!("at {at} ms: {what}"));
    }
}

fn position_of(game: &Game) -> String {
    let moves: String = game.usi_moves().iter().map(|mv| format!(" {mv}")).collect();
    format!("position {} moves{moves}", game.start())
}
