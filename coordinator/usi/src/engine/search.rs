//! One `go`, from its first moment to its one answer.

use super::{info, options::Pondering, timer::Timer};
use crate::{
    answer::Answer,
    output::Output,
    thinker::{Control, Hold, Question},
};
use monju_coordinator::clock::{self, Overhead, TimePolicy};
use monju_engine::{Control as Steering, Game, Limits, Line, Move, Outcome};
use monju_host::search_thread::{GameSetup, SearchFailure, SearchHandle, SearchTask};
use monju_proto::v1;
use std::fmt::Display;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time::Instant,
};

/// After a ponder hit in a game without any limit: what was pondered is worth a moment's thought.
const UNLIMITED_MS: u64 = 1_000;

/// How searches are made.
#[derive(Clone, Debug)]
pub struct Manner {
    /// What is lost between the decision and the referee's clock, unless it was seen to lose more.
    pub overhead: Overhead,
    /// How the time on a clock is spent.
    pub time_policy: TimePolicy,
    /// What is pondered on.
    pub pondering: Pondering,
    /// The player and its game.
    pub setup: GameSetup,
}

/// A running search. Dropping it stops it.
pub struct Search {
    game: Game,
    limits: v1::Limits,
    hold: Hold,
    manner: Manner,
    jobs: SearchHandle,
    running: Running,
    controls: mpsc::UnboundedReceiver<Control>,
    output: Output,
}

/// What the player is doing for it.
struct Running {
    steering: Steering,
    timer: Timer,
    lines: watch::Receiver<Option<Line>>,
    outcome: JoinHandle<Result<Outcome, SearchFailure>>,
    /// It searches the opponent's position: the outcome is no answer.
    is_about_opponent: bool,
}

