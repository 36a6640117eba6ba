//! The conversation with one GUI: commands in, lines out.
//!
//! One task owns the state and never waits for anything but the next event, so that `usi`, `stop`
//! and `quit` are heard at any moment. Only here is `bestmove` said, once for every `go`, when its
//! search is over: no line of that search can follow it.

use super::{
    answer::Answer,
    command::{Command, Go, Outcome},
    mate,
    output::Output,
    thinker::{Control, Hold, Question, Thinker},
};
use monju_coordinator::clock::Lag;
use monju_engine::{Color, Game, mate::Solution};
use monju_proto::v1::{Clock, GameOutcome};
use std::{collections::VecDeque, mem, time::Duration};
use tokio::{
    sync::mpsc,
    task::{JoinError, JoinHandle},
    time::{Instant, MissedTickBehavior, interval_at},
};

/// How often an empty line tells a GUI that the thinker is still loading.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The part of `USI_Hash` that a search for a mate takes beside it, while it lasts.
const MATE_SHARE: u32 = 4;

/// The state of the conversation.
pub struct Session<T> {
    thinker: T,
    output: Output,
    /// The position to search, or why there is none.
    position: Result<Game, String>,
    thinking: Option<Thinking>,
    /// The side that the engine plays in this game, once it has been asked for a move.
    ours: Option<Color>,
    /// What came while a search was ending, in order.
    deferred: VecDeque<(Command, Instant)>,
    /// How many `readyok` are owed.
    owed: usize,
    /// What the GUI's clock loses with every move.
    lag: Lag,
}

/// What works on a `go`, and ends with what is said.
enum Work {
    Move(JoinHandle<Answer>),
    Mate(JoinHandle<Solution>),
}

/// The outstanding `go`.
struct Thinking {
    controls: mpsc::UnboundedSender<Control>,
    work: Work,
    /// Since when the GUI's clock runs; `None` while it ponders.
    clock_from: Option<Instant>,
    /// Whether it came with a clock.
    has_clock: bool,
    /// It was told to stop; later commands wait until it has answered.
    ending: bool,
}

impl Drop for Thinking {
    fn drop(&mut self) {
        match &self.work {
            Work::Move(task) => task.abort(),
            Work::Mate(task) => task.abort(),
        }
    }
}

impl<T: Thinker> Session<T> {
    /// A session that has not heard anything yet.
    pub fn new(thinker: T, output: Output) -> Self {
        Self {
            thinker,
            output,
            position: Ok(Game::startpos()),
            thinking: None,
            ours: None,
            deferred: VecDeque::new(),
            owed: 0,
            lag: Lag::default(),
        }
    }

    /// Listens until `quit`, the end of the input, or the end of whoever reads the output; then
    /// ends the thinker.
    pub async fn run(mut self, commands: mpsc::UnboundedReceiver<Command>) {
        self.listen(commands).await;
        self.hear_of_results();
        self.thinking = None;
        self.thinker.close().await;
    }

    /// Tells of games that were over while the last search was ending: GUIs quit at once after them.
    fn hear_of_results(&mut self) {
        for (command, _) in mem::take(&mut self.deferred) {
            if let Command::GameOver(outcome) = command {
                self.note_result(outcome);
            }
        }
    }

    fn note_result(&mut self, outcome: Option<Outcome>) {
        if let (Some(outcome), Some(ours)) = (outcome, self.ours.take()) {
            self.thinker.game_over(outcome_of(outcome, ours));
        }
    }

