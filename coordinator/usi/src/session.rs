//! The conversation with one GUI: commands in, lines out.
//!
//! One task owns the state and waits for nothing but the next event, so `usi`, `stop` and `quit`
//! are obeyed at any moment. Only this task says `bestmove`, once for every `go`, after the search
//! is over: no line of that search can follow it.

use super::{
    answer_gate::AnswerGate,
    backend::{Backend, GoRequest, SearchControl},
    best_move::BestMove,
    command::{GameOver, GuiCommand, ReadCommand},
    go::{GoMate, GoSearch},
    go_mate,
    output::Output,
    outstanding_go::{GoResult, OutstandingGo},
};
use monju_coordinator::clock::{ClockRules, Lag};
use monju_engine::{Answer, Color, Game, GameError, Position};
use monju_proto::v1::{Clock, GameOutcome};
use std::{collections::VecDeque, mem, time::Duration};
use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval_at},
};

/// Interval of the empty lines that tell a GUI that the backend is still loading.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The state of the conversation.
pub struct UsiSession<B> {
    backend: B,
    output: Output,
    /// The position to search, or the reason why it is unusable.
    position: Result<Game, GameError>,
    outstanding: Option<OutstandingGo>,
    /// The side that the engine plays in this game, once it has been asked for a move.
    ours: Option<Color>,
    /// Commands that came while a search was stopping, in order.
    deferred: VecDeque<ReadCommand>,
    /// Number of `readyok` lines still to be said.
    ready_owed: usize,
    /// Time that the GUI's clock loses with every move.
    lag: Lag,
    /// Remark that the GUI hears with the first `readyok`.
    remark: Option<String>,
}

impl<B: Backend> UsiSession<B> {
    /// Creates a session before its first command.
    pub fn new(backend: B, output: Output) -> Self {
        Self {
            backend,
            output,
            position: Ok(Game::startpos()),
            outstanding: None,
            ours: None,
            deferred: VecDeque::new(),
            ready_owed: 0,
            lag: Lag::default(),
            remark: None,
        }
    }

    /// Tells the GUI a remark with the first `readyok`.
    pub fn with_remark(self, remark: Option<String>) -> Self {
        Self { remark, ..self }
    }

    /// Obeys commands until `quit`, the end of the input, or the end of the output's reader; then
    /// closes the backend.
    pub async fn run(mut self, commands: mpsc::UnboundedReceiver<ReadCommand>) {
        self.listen(commands).await;
        self.record_deferred_results();
        self.outstanding = None;
        self.backend.close().await;
    }

