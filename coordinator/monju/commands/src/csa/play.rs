//! One game: the engine on one side, the server on the other.

mod departure;
mod failure;
mod guard;
mod seat;
#[cfg(all(test, unix))]
mod tests;

use super::{
    asleep::SleepMeter,
    clock::{ChargeRule, Clocks},
    comment::comment,
    connection::{ConnectionError, CsaConnection, OFFER},
    result::{Played, ending_of},
    start::{Conditions, meet},
    substitute::Substitute,
    summary::GameSummary,
};
use anyhow::Context;
use departure::Departure;
use failure::{EngineFailure, in_time};
use monju_engine::{Answer, Color, EnteringKingRule, Game, GameRules, Move};
use monju_experiment::{notes::Note, record::MatchOutcome};
use monju_host::{
    EngineAnswer, EngineInfo, OptionValue, UsiSpec,
    usi_child::{ChildError, UsiChild, UsiMessage},
};
use monju_proto::{text::excerpt, v1::Score};
use std::{io, iter, time::Duration};
use tokio::{
    sync::mpsc::UnboundedReceiver,
    task::JoinSet,
    time::{Instant, sleep_until, timeout_at},
};

/// Time of an engine to name a move after `stop`.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// Failures of the engine between two moves of ours after which it is not started again before the next one.
const MOST_FAILURES: u32 = 2;

/// Time for the end of a game in which the server plays what the rules forbid.
const LAST_WORD: Duration = Duration::from_secs(5);

/// Option of engines for the rule of declarations.
const DECLARATIONS: &str = "EnteringKingRule";

/// Option of engines for the number of moves after which a game is drawn; 0 for none.
const MOST_MOVES: &str = "MaxMovesToDraw";

/// Option of engines for a clock that drops parts of a second.
const FULL_SECONDS: &str = "RoundUpToFullSecond";

/// Time by which the clock of a ponder is short of our estimate, for an engine that hears of no better one.
const UNKNOWN_DELAY: Duration = Duration::from_secs(1);

/// The end of a connection to a game.
#[derive(Debug)]
pub enum Left {
    /// The game is over.
    Over(Box<Played>),
    /// The connection is lost, and the game goes on.
    Lost(ConnectionError),
    /// The server has dropped the game and offers another one, whose conditions follow on the connection.
    Replaced,
    /// The game cannot go on, for this reason.
    Unplayable(String),
}

/// The work of the engine.
#[derive(Debug, PartialEq)]
enum EngineTask {
    Nothing,
    /// It searches for our move.
    Move,
    /// It searches behind the reply that it expects. An answer that came too early is held.
    Ponder(Move, Option<EngineAnswer>),
    /// Its answer is of no use any more, and has been waited for since then.
    Discarded(Instant),
}

/// A move, a resignation or a claim of ours that the server has not confirmed.
#[derive(Clone, Debug)]
struct Sent {
    /// The line to the server.
    text: String,
    mv: Option<Move>,
    /// Score for Black.
    score: Option<i32>,
}

/// Takes in an interrupt: the first makes the game under way the last one. Returns the reason why the game cannot go
/// on where it was the last one already.
pub fn interrupt(is_last: &mut bool) -> Result<(), String> {
    if *is_last {
        return Err("interrupted; the server will count the game as lost".to_owned());
    }
    *is_last = true;
    tell!("this game is the last one; interrupt again to leave it at once");
    Ok(())
}

