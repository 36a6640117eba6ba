//! The single player's search for the answer to one `go`.

use super::{info, options::PonderTarget, timer::Timer};
use crate::{
    answer_gate::AnswerGate,
    backend::{GoRequest, SearchControl},
    best_move::BestMove,
    output::Output,
    scheduling_delay::SchedulingDelay,
};
use monju_coordinator::clock::{
    self, ClockRules, NodesTime, Overhead, TimePolicy, time_for_one_move,
};
use monju_engine::{Control, Game, Limits, Line, Move, Outcome, RootMove};
use monju_host::{
    search_thread::{GameSetup, SearchHandle, SearchTask},
    searcher::SearchFailure,
};
use monju_proto::v1;
use std::{
    fmt::Display,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, sleep_until},
};

/// Time of the search after a ponder hit on the opponent's position, in a game without any limit.
const UNLIMITED_MS: u64 = 1_000;

/// Duration of a search from which on the GUI is told the root move under search, if it has changed.
const ROOT_MOVES_AFTER: Duration = Duration::from_secs(1);

/// Time between two looks at the root move under search.
const ROOT_MOVES_EVERY: Duration = Duration::from_millis(100);

/// Reserve of a clock that counts nodes, on which nothing is lost on the way: what is kept of a clock whose
/// lag is known.
const NODES_TIME_OVERHEAD: Overhead = Overhead {
    kept: Duration::from_millis(50),
    lost: Duration::ZERO,
};

/// Patience with a search that was told to stop on a clock, before the last move that it has told is its answer: on a
/// busy machine its thread may get a core late. It is no more than half of what is kept of the clock.
const STOP_PATIENCE: Duration = Duration::from_millis(10);

/// Deadline of a search on a clock that counts nodes, beyond all patience: it tells the search that a clock
/// runs.
const NODES_TIME_DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct SearchSetup {
    /// The use of the clock; a request's rules replace it, but for a larger overhead.
    pub clock_rules: ClockRules,
    /// The delay of this machine, for which time is kept on every clock.
    pub delay: SchedulingDelay,
    /// The use of the time on a clock.
    pub time_policy: TimePolicy,
    /// The nodes that count as a millisecond, on clocks that do not count time.
    pub nodes_time: Option<NodesTime>,
    /// The position to ponder on.
    pub pondering: PonderTarget,
    /// The player and its game.
    pub game_setup: GameSetup,
    /// Number of lines, if several are asked for.
    pub multi_pv: Option<u32>,
}

impl SearchSetup {
    /// Takes the rules of a clock, but for a larger overhead of one's own. A clock that counts nodes has its own rules.
    fn take_rules(&mut self, rules: ClockRules, own_overhead: Overhead) {
        self.clock_rules = match self.nodes_time {
            None => ClockRules {
                overhead: rules.overhead.larger(own_overhead),
                ..rules
            },
            // The lag and the whole seconds were measured in time.
            Some(_) => ClockRules {
                overhead: NODES_TIME_OVERHEAD,
                minimum: rules.minimum,
                whole_seconds: false,
            },
        };
    }

    /// Keeps time for a delay of this machine on a clock with so much time for the move; none of a clock that counts
    /// nodes.
    fn keep_for_delay(&mut self, time: Duration) {
        if self.nodes_time.is_none() {
            let overhead = &mut self.clock_rules.overhead;
            overhead.kept = overhead.kept.max(self.delay.reserve(time));
        }
    }
}

/// The question that a search answers.
#[derive(Clone, Debug)]
struct EngineQuestion {
    game: Game,
    /// The only moves to choose from; empty for all.
    search_moves: Vec<Move>,
}

/// The parts of a search that the GUI is shown.
#[derive(Clone, Copy, Debug)]
struct InfoSettings {
    /// Number of lines, if several are asked for.
    multi_pv: Option<u32>,
    /// Win rates, which an analysis has.
    win_rates: bool,
}