    async fn listen(&mut self, mut commands: mpsc::UnboundedReceiver<ReadCommand>) {
        let mut keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                // An answer that is found waits for nothing.
                result = result_of(&mut self.outstanding) => {
                    self.answer(result);
                    self.handle_deferred();
                }
                command = commands.recv() => match command {
                    None | Some(ReadCommand { command: GuiCommand::Quit, .. }) => return,
                    Some(command) => {
                        let was_ready = self.ready_owed == 0;
                        self.receive(command);
                        if was_ready && self.ready_owed > 0 {
                            keep_alive.reset();
                        }
                    }
                },
                () = self.backend.changed() => self.say_ready(),
                _ = keep_alive.tick(), if self.ready_owed > 0 => self.output.say(""),
                () = self.output.closed() => return,
            }
        }
    }

    /// Obeys a command, or defers it until the stopping search has answered.
    fn receive(&mut self, command: ReadCommand) {
        if self.is_stopping() || !self.deferred.is_empty() {
            self.deferred.push_back(command);
        } else {
            self.handle(command);
        }
    }

    fn handle_deferred(&mut self) {
        while !self.is_stopping() {
            let Some(command) = self.deferred.pop_front() else {
                return;
            };
            self.handle(command);
        }
    }

    /// Records the results of games that ended while the last search was stopping: GUIs quit right
    /// after them.
    fn record_deferred_results(&mut self) {
        for ReadCommand { command, .. } in mem::take(&mut self.deferred) {
            if let GuiCommand::GameOver(result) = command {
                self.end_game(result);
            }
        }
    }

    fn handle(&mut self, ReadCommand { command, at }: ReadCommand) {
        match command {
            GuiCommand::Position(_)
            | GuiCommand::Go(_)
            | GuiCommand::GoMate(_)
            | GuiCommand::NewGame
            | GuiCommand::GameOver(_)
                if self.outstanding.is_some() =>
            {
                self.stop();
                self.deferred.push_front(ReadCommand { command, at });
            }
            GuiCommand::Usi => self.introduce(),
            GuiCommand::IsReady => self.get_ready(),
            GuiCommand::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            GuiCommand::NewGame => {
                self.lag.begin_game();
                self.backend.new_game();
            }
            GuiCommand::Position(text) => self.set_position(&text),
            GuiCommand::Go(go) => self.go(go, at),
            GuiCommand::GoMate(mate) => self.go_mate(mate),
            GuiCommand::Stop => self.stop(),
            GuiCommand::PonderHit(clock) => self.ponder_hit(clock, at),
            GuiCommand::GameOver(result) => self.end_game(result),
            GuiCommand::Quit | GuiCommand::Ignored => {}
        }
    }

    /// Answers `usi`.
    fn introduce(&self) {
        let version = env!("CARGO_PKG_VERSION");
        self.output.say(format!("id name {} {version}", B::NAME));
        self.output.say("id author the Monju authors");
        for line in B::declarations() {
            self.output.say(line);
        }
        self.output.say("usiok");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.backend.set_option(name, value.unwrap_or_default()) {
            self.output.error(&error);
        }
    }

    /// Answers `isready`, during a search at once, otherwise after the preparation.
    fn get_ready(&mut self) {
        if self.outstanding.is_some() {
            self.output.say("readyok");
            return;
        }
        self.ready_owed += 1;
        self.backend.get_ready();
        self.say_ready();
    }

    fn say_ready(&mut self) {
        if self.ready_owed == 0 || !self.backend.is_ready() {
            return;
        }
        if let Some(remark) = self.remark.take() {
            self.output.say(format!("info string {remark}"));
        }
        if let Some(reason) = self.backend.failure() {
            self.output.error(&reason);
        }
        for _ in 0..mem::take(&mut self.ready_owed) {
            self.output.say("readyok");
        }
    }

    fn set_position(&mut self, text: &str) {
        self.position = Game::from_usi(text);
        if let Err(error) = &self.position {
            self.output.error(&error.to_string());
        }
    }

    fn go(&mut self, go: GoSearch, asked: Instant) {
        let (controls, mut receiver) = mpsc::unbounded_channel();
        let clock_from = (!go.limits.ponder).then_some(asked);
        let has_clock = go.limits.clock.is_some();
        self.report_unread(go.unread.as_deref());
        let task = match &self.position {
            Ok(game) => {
                // The GUI may set them after the position, too.
                let game = game.clone().with_rules(self.backend.game_rules());
                if go.infinite {
                    self.report_decided(&game);
                }
                let side = game.position().side_to_move();
                self.ours = Some(side);
                match &go.limits.clock {
                    Some(clock) => self.lag.begin(side, clock),
                    // The clock may come with the ponder hit.
                    None if go.limits.ponder => {}
                    None => self.lag.forget_clock(),
                }
                let clock_rules = self.clock_rules(side, go.limits.clock.as_ref());
                let request = GoRequest {
                    game,
                    go,
                    asked,
                    clock_rules,
                };
                self.backend.search(request, receiver, self.output.clone())
            }
            Err(reason) => {
                self.output
                    .error(&format!("no position to search, resigning: {reason}"));
                tokio::spawn(async move {
                    AnswerGate::of(&go).opened(&mut receiver).await;
                    BestMove::RESIGN
                })
            }
        };
        let go = OutstandingGo::search(task, controls, clock_from, has_clock);
        self.outstanding = Some(go);
    }

    /// Returns the use of the clock for a move of `side`.
    fn clock_rules(&self, side: Color, clock: Option<&Clock>) -> ClockRules {
        let options = self.backend.clock_options();
        ClockRules {
            overhead: self.lag.to_keep(side, clock, &options.delays()),
            minimum: options.minimum_thinking_time(),
            whole_seconds: options.counts_whole_seconds() || self.lag.counts_whole_seconds(),
        }
    }

    fn go_mate(&mut self, GoMate { time, unread }: GoMate) {
        self.report_unread(unread.as_deref());
        match &self.position {
            Ok(game) => {
                let (controls, receiver) = mpsc::unbounded_channel();
                let hash_mib = self.backend.mate_hash_mib();
                let game = game.clone().with_rules(self.backend.game_rules());
                let output = self.output.clone();
                let solving = go_mate::solve(game, hash_mib, time, receiver, output);
                let go = OutstandingGo::mate(tokio::spawn(solving), controls);
                self.outstanding = Some(go);
            }
            Err(reason) => {
                self.output
                    .error(&format!("no position to look for a mate in: {reason}"));
                self.output.say(go_mate::NOT_POSSIBLE);
            }
        }
    }

    /// Tells an analysis of a position that the rules decide so at once: its answer waits for `stop`, and no search
    /// has anything to tell.
    fn report_decided(&self, game: &Game) {
        if let Some(answer) = Answer::by_rules(game) {
            let sign = if answer == Answer::Resign { '-' } else { '+' };
            self.output.say(format!("info depth 0 score mate {sign}"));
            self.output
                .say(format!("info string {}", answer.rule(game)));
        }
    }

    fn report_unread(&self, limit: Option<&str>) {
        if let Some(limit) = limit {
            self.output
                .error(&format!("go: '{limit}' has no number, taken for 0"));
        }
    }

    fn stop(&mut self) {
        if let Some(go) = &mut self.outstanding {
            go.stop();
        }
    }

    fn is_stopping(&self) -> bool {
        self.outstanding.as_ref().is_some_and(|go| go.is_stopping)
    }

    fn ponder_hit(&mut self, clock: Option<Clock>, at: Instant) {
        let Some(go) = &mut self.outstanding else {
            return;
        };
        let position = self.position.as_ref().ok().map(Game::position);
        let timed = position.map(Position::side_to_move).zip(clock);
        if go.clock_from.is_none() {
            go.clock_from = Some(at);
            match timed {
                Some((side, clock)) => self.lag.begin(side, &clock),
                None if !go.has_clock => self.lag.forget_clock(),
                None => {}
            }
        }
        let clock = timed.map(|(side, clock)| (clock, self.clock_rules(side, Some(&clock))));
        if let Some(go) = &self.outstanding {
            go.control(SearchControl::PonderHit { clock, at });
        }
    }

    /// Tells the GUI the result of the outstanding `go`.
    fn answer(&mut self, result: GoResult) {
        let clock_from = self.outstanding.take().and_then(|go| go.clock_from);
        match result {
            GoResult::Move(best_move) => {
                if let Some(clock_from) = clock_from {
                    self.lag.end(clock_from.elapsed());
                }
                let best_move = best_move.unwrap_or_else(|error| {
                    tracing::error!(%error, "a search failed");
                    (self.position.as_ref()).map_or(BestMove::RESIGN, BestMove::any)
                });
                self.output.say(format!("bestmove {best_move}"));
            }
            GoResult::Mate(Ok(verdict)) => {
                if let Some(problem) = go_mate::problem(&verdict) {
                    self.output.error(&problem);
                }
                self.output.say(go_mate::answer(&verdict));
            }
            GoResult::Mate(Err(error)) => {
                tracing::error!(%error, "a search for a mate failed");
                self.output.say(go_mate::NOT_POSSIBLE);
            }
        }
    }

    fn end_game(&mut self, result: Option<GameOver>) {
        let result = result.zip(self.ours.take());
        self.backend
            .game_over(result.map(|(result, ours)| outcome(result, ours)));
    }
}

/// Waits for the result of the outstanding `go`; forever without one.
async fn result_of(outstanding: &mut Option<OutstandingGo>) -> GoResult {
    match outstanding {
        Some(go) => go.result().await,
        None => std::future::pending().await,
    }
}

/// Converts the result for our side into the outcome of the game.
fn outcome(result: GameOver, ours: Color) -> GameOutcome {
    match (result, ours) {
        (GameOver::Draw, _) => GameOutcome::Drawn,
        (GameOver::Win, Color::Black) | (GameOver::Lose, Color::White) => GameOutcome::BlackWon,
        (GameOver::Win, Color::White) | (GameOver::Lose, Color::Black) => GameOutcome::WhiteWon,
    }
}