/// The engine, and the game that it plays.
pub struct Board {
    /// `None` after a failure, until another engine takes the place of the one that was given up.
    engine: Option<UsiChild>,
    /// The end of the engine that was given up last, before which no other one is started.
    departure: Option<Departure>,
    spec: UsiSpec,
    ponders: bool,
    comments: bool,
    /// Number of reports of the engine that the user has been told.
    told: usize,
    /// Failures of the engine since our last move.
    failures: u32,
    /// The engine that is being started in its place; lines of the server are read meanwhile.
    starting: JoinSet<Result<UsiChild, ChildError>>,
    /// When the substitute moves, for which an engine that is being started is not waited any longer.
    start_until: Option<Instant>,
    /// The engine ends when it is told an increment, which not all programs know.
    knows_no_increments: bool,
    /// Moves while there is no engine, or in place of one that is late.
    substitute: Substitute,
    /// Options of the engine that the server's conditions of the game ask for.
    conditions: Conditions,
    game: Game,
    ours: Color,
    /// How the server charges the moves of each side.
    charges: [ChargeRule; 2],
    clocks: Clocks,
    /// Number of moves with which the server offered the game.
    offered: usize,
    notes: Vec<Note>,
    thinking: EngineTask,
    info: EngineInfo,
    /// Since when it has been the turn of the side to move.
    turn_began: Instant,
    /// Time asleep that is not yet taken off the beginning of the turn.
    asleep: SleepMeter,
    /// Time asleep in this turn that is.
    slept: Duration,
    /// When the engine was asked.
    asked: Instant,
    /// The engine was told to stop its search, because the time ends.
    is_hurried: bool,
    /// When the server took the game up again.
    resumed: Option<Instant>,
    /// Our move on its way to the server and back.
    sent: Option<Sent>,
    /// The server's move that the rules forbid, and when it came: the server may end the game by it.
    foul: Option<(String, Instant)>,
    ending: Option<&'static str>,
}

impl Board {
    /// A board without a game.
    ///
    /// # Errors
    /// The system refuses the thread of the substitute.
    pub fn new(engine: UsiChild, spec: UsiSpec, ponders: bool, comments: bool) -> io::Result<Self> {
        Ok(Self {
            engine: Some(engine),
            departure: None,
            spec,
            ponders,
            comments,
            told: 0,
            failures: 0,
            starting: JoinSet::new(),
            start_until: None,
            knows_no_increments: false,
            substitute: Substitute::start()?,
            conditions: Vec::new(),
            game: Game::startpos(),
            ours: Color::Black,
            charges: Default::default(),
            clocks: Clocks::new(Default::default()),
            offered: 0,
            notes: Vec::new(),
            thinking: EngineTask::Nothing,
            info: EngineInfo::default(),
            turn_began: Instant::now(),
            asleep: SleepMeter::new(),
            slept: Duration::ZERO,
            asked: Instant::now(),
            is_hurried: false,
            resumed: None,
            sent: None,
            foul: None,
            ending: None,
        })
    }

    /// Gets the engine ready for a game. No clock runs yet: an engine may load for a long time. One that has failed
    /// since the last game, for which nobody has listened to it, is started again.
    ///
    /// # Errors
    /// The engine that was started again does not get ready either.
    pub async fn prepare(&mut self, summary: &GameSummary) -> anyhow::Result<()> {
        self.conditions = self.conditions_of(summary);
        if let Some(engine) = &mut self.engine {
            match meet(engine, &self.conditions).await {
                Ok(()) => self.tell_reports(),
                Err(error) => {
                    tell!("the engine failed, and is started again: {error}");
                    self.give_up();
                }
            }
        }
        self.starting = JoinSet::new();
        if self.engine.is_none()
            && let Err(error) = self.start_again().await
        {
            tell!("the engine cannot be started, and is started once more: {error}");
            let game = &summary.id;
            let again = self.start_again().await;
            again.with_context(|| {
                format!("the engine failed twice in a row before the game {game}")
            })?;
        }
        self.substitute.prepare(&summary.id);
        self.thinking = EngineTask::Nothing;
        self.offered = summary.timed.game.moves().len();
        self.set(summary);
        Ok(())
    }