impl InfoSettings {
    fn line(self, output: &Output, line: &Line) {
        for text in info::line_texts(line, self.multi_pv) {
            output.say(text);
        }
        if let Some(text) = info::win_rates(line).filter(|_| self.win_rates) {
            output.say(text);
        }
    }
}

/// A running search. Dropping it stops it.
pub struct PlayerSearch {
    question: EngineQuestion,
    limits: v1::Limits,
    gate: AnswerGate,
    setup: SearchSetup,
    /// Least overhead, whatever a clock has.
    own_overhead: Overhead,
    thread: SearchHandle,
    running: Running,
    controls: mpsc::UnboundedReceiver<SearchControl>,
    output: Output,
    shown: InfoSettings,
}

/// The timer of a search, which the search's own thread lets observe its progress.
#[derive(Clone, Debug)]
struct SharedTimer(Arc<Mutex<Timer>>);

impl SharedTimer {
    fn new(timer: Timer) -> Self {
        Self(Arc::new(Mutex::new(timer)))
    }

    fn lock(&self) -> MutexGuard<'_, Timer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last line that a search has told. What its thread tells after the answer is dropped.
#[derive(Clone, Debug, Default)]
struct LastLine(Arc<Mutex<LineState>>);

#[derive(Debug, Default)]
struct LineState {
    line: Option<Line>,
    is_answered: bool,
}

impl LastLine {
    fn lock(&self) -> MutexGuard<'_, LineState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a line and keeps it, unless the answer was given before.
    fn tell(&self, line: &Line, show: impl FnOnce(&Line)) {
        let mut state = self.lock();
        if !state.is_answered {
            show(line);
            state.line = Some(line.clone());
        }
    }

    /// Tells whether there is a move to answer with.
    fn has_move(&self) -> bool {
        self.lock()
            .line
            .as_ref()
            .is_some_and(|line| !line.pv.is_empty())
    }

    /// Takes its move as the answer; `None` without one.
    fn answer(&self) -> Option<BestMove> {
        let mut state = self.lock();
        let answer = BestMove::from_line(state.line.as_ref()?)?;
        state.is_answered = true;
        Some(answer)
    }
}

/// The player's present work on the search.
struct Running {
    control: Control,
    timer: SharedTimer,
    last_line: LastLine,
    outcome: JoinHandle<Result<Outcome, SearchFailure>>,
    /// True for a search of the opponent's position: its outcome is not an answer.
    is_about_opponent: bool,
    root_moves: RootMoves,
}

/// The root moves under search, as the GUI has been told of them.
#[derive(Clone, Copy, Debug)]
struct RootMoves {
    /// The next look at them.
    look_at: Instant,
    told: Option<RootMove>,
}

impl Running {
    /// Tells the GUI the root move under search, unless it knows it.
    fn tell_root_move(&mut self, output: &Output) {
        let RootMoves { look_at, told } = &mut self.root_moves;
        *look_at = Instant::now() + ROOT_MOVES_EVERY;
        let now = self.control.root_move();
        if now != *told
            && let Some(root_move) = now
        {
            output.say(info::root_move_text(root_move));
        }
        *told = now;
    }
}

impl PlayerSearch {
    /// Starts a search.
    pub fn start(
        request: GoRequest,
        mut setup: SearchSetup,
        thread: SearchHandle,
        controls: mpsc::UnboundedReceiver<SearchControl>,
        output: Output,
    ) -> Self {
        let time = request.time();
        let GoRequest {
            game,
            go,
            asked,
            clock_rules,
        } = request;
        let own_overhead = setup.clock_rules.overhead;
        setup.take_rules(clock_rules, own_overhead);
        setup.keep_for_delay(time);
        let gate = AnswerGate::of(&go);
        let before = match (gate, setup.pondering) {
            (AnswerGate::UntilPonderHit, PonderTarget::Opponent) => before_last_move(&game),
            _ => None,
        };
        let shown = InfoSettings {
            multi_pv: setup.multi_pv,
            win_rates: go.infinite || setup.multi_pv.is_some_and(|wanted| wanted > 1),
        };
        let question = EngineQuestion {
            game,
            search_moves: go.search_moves,
        };
        let running = match before {
            Some(before) => ponder_on_opponent(&thread, &setup, before, asked),
            None => {
                // A ponder has no limits: the opponent's clock runs.
                let limits = match gate {
                    AnswerGate::UntilPonderHit => v1::Limits {
                        ponder: true,
                        ..v1::Limits::default()
                    },
                    AnswerGate::Open | AnswerGate::UntilStop => go.limits,
                };
                search(&thread, &setup, &question, &limits, asked, shown, &output)
            }
        };
        Self {
            question,
            limits: go.limits,
            gate,
            setup,
            own_overhead,
            thread,
            running,
            controls,
            output,
            shown,
        }
    }