impl Search {
    /// Starts to search.
    pub fn start(
        question: Question,
        mut manner: Manner,
        jobs: SearchHandle,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> Self {
        manner.overhead = manner.overhead.with_lag(question.lag);
        let Question {
            game, go, asked, ..
        } = question;
        let hold = Hold::of(&go);
        let before = match (hold, manner.pondering) {
            (Hold::UntilPonderHit, Pondering::Opponent) => before_last_move(&game),
            _ => None,
        };
        let running = match before {
            Some(before) => ponder_on_opponent(&jobs, &manner, before, asked),
            None => {
                // Nothing limits a search while it ponders: the opponent's clock runs.
                let limits = match hold {
                    Hold::UntilPonderHit => v1::Limits {
                        ponder: true,
                        ..v1::Limits::default()
                    },
                    Hold::Free | Hold::UntilStop => go.limits,
                };
                think(&jobs, &manner, &game, &limits, asked, &output)
            }
        };
        Self {
            game,
            limits: go.limits,
            hold,
            manner,
            jobs,
            running,
            controls,
            output,
        }
    }

    /// Waits for the end of the search, and until the answer may be said.
    pub async fn run(mut self) -> Answer {
        let outcome = loop {
            let running = &mut self.running;
            tokio::select! {
                biased;
                Some(control) = self.controls.recv() => self.obey(control),
                // A search of the opponent's position that is over waits to be released.
                outcome = &mut running.outcome,
                    if !running.is_about_opponent || self.hold == Hold::Free => break outcome,
                Ok(()) = running.lines.changed() => {
                    if let Some(line) = &*running.lines.borrow_and_update() {
                        running.timer.hear(line);
                    }
                }
                () = clock::until(running.timer.stop_at()) => {
                    running.timer.stopped();
                    running.steering.stop();
                }
            }
        };
        let answer = match outcome {
            // The GUI has stopped the ponder, and throws the answer away.
            Ok(Ok(_)) if self.running.is_about_opponent => Answer::any(&self.game),
            Ok(Ok(outcome)) => {
                show(&self.output, &outcome.line);
                Answer::from_outcome(&outcome)
            }
            Ok(Err(failure)) => self.answer_anyhow(&failure),
            Err(_) => self.answer_anyhow(&"the wait for the search has failed"),
        };
        self.hold.over(&mut self.controls).await;
        answer
    }

    fn obey(&mut self, control: Control) {
        let pondering = self.hold == Hold::UntilPonderHit;
        self.hold.obey(control);
        match control {
            Control::Stop => self.running.steering.stop(),
            Control::PonderHit(clock) if pondering => self.hit(clock),
            Control::PonderHit(_) => {}
        }
    }

    /// The pondered move was played: from now on the limits hold.
    fn hit(&mut self, clock: Option<v1::Clock>) {
        let mut limits = self.limits;
        limits.ponder = false;
        limits.clock = clock.or(limits.clock);
        let is_unlimited = limits == v1::Limits::default();
        let now = Instant::now();
        if self.running.is_about_opponent {
            if is_unlimited {
                limits.time_ms = Some(UNLIMITED_MS);
            }
            self.running.steering.stop();
            let Self { jobs, manner, .. } = self;
            self.running = think(jobs, manner, &self.game, &limits, now, &self.output);
            return;
        }
        let Running {
            steering, timer, ..
        } = &mut self.running;
        if is_unlimited {
            // The game goes on and nobody said how long: what was pondered must do.
            steering.stop();
            return;
        }
        if let Some(nodes) = limits.nodes {
            steering.limit_nodes(nodes);
        }
        if let Some(depth) = limits.depth {
            steering.limit_depth(depth);
        }
        let side = self.game.position().side_to_move();
        timer.set_time_policy(TimePolicy::of_consultation(
            None,
            self.manner.time_policy,
            &limits,
        ));
        if let Some(budget) = clock::budget(&limits, side, self.manner.overhead) {
            timer.start(budget, now);
        }
        if let Some(latest) = timer.latest() {
            steering.stop_at(on_the_wall(latest));
        }
    }

    fn answer_anyhow(&self, reason: &impl Display) -> Answer {
        self.output.error(reason);
        Answer::any(&self.game)
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.running.steering.stop();
    }
}

/// Begins to search the position of the game under these limits, whose time counts from `since`.
fn think(
    jobs: &SearchHandle,
    manner: &Manner,
    game: &Game,
    limits: &v1::Limits,
    since: Instant,
    output: &Output,
) -> Running {
    let time_policy = TimePolicy::of_consultation(None, manner.time_policy, limits);
    let mut timer = Timer::new(time_policy, since);
    let side = game.position().side_to_move();
    if let Some(budget) = clock::budget(limits, side, manner.overhead) {
        timer.start(budget, since);
    }
    let says = output.clone();
    begin(jobs, manner, timer, |progress| SearchTask {
        game: game.clone(),
        limits: Limits {
            nodes: limits.nodes,
            depth: limits.depth,
            ..Limits::default()
        },
        deadline: None,
        ponder: false,
        control: Steering::new(),
        progress: Box::new(move |line| {
            show(&says, line);
            progress.send_replace(Some(line.clone()));
        }),
    })
}

/// Begins to search the opponent's position. Nothing of it is shown: scores and moves are the
/// opponent's, of another position than the GUI's.
fn ponder_on_opponent(jobs: &SearchHandle, manner: &Manner, game: Game, since: Instant) -> Running {
    let timer = Timer::new(manner.time_policy, since);
    let running = begin(jobs, manner, timer, |_| SearchTask {
        game,
        limits: Limits::default(),
        deadline: None,
        ponder: true,
        control: Steering::new(),
        progress: Box::new(|_| ()),
    });
    Running {
        is_about_opponent: true,
        ..running
    }
}

fn begin(
    jobs: &SearchHandle,
    manner: &Manner,
    timer: Timer,
    task: impl FnOnce(watch::Sender<Option<Line>>) -> SearchTask,
) -> Running {
    let (latest, lines) = watch::channel(None);
    let mut task = task(latest);
    task.deadline = timer.latest().map(on_the_wall);
    let steering = task.control.clone();
    let outcome = jobs.think(manner.setup.clone(), task).hold_clock();
    Running {
        steering,
        timer,
        lines,
        outcome,
        is_about_opponent: false,
    }
}

/// The game without its last move; `None` where it has none.
fn before_last_move(game: &Game) -> Option<Game> {
    let (_, earlier) = game.moves().split_last()?;
    let moves: Vec<String> = earlier.iter().map(Move::to_string).collect();
    // The moves have been played once, so they can be played again.
    Game::from_parts(game.start(), &moves).ok()
}

/// The moment on the clock that searches look at, which nothing pauses.
fn on_the_wall(moment: Instant) -> std::time::Instant {
    std::time::Instant::now() + moment.saturating_duration_since(Instant::now())
}

fn show(output: &Output, line: &Line) {
    if let Some(text) = info::line_text(line) {
        output.say(text);
    }
}