    /// Returns the options that a game asks for. How the server counts is what the user says, if anything.
    fn conditions_of(&self, summary: &GameSummary) -> Conditions {
        // The server drops parts of a second.
        let ours = summary.charges[summary.ours.index()];
        let drops = ours.unit == 1_000 && !ours.rounds_up;
        // That of an earlier game is taken back.
        let was_set = self.conditions.iter().any(|(name, _)| *name == MOST_MOVES);
        let own = || {
            let own = self.spec.options.get(MOST_MOVES).cloned();
            own.unwrap_or(OptionValue::Number(0))
        };
        let most = summary
            .most_moves
            .map(|most| OptionValue::Number(most.into()));
        let most = most.or_else(|| was_set.then(own));
        let is_named = self.spec.options.get(FULL_SECONDS).is_some();
        let drops = (!is_named).then_some((FULL_SECONDS, OptionValue::Switch(drops)));
        drops
            .into_iter()
            .chain(most.map(|most| (MOST_MOVES, most)))
            .collect()
    }

    /// Tells the user what the engine reports, each text once a game: it plays otherwise than it was told to, and a
    /// tournament goes on.
    pub fn tell_reports(&mut self) {
        let Some(engine) = &self.engine else {
            return;
        };
        let reports = engine.reports().all();
        for report in reports.iter().skip(self.told) {
            tell!("the engine says: {}", report.words);
        }
        self.told = reports.len();
    }

    /// Begins the game or a turn, whose clock has run since then.
    pub fn begin(&mut self, since: Instant) {
        self.turn_began = since;
        self.asleep.reset();
        self.slept = Duration::ZERO;
    }

    /// Takes the time that the machine has slept in this turn off its beginning.
    fn count_sleep(&mut self) {
        let asleep = self.asleep.take();
        if asleep.is_zero() {
            return;
        }
        self.slept += asleep;
        tell!("the machine was asleep for {:.1} s", asleep.as_secs_f64());
        for began in iter::once(&mut self.turn_began).chain(&mut self.resumed) {
            *began = began.checked_sub(asleep).unwrap_or(*began);
        }
    }

    /// Begins the turn behind a move for which the server has charged `spent`, and returns for how long it has run
    /// already: where the machine was asleep meanwhile, the move may have come long ago. A server that charges no
    /// time leaves that unknown.
    fn begin_behind(&mut self, side: Color, spent: Option<u64>) -> Duration {
        self.count_sleep();
        let passed = self.turn_began.elapsed();
        let least = spent.map(|spent| self.charges[side.index()].least_time(spent));
        let since_move = least.map(|least| passed.saturating_sub(least));
        let overslept = since_move.map_or(Duration::ZERO, |since| since.min(self.slept));
        let now = Instant::now();
        self.begin(now.checked_sub(overslept).unwrap_or(now));
        if side == self.ours {
            // The answer may have come in the same sleep.
            self.slept = overslept;
        }
        overslept
    }

    /// Goes on with a game whose connection was lost at a time.
    pub async fn resume(&mut self, summary: &GameSummary, lost: Instant) {
        self.count_sleep();
        let game = &summary.timed.game;
        if (game.start(), game.moves()) == (self.game.start(), self.game.moves()) {
            // The clock of our turn has run all the while, and the search and its move are as good as before. A foul
            // that the server does not count among the moves has not been played.
            self.ending = None;
            self.foul = None;
            self.resumed = Some(Instant::now());
            return;
        }
        let known = self.game.moves().len();
        let goes_on =
            game.start() == self.game.start() && game.moves().starts_with(self.game.moves());
        let (turn_began, slept) = (self.turn_began, self.slept);
        self.set(summary);
        self.resumed = Some(Instant::now());
        // Our turn may have begun at any time since, also while the machine was asleep, but not before the moves that
        // we have missed had taken their times.
        let mut since = lost.checked_sub(slept).unwrap_or(lost);
        if goes_on {
            let mut side = self.game.position().side_to_move();
            let missed = self.notes.iter().skip(known).rev().map(|note| {
                side = !side;
                self.charges[side.index()].least_time(note.time_ms)
            });
            let earliest = turn_began.checked_add(missed.sum());
            since = earliest.map_or(since, |earliest| since.max(earliest));
            since = since.min(Instant::now());
        }
        self.begin(since);
        self.discard_or_restart().await;
    }