    /// Waits for the end of the search, and until the answer may be told.
    pub async fn run(mut self) -> BestMove {
        let outcome = loop {
            let give_up_at = self.give_up_at();
            let running = &mut self.running;
            let stop_at = running.timer.lock().stop_at();
            tokio::select! {
                biased;
                () = clock::until(stop_at) => {
                    let mut timer = running.timer.lock();
                    // The search may have found out meanwhile that it needs longer.
                    if timer.stop_at().is_some_and(|at| at <= Instant::now()) {
                        timer.stopped();
                        running.control.stop();
                    }
                }
                Some(control) = self.controls.recv() => self.handle(control),
                () = sleep_until(running.root_moves.look_at), if !running.is_about_opponent => {
                    running.tell_root_move(&self.output);
                }
                // A finished search of the opponent's position waits for the hit or the stop.
                outcome = &mut running.outcome,
                    if !running.is_about_opponent || self.gate == AnswerGate::Open => break outcome,
                () = clock::until(give_up_at) => if let Some(best_move) = running.last_line.answer() {
                    tracing::warn!("the search has not stopped in time: its last move is played");
                    return best_move;
                },
            }
        };
        let best_move = match outcome {
            // The ponder was missed: the GUI discards the answer.
            Ok(Ok(_)) if self.running.is_about_opponent => BestMove::any(&self.question.game),
            Ok(Ok(outcome)) => {
                self.shown.line(&self.output, &outcome.line);
                BestMove::from_outcome(&outcome)
            }
            Ok(Err(failure)) => self.answer_anyhow(&failure),
            Err(_) => self.answer_anyhow(&"the wait for the search has failed"),
        };
        self.gate.opened(&mut self.controls).await;
        best_move
    }

    /// Returns the moment at which the last move that the search has told is its answer; `None` while it has none, or
    /// nothing is late.
    fn give_up_at(&self) -> Option<Instant> {
        let latest = self.running.timer.lock().latest()?;
        let patience = STOP_PATIENCE.min(self.setup.clock_rules.overhead.kept / 2);
        let is_due = self.gate == AnswerGate::Open && self.running.last_line.has_move();
        is_due.then_some(latest + patience)
    }

    fn handle(&mut self, control: SearchControl) {
        let is_pondering = self.gate == AnswerGate::UntilPonderHit;
        self.gate.handle(control);
        match control {
            SearchControl::Stop => self.running.control.stop(),
            SearchControl::PonderHit { clock, at } if is_pondering => self.ponder_hit(clock, at),
            SearchControl::PonderHit { .. } => {}
        }
    }