    async fn listen(&mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                command = commands.recv() => match command {
                    None | Some(Command::Quit) => return,
                    Some(command) => {
                        let was_ready = self.owed == 0;
                        self.hear(command, Instant::now());
                        if was_ready && self.owed > 0 {
                            keep_alive.reset();
                        }
                    }
                },
                answer = answer_of(&mut self.thinking) => {
                    self.say(answer);
                    self.hear_deferred();
                }
                () = self.thinker.changed() => self.say_ready(),
                _ = keep_alive.tick(), if self.owed > 0 => self.output.say(""),
                () = self.output.closed() => return,
            }
        }
    }

    /// Acts on a command, or puts it off until the search that is ending is over.
    fn hear(&mut self, command: Command, heard: Instant) {
        let ending = self
            .thinking
            .as_ref()
            .is_some_and(|thinking| thinking.ending);
        if ending || !self.deferred.is_empty() {
            self.deferred.push_back((command, heard));
        } else {
            self.obey(command, heard);
        }
    }

    fn hear_deferred(&mut self) {
        while !self
            .thinking
            .as_ref()
            .is_some_and(|thinking| thinking.ending)
        {
            let Some((command, heard)) = self.deferred.pop_front() else {
                return;
            };
            self.obey(command, heard);
        }
    }

    fn obey(&mut self, command: Command, heard: Instant) {
        match command {
            Command::Position(_) | Command::Go(_) | Command::GoMate(_) | Command::NewGame
                if self.thinking.is_some() =>
            {
                self.end_search();
                self.deferred.push_front((command, heard));
            }
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::NewGame => {
                self.lag.forget_clock();
                self.thinker.new_game();
            }
            Command::Position(text) => self.set_position(&text),
            Command::Go(go) => self.go(go, heard),
            Command::GoMate(time) => self.go_mate(time),
            Command::Stop => self.end_search(),
            Command::GameOver(outcome) => {
                self.end_search();
                self.note_result(outcome);
            }
            Command::PonderHit(clock) => {
                self.note_hit(clock.as_ref(), heard);
                self.tell(Control::PonderHit(clock));
            }
            Command::Quit | Command::Ignored => {}
        }
    }

    fn introduce(&self) {
        let version = env!("CARGO_PKG_VERSION");
        self.output.say(format!("id name {} {version}", T::NAME));
        self.output.say("id author the Monju authors");
        for line in T::declarations() {
            self.output.say(line);
        }
        self.output.say("usiok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.thinker.set_option(name, value.unwrap_or_default()) {
            self.output.error(&error);
        }
    }

    fn get_ready(&mut self) {
        if self.thinking.is_some() {
            self.output.say("readyok");
            return;
        }
        self.owed += 1;
        self.thinker.get_ready();
        // At once only where nothing will ever change.
        self.say_ready();
    }

    fn say_ready(&mut self) {
        if self.owed == 0 || !self.thinker.is_ready() {
            return;
        }
        if let Some(reason) = self.thinker.failure() {
            self.output.error(&reason);
        }
        for _ in 0..std::mem::take(&mut self.owed) {
            self.output.say("readyok");
        }
    }

    fn set_position(&mut self, text: &str) {
        self.position = Game::from_usi(text).map_err(|error| error.to_string());
        if let Err(reason) = &self.position {
            self.output.error(reason);
        }
    }

    fn go(&mut self, go: Go, asked: Instant) {
        let (controls, mut receiver) = mpsc::unbounded_channel();
        let clock_from = (!go.limits.ponder).then_some(asked);
        let has_clock = go.limits.clock.is_some();
        if let Some(unread) = &go.unread {
            self.output
                .error(&format!("go: '{unread}' has no number, taken for 0"));
        }
        let task = match &self.position {
            Ok(game) => {
                self.ours = Some(game.position().side_to_move());
                match &go.limits.clock {
                    Some(clock) => self.lag.begin(game.position().side_to_move(), clock),
                    // Its clock may come with the ponder hit.
                    None if go.limits.ponder => {}
                    None => self.lag.forget_clock(),
                }
                let question = Question {
                    game: game.clone(),
                    go,
                    asked,
                    lag: self.lag.allowance(),
                };
                self.thinker.think(question, receiver, self.output.clone())
            }
            Err(reason) => {
                self.output
                    .error(&format!("no position to search, resigning: {reason}"));
                tokio::spawn(async move {
                    Hold::of(&go).over(&mut receiver).await;
                    Answer::Resign
                })
            }
        };
        self.thinking = Some(Thinking {
            controls,
            work: Work::Move(task),
            clock_from,
            has_clock,
            ending: false,
        });
    }

    /// The clock of what was pondered runs from now on.
    fn note_hit(&mut self, clock: Option<&Clock>, heard: Instant) {
        let Some(thinking) = &mut self.thinking else {
            return;
        };
        if thinking.clock_from.is_some() {
            return;
        }
        thinking.clock_from = Some(heard);
        match (clock, &self.position) {
            (Some(clock), Ok(game)) => self.lag.begin(game.position().side_to_move(), clock),
            _ if !thinking.has_clock => self.lag.forget_clock(),
            _ => {}
        }
    }

    fn go_mate(&mut self, time: Option<Duration>) {
        let (controls, receiver) = mpsc::unbounded_channel();
        match &self.position {
            Ok(game) => {
                let hash_mib = self.thinker.hash_mib() / MATE_SHARE;
                let task = tokio::spawn(mate::solve(game.clone(), hash_mib, time, receiver));
                self.thinking = Some(Thinking {
                    controls,
                    work: Work::Mate(task),
                    clock_from: None,
                    has_clock: false,
                    ending: false,
                });
            }
            Err(reason) => {
                self.output
                    .error(&format!("no position to look for a mate in: {reason}"));
                self.output.say(mate::answer(&Solution::Unknown));
            }
        }
    }

    fn end_search(&mut self) {
        self.tell(Control::Stop);
        if let Some(thinking) = &mut self.thinking {
            thinking.ending = true;
        }
    }

    /// Tells the outstanding search; without one, nothing.
    fn tell(&self, control: Control) {
        if let Some(thinking) = &self.thinking {
            // A search that is just over has its answer on the way.
            let _ = thinking.controls.send(control);
        }
    }

    /// Says what a `go` has come to.
    fn say(&mut self, over: Over) {
        let thinking = self.thinking.take();
        let answer = match over {
            Over::Move(answer) => answer,
            Over::Mate(solution) => {
                let solution = solution.unwrap_or_else(|error| {
                    tracing::error!(%error, "a search for a mate failed");
                    Solution::Unknown
                });
                self.output.say(mate::answer(&solution));
                return;
            }
        };
        if let Some(clock_from) = thinking.and_then(|thinking| thinking.clock_from) {
            self.lag.end(clock_from.elapsed());
        }
        let answer = answer.unwrap_or_else(|error| {
            tracing::error!(%error, "a search failed");
            self.position.as_ref().map_or(Answer::Resign, Answer::any)
        });
        self.output.say(format!("bestmove {answer}"));
    }
}

/// What a `go` has come to.
enum Over {
    Move(Result<Answer, JoinError>),
    Mate(Result<Solution, JoinError>),
}

/// What the outstanding search has come to; never, when there is none.
async fn answer_of(thinking: &mut Option<Thinking>) -> Over {
    match thinking {
        Some(thinking) => match &mut thinking.work {
            Work::Move(task) => Over::Move(task.await),
            Work::Mate(task) => Over::Mate(task.await),
        },
        None => std::future::pending().await,
    }
}

/// Who won, when that is how it ended for a side.
fn outcome_of(outcome: Outcome, ours: Color) -> GameOutcome {
    match (outcome, ours) {
        (Outcome::Draw, _) => GameOutcome::Drawn,
        (Outcome::Win, Color::Black) | (Outcome::Lose, Color::White) => GameOutcome::BlackWon,
        (Outcome::Win, Color::White) | (Outcome::Lose, Color::Black) => GameOutcome::WhiteWon,
    }
}