    /// Returns the rule of declarations: that of most servers, unless the user has named another one to the engine.
    fn declarations(&self) -> EnteringKingRule {
        let named = self.spec.options.get(DECLARATIONS);
        let named = named.and_then(|rule| rule.to_string().parse().ok());
        named.unwrap_or_default()
    }

    fn set(&mut self, summary: &GameSummary) {
        let rules = GameRules {
            entering_king: self.declarations(),
            ..GameRules::default()
        };
        self.game = summary.timed.game.clone().with_rules(rules);
        self.failures = 0;
        self.foul = None;
        self.ours = summary.ours;
        self.charges = summary.charges;
        self.clocks = Clocks::new(summary.rules);
        self.notes.clear();
        self.sent = None;
        self.ending = None;
        self.begin(Instant::now());
        self.resumed = None;
        let moves = self.game.moves().len();
        let mut side = self.game.position().side_to_move();
        if moves % 2 == 1 {
            side = !side;
        }
        for (number, time) in summary.timed.times.iter().enumerate() {
            if number == self.offered {
                self.clocks.cap();
            }
            // A record counts seconds, whatever the unit of the clock.
            let spent = time.as_secs() * self.charges[side.index()].unit;
            self.clocks.charge(side, spent);
            self.notes.push(Note {
                time_ms: spent,
                score: None,
            });
            side = !side;
        }
        if summary.timed.times.len() <= self.offered {
            self.clocks.cap();
        }
    }

    /// Plays until the game is over or cannot go on, or the connection is lost.
    pub async fn play(
        &mut self,
        connection: &mut CsaConnection,
        interrupts: &mut UnboundedReceiver<()>,
        is_last: &mut bool,
    ) -> Left {
        // The connection before may have lost what it sent last.
        if let Some(sent) = &self.sent
            && let Err(error) = connection.send(&sent.text).await
        {
            return Left::Lost(error);
        }
        loop {
            self.count_sleep();
            if self.engine.is_none() && self.starting.is_empty() && self.failures < MOST_FAILURES {
                self.begin_to_start();
            }
            if self.owes_move() && self.thinking == EngineTask::Nothing {
                if self.engine.is_some() {
                    if let Err(error) = self.think().await {
                        self.restart_after(error);
                        continue;
                    }
                } else if self.starting.is_empty()
                    && let Err(error) = self.move_for_engine(connection).await
                {
                    return Left::Lost(error);
                }
            }
            let hurry = self.hurry_at();
            let asleep = self.asleep;
            let last_word = self.foul.as_ref().map(|(_, since)| *since + LAST_WORD);
            let goes_on = tokio::select! {
                biased;
                line = connection.next() => match line {
                    Ok(line) => self.handle(&line).await,
                    Err(error) => Err(Left::Lost(error)),
                },
                Some(()) = interrupts.recv() => interrupt(is_last).map_err(Left::Unplayable),
                () = sleep_until(hurry.unwrap_or_else(Instant::now)), if hurry.is_some() => {
                    self.hurry(connection).await.map_err(Left::Lost)
                }
                // Our clock has run on, and ends earlier than it seems.
                () = asleep.noticed(), if hurry.is_some() => Ok(()),
                () = sleep_until(last_word.unwrap_or_else(Instant::now)), if last_word.is_some() => {
                    Err(Left::Unplayable(self.foul.take().map_or_else(String::new, |(foul, _)| foul)))
                }
                event = self.next_of_engine() => self.take_in(event, connection).await,
            };
            if let Err(left) = goes_on {
                return left;
            }
        }
    }

    fn is_our_turn(&self) -> bool {
        self.ending.is_none()
            && self.foul.is_none()
            && self.game.position().side_to_move() == self.ours
    }

    /// Returns true while a move of ours is due that has not been sent.
    fn owes_move(&self) -> bool {
        self.is_our_turn() && self.sent.is_none()
    }

    /// Returns the words of a `go` for our move, which the engine understands.
    fn words(&self, clocks: Clocks) -> String {
        let clocks = match self.knows_no_increments {
            true => clocks.without_increments(),
            false => clocks,
        };
        clocks.words(self.ours)
    }