    /// Puts the limits into force: the pondered move was played.
    fn ponder_hit(&mut self, clock: Option<(v1::Clock, ClockRules)>, at: Instant) {
        let mut limits = self.limits;
        limits.ponder = false;
        if let Some((clock, rules)) = clock {
            limits.clock = Some(clock);
            self.setup.take_rules(rules, self.own_overhead);
        }
        if let Some(clock) = &limits.clock {
            let side = self.question.game.position().side_to_move();
            self.setup.keep_for_delay(time_for_one_move(clock, side));
        }
        let is_unlimited = limits == v1::Limits::default();
        if self.running.is_about_opponent {
            if is_unlimited {
                limits.time_ms = Some(UNLIMITED_MS);
            }
            self.running.control.stop();
            let Self { thread, setup, .. } = self;
            let (question, shown) = (&self.question, self.shown);
            self.running = search(thread, setup, question, &limits, at, shown, &self.output);
            return;
        }
        let Running { control, timer, .. } = &mut self.running;
        if is_unlimited {
            // A game without any limit: the pondered move is played at once.
            control.stop();
            return;
        }
        if let Some(nodes) = limits.nodes {
            control.limit_nodes(nodes);
        }
        if let Some(depth) = limits.depth {
            control.limit_depth(depth);
        }
        let position = self.question.game.position();
        let mut timer = timer.lock();
        timer.set_time_policy(TimePolicy::of_consultation(
            None,
            self.setup.time_policy,
            &limits,
        ));
        if let Some(budget) = clock::budget(&limits, position, self.setup.clock_rules) {
            timer.start(budget, at, limits.nodes);
            if let Some(nodes) = timer.node_limit() {
                control.limit_nodes(nodes);
            }
            if let Some(latest) = timer.latest() {
                control.stop_at(real_time(latest));
            }
            timer.stop_if_enough(0, control);
        }
    }

    fn answer_anyhow(&self, reason: &dyn Display) -> BestMove {
        self.output.error(reason);
        BestMove::any(&self.question.game)
    }
}

impl Drop for PlayerSearch {
    fn drop(&mut self) {
        self.running.control.stop();
    }
}

/// Starts to search the question's position within limits, whose time counts from `since`.
fn search(
    thread: &SearchHandle,
    setup: &SearchSetup,
    question: &EngineQuestion,
    limits: &v1::Limits,
    since: Instant,
    shown: InfoSettings,
    output: &Output,
) -> Running {
    let time_policy = TimePolicy::of_consultation(None, setup.time_policy, limits);
    let EngineQuestion { game, search_moves } = question;
    let mut timer = Timer::new(time_policy, setup.nodes_time, since, game);
    if let Some(budget) = clock::budget(limits, game.position(), setup.clock_rules) {
        timer.start(budget, since, limits.nodes);
    }
    let nodes = timer.node_limit().or(limits.nodes);
    let output = output.clone();
    let multi_pv = setup.multi_pv;
    let last_line = LastLine::default();
    let told = last_line.clone();
    let running = begin(thread, setup, timer, |timer, control| SearchTask {
        game: game.clone(),
        limits: Limits {
            nodes,
            depth: limits.depth,
            time: None,
            multi_pv,
            search_moves: search_moves.clone(),
        },
        deadline: None,
        ponder: false,
        urgent: false,
        control: control.clone(),
        progress: Box::new(move |line| {
            told.tell(line, |line| shown.line(&output, line));
            timer.lock().observe(line, &control);
        }),
    });
    Running {
        last_line,
        ..running
    }
}

/// Starts to search the opponent's position. None of it is shown: its scores and moves do not
/// belong to the GUI's position.
fn ponder_on_opponent(
    thread: &SearchHandle,
    setup: &SearchSetup,
    game: Game,
    since: Instant,
) -> Running {
    let timer = Timer::new(setup.time_policy, setup.nodes_time, since, &game);
    let running = begin(thread, setup, timer, |_, control| SearchTask {
        game,
        limits: Limits::default(),
        deadline: None,
        ponder: true,
        urgent: false,
        control,
        progress: Box::new(|_| ()),
    });
    Running {
        is_about_opponent: true,
        ..running
    }
}

fn begin(
    thread: &SearchHandle,
    setup: &SearchSetup,
    timer: Timer,
    task: impl FnOnce(SharedTimer, Control) -> SearchTask,
) -> Running {
    let deadline = match timer.node_limit() {
        None => timer.latest(),
        Some(_) => Some(Instant::now() + NODES_TIME_DEADLINE),
    };
    let timer = SharedTimer::new(timer);
    let control = Control::new();
    let mut task = task(timer.clone(), control.clone());
    task.deadline = deadline.map(real_time);
    let outcome = thread.think(setup.game_setup.clone(), task).hold_clock();
    Running {
        control,
        timer,
        last_line: LastLine::default(),
        outcome,
        is_about_opponent: false,
        root_moves: RootMoves {
            look_at: Instant::now() + ROOT_MOVES_AFTER,
            told: None,
        },
    }
}

/// Returns the game without its last move; `None` if no move has been played.
fn before_last_move(game: &Game) -> Option<Game> {
    let (_, earlier) = game.moves().split_last()?;
    let moves: Vec<String> = earlier.iter().map(Move::to_string).collect();
    // The moves have been played once, so they can be played again.
    let before = Game::from_parts(game.start(), &moves).ok()?;
    Some(before.with_rules(game.rules()))
}

/// Converts a moment to the clock of the searches, which tests cannot pause.
#[expect(
    clippy::disallowed_methods,
    reason = "searches run outside the runtime, by the real clock"
)]
fn real_time(moment: Instant) -> std::time::Instant {
    std::time::Instant::now() + moment.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::GoSearch;
    use monju_engine::{Bound, Score};
    use monju_host::{
        PlayerChoice,
        search_thread::{SearchPriority, SearchThread},
        searcher::{BuiltPlayer, GameSearcher},
    };
    use std::sync::mpsc as blocking;
    use tokio::time::timeout;

    /// Far longer than the search may take.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A search that tells a line, and does not hear that it should stop, as on a machine without a core for it.
    struct Deaf(blocking::Receiver<()>);

    fn line(game: &Game, mv: &str) -> Line {
        let mv = game.parse_move(mv).expect("legal");
        Line::unsearched(vec![mv], Score::Cp(0), Bound::Exact)
    }

    impl GameSearcher for Deaf {
        fn new_game(&mut self, _: u64) {}

        fn think(
            &mut self,
            game: &Game,
            _: &Limits,
            _: &Control,
            progress: &mut dyn FnMut(&Line),
        ) -> Outcome {
            progress(&line(game, "2g2f"));
            self.0.recv().expect("the test goes on");
            let line = line(game, "7g7f");
            progress(&line);
            Outcome {
                answer: monju_engine::Answer::Move(line.pv[0]),
                line,
            }
        }
    }

    /// Where programs of higher priority took the cores, the answer waited for the search's thread to get one.
    #[tokio::test]
    async fn a_search_that_does_not_stop_is_answered_by_its_last_move() {
        let (go_on, waits) = blocking::channel();
        let deaf = BuiltPlayer::as_chosen(Deaf(waits));
        let player = PlayerChoice::default();
        let built = Some((player.clone(), deaf));
        let priority = SearchPriority::Normal;
        let thread = SearchThread::start_with("deaf", priority, built, |_| unreachable!("built"));
        let thread = thread.expect("a thread");
        let setup = SearchSetup {
            clock_rules: ClockRules::default(),
            delay: SchedulingDelay::default(),
            time_policy: TimePolicy::Fixed,
            nodes_time: None,
            pondering: PonderTarget::Predicted,
            game_setup: GameSetup {
                player,
                game_id: "game".to_owned(),
                noise_seed: 0,
            },
            multi_pv: None,
        };
        let request = GoRequest {
            game: Game::startpos(),
            go: GoSearch {
                limits: v1::Limits {
                    time_ms: Some(50),
                    ..v1::Limits::default()
                },
                ..GoSearch::default()
            },
            asked: Instant::now(),
            clock_rules: ClockRules::default(),
        };
        let (_controls, controls) = mpsc::unbounded_channel();
        let (output, mut told) = Output::channel();
        let search = PlayerSearch::start(request, setup, thread.handle(), controls, output);
        let answer = timeout(PATIENCE, search.run()).await.expect("an answer");
        assert_eq!(answer.to_string(), "2g2f");
        // Nothing of the search is told after its answer.
        go_on.send(()).expect("the search waits");
        thread.end().await;
        let lines: Vec<String> = std::iter::from_fn(|| told.try_recv().ok()).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| !line.contains("7g7f")));
    }
}