    /// Starts the search for our move.
    async fn think(&mut self) -> Result<(), EngineFailure> {
        let thought = u64::try_from(self.turn_began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let go = format!("go {}", self.words(self.clocks.after(self.ours, thought)));
        let position = format!("position {}", self.game.to_usi());
        self.info = EngineInfo::default();
        self.asked = Instant::now();
        self.is_hurried = false;
        self.thinking = EngineTask::Move;
        let until = self.line_until();
        in_time(until, self.seated()?.go(&position, &go)).await
    }

    /// Starts to think on the opponent's time, behind our move `mv` that is on its way to the server. Its time is
    /// known when the server has confirmed it.
    async fn ponder(&mut self, mv: Move, reply: &str) -> Result<(), EngineFailure> {
        let mut after = self.game.clone();
        if after.play(mv).is_err() {
            return Ok(());
        }
        let Ok(expected) = after.parse_move(reply) else {
            return Ok(());
        };
        if after.play(expected).is_err() {
            return Ok(());
        }
        let position = format!("position {}", after.to_usi());
        let mut go = "go ponder".to_owned();
        if !self.knows_late_clock() {
            let spent = self.turn_began.elapsed() + UNKNOWN_DELAY;
            let mut clocks = self.clocks;
            clocks.charge(self.ours, spent.as_millis() as u64);
            go = format!("{go} {}", self.words(clocks));
        }
        self.info = EngineInfo::default();
        self.asked = Instant::now();
        self.thinking = EngineTask::Ponder(expected, None);
        let until = self.line_until();
        in_time(until, self.seated()?.go(&position, &go)).await
    }

    /// Returns true for an engine that takes the clock with `ponderhit`. Others may not even know the word then.
    fn knows_late_clock(&self) -> bool {
        let name = self.engine.as_ref().and_then(UsiChild::engine);
        name.is_some_and(|name| name.starts_with("Monju"))
    }

    /// Tells the engine that the expected reply was played, and that our clock has run for a time since.
    async fn ponder_hit(&mut self, overslept: Duration) -> Result<(), EngineFailure> {
        let until = self.line_until();
        if self.knows_late_clock() {
            let overslept_ms = u64::try_from(overslept.as_millis()).unwrap_or(u64::MAX);
            let clock = self.words(self.clocks.after(self.ours, overslept_ms));
            in_time(until, self.seated()?.ponder_hit_with(&clock)).await
        } else {
            in_time(until, self.seated()?.ponder_hit()).await
        }
    }

    /// Ends a search whose answer is of no use any more.
    async fn discard(&mut self) -> Result<(), EngineFailure> {
        self.info = EngineInfo::default();
        match self.thinking {
            EngineTask::Ponder(_, Some(_)) => self.thinking = EngineTask::Nothing,
            EngineTask::Move | EngineTask::Ponder(_, None) => {
                self.stop().await?;
                self.thinking = EngineTask::Discarded(Instant::now());
            }
            EngineTask::Nothing | EngineTask::Discarded(_) => {}
        }
        Ok(())
    }

    /// As [`Board::discard`], in mid-game: an engine that fails is started again.
    async fn discard_or_restart(&mut self) {
        if let Err(error) = self.discard().await {
            self.restart_after(error);
        }
    }

    /// Waits for the next line of the engine. One that holds back an answer of no use for long has failed: it cannot be
    /// asked for another one. Safe to drop and call again.
    async fn listen(&mut self) -> Result<UsiMessage, ChildError> {
        let EngineTask::Discarded(since) = self.thinking else {
            return self.seated()?.next().await;
        };
        // A line that is there by now counts, whenever we listen.
        let line = timeout_at(since + STOP_PATIENCE, self.seated()?.next()).await;
        line.unwrap_or(Err(ChildError::IgnoredStop(STOP_PATIENCE)))
    }

    /// Takes in a line of the engine.
    async fn hear(
        &mut self,
        message: UsiMessage,
        connection: &mut CsaConnection,
    ) -> Result<(), Left> {
        match message {
            UsiMessage::Info(text) => {
                // The last lines of a search of no use say nothing of the present position.
                if matches!(self.thinking, EngineTask::Move | EngineTask::Ponder(..)) {
                    self.info.hear(&text);
                }
                self.tell_reports();
            }
            UsiMessage::BestMove(answer) => match &mut self.thinking {
                EngineTask::Move if self.ending.is_none() && self.sent.is_none() => {
                    self.thinking = EngineTask::Nothing;
                    let played = match Answer::parse_allowed(&self.game, &answer.mv) {
                        Ok(played) => played,
                        Err(error) => {
                            let mv = excerpt(&answer.mv, 20);
                            self.info = EngineInfo::default();
                            let fault = match Answer::parse(&self.game, &answer.mv) {
                                Ok(_) => "it declares a win that does not hold".to_owned(),
                                Err(_) => format!("it plays {mv}, which the rules forbid: {error}"),
                            };
                            self.restart(fault);
                            return Ok(());
                        }
                    };
                    let line = self.info.line(self.turn_began.elapsed());
                    let sent = self.send(played, line.score, &line.pv, connection).await;
                    sent.map_err(Left::Lost)?;
                    let sent = self.sent.as_ref().and_then(|sent| sent.mv);
                    if let (Some(mv), Some(reply), true) = (sent, &answer.ponder, self.ponders)
                        && let Err(error) = self.ponder(mv, reply).await
                    {
                        self.restart_after(error);
                    }
                }
                EngineTask::Ponder(_, early) => *early = Some(answer),
                EngineTask::Nothing | EngineTask::Move | EngineTask::Discarded(_) => {
                    self.thinking = EngineTask::Nothing;
                }
            },
            UsiMessage::ReadyOk | UsiMessage::Other => {}
        }
        Ok(())
    }

    /// Sends our move, with its score for the side to move and its line of play.
    async fn send(
        &mut self,
        played: Answer,
        score: Option<Score>,
        pv: &[String],
        connection: &mut CsaConnection,
    ) -> Result<(), ConnectionError> {
        let score = score.and_then(|score| score.centipawns());
        let score = score.map(|score| match self.ours {
            Color::Black => score,
            Color::White => -score,
        });
        let text = match played {
            Answer::Resign => "%TORYO".to_owned(),
            Answer::Win => "%KACHI".to_owned(),
            Answer::Move(mv) => {
                let comment = score
                    .filter(|_| self.comments)
                    .map(|score| comment(&self.game, mv, score, pv));
                self.game.position().csa_move(mv) + &comment.unwrap_or_default()
            }
        };
        self.failures = 0;
        // Of the sleeps of this turn, those alone that begin from now on may hide the answer.
        self.count_sleep();
        self.slept = Duration::ZERO;
        let sent = self.sent.insert(Sent {
            text,
            mv: played.as_move(),
            score,
        });
        connection.send(&sent.text).await
    }

    /// Takes in a line of the server.
    async fn handle(&mut self, line: &str) -> Result<(), Left> {
        if line == OFFER {
            return Err(Left::Replaced);
        } else if line.starts_with(['+', '-']) {
            self.moved(line).await;
        } else if let Some(ending) = ending_of(line) {
            self.ending = Some(ending);
        } else {
            let outcome = match line {
                "#WIN" => Some(MatchOutcome::Win),
                "#LOSE" => Some(MatchOutcome::Loss),
                "#DRAW" => Some(MatchOutcome::Draw),
                // The end by the number of moves has no result of its own.
                "#CENSORED" if self.ending == Some("maximum plies") => Some(MatchOutcome::Draw),
                "#CHUDAN" | "#CENSORED" => None,
                _ => return Ok(()),
            };
            return Err(Left::Over(Box::new(self.over(outcome).await)));
        }
        Ok(())
    }

    /// Takes in a move that the server has accepted. One that the rules forbid is the last of the game: the server may
    /// tell of it and end the game by it.
    async fn moved(&mut self, line: &str) {
        let mut parts = line.split(',');
        let text = parts.next().unwrap_or_default();
        let position = self.game.position();
        let legal = self.game.legal_moves();
        let Some(mv) = legal.into_iter().find(|&mv| position.csa_move(mv) == text) else {
            let mv = excerpt(text, 20);
            let foul = format!("the server plays {mv}, which is illegal here");
            self.foul.get_or_insert((foul, Instant::now()));
            return;
        };
        let side = position.side_to_move();
        let is_ours = side == self.ours;
        let unit = self.charges[side.index()].unit;
        let told = parts.find_map(|part| units_of(part.strip_prefix('T')?));
        let told = told.map(|units| units.saturating_mul(unit));
        // What we have measured ourselves is better than nothing.
        let spent = match told {
            Some(told) => told,
            None if is_ours => self.turn_began.elapsed().as_millis() as u64,
            None => 0,
        };
        self.clocks.charge(side, spent);
        let sent = self.sent.take().filter(|_| is_ours);
        self.notes.push(Note {
            time_ms: spent,
            score: sent.as_ref().and_then(|sent| sent.score),
        });
        if self.game.play(mv).is_err() {
            return;
        }
        if is_ours {
            // A server may play another move than the one that was sent, as after a reconnection.
            if sent.and_then(|sent| sent.mv) != Some(mv) {
                self.discard_or_restart().await;
            }
            self.begin_behind(side, told);
            return;
        }
        let overslept = self.begin_behind(side, told);
        let knows_clock = overslept.is_zero() || self.knows_late_clock();
        self.resumed = None;
        self.start_until = self.patience_with_start();
        match std::mem::replace(&mut self.thinking, EngineTask::Nothing) {
            EngineTask::Ponder(expected, None) if expected == mv && knows_clock => {
                match self.ponder_hit(overslept).await {
                    Ok(()) => {
                        self.is_hurried = false;
                        self.thinking = EngineTask::Move;
                    }
                    Err(error) => self.restart_after(error),
                }
            }
            // An answer that came too early may be to another question: the engine is asked again.
            thinking => {
                self.thinking = thinking;
                self.discard_or_restart().await;
            }
        }
    }

    /// Returns the game that is over. It counts, whatever the engine does.
    async fn over(&mut self, outcome: Option<MatchOutcome>) -> Played {
        let word = match outcome {
            Some(MatchOutcome::Win) => "win",
            Some(MatchOutcome::Loss) => "lose",
            Some(MatchOutcome::Draw) | None => "draw",
        };
        // One that has failed is not waited for.
        if self.engine.is_some()
            && let Err(error) = self.end_search(word).await
        {
            tell!("the engine failed at the end of the game: {error}");
            self.give_up();
        }
        self.tell_reports();
        // The next game tells its own.
        if let Some(engine) = &mut self.engine {
            engine.take_reports();
        }
        self.told = 0;
        Played {
            game: self.game.clone(),
            notes: std::mem::take(&mut self.notes),
            outcome,
            ending: match outcome {
                None => "interruption",
                Some(_) => self.ending.unwrap_or("resignation"),
            },
        }
    }

    /// Returns a game that cannot go on.
    pub async fn break_off(&mut self) -> Played {
        self.over(None).await
    }

    /// Ends the search and tells the engine the result.
    async fn end_search(&mut self, result: &str) -> Result<(), EngineFailure> {
        self.discard().await?;
        while let EngineTask::Discarded(_) = self.thinking {
            if let UsiMessage::BestMove(_) = self.listen().await? {
                self.thinking = EngineTask::Nothing;
            }
        }
        let until = self.line_until();
        in_time(until, self.seated()?.game_over(result)).await
    }

    /// Ends the engine.
    pub async fn close(self) {
        if let Some(engine) = self.engine {
            engine.quit().await;
        }
        if let Some(departure) = self.departure {
            departure.over().await;
        }
    }
}

/// Reads the time of a move, in units. Parts of one count as a whole.
fn units_of(text: &str) -> Option<u64> {
    let units: f64 = text.parse().ok()?;
    (units >= 0.0).then_some(units.ceil() as u64)
}
