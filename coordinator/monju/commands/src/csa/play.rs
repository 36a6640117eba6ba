//! One game: the engine on one side, the server on the other.

#[cfg(all(test, unix))]
mod tests;

use super::{
    clock::Clocks,
    comment::comment,
    connection::{ConnectionError, CsaConnection},
    result::{Played, ending_of},
    summary::GameSummary,
};
use anyhow::{Context, bail};
use monju_engine::{Answer, Color, Game, Move};
use monju_experiment::{notes::Note, record::MatchOutcome};
use monju_host::{
    EngineAnswer, EngineInfo, OptionValue, UsiSpec,
    usi_child::{ChildError, UsiChild, UsiMessage},
};
use monju_proto::text::excerpt;
use std::time::Duration;
use tokio::{
    sync::mpsc::UnboundedReceiver,
    time::{Instant, timeout_at},
};

/// Time of an engine to name a move after `stop`.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

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

/// Takes in an interrupt: the first makes the game under way the last one.
///
/// # Errors
/// It was the last one already, and is left.
pub fn interrupt(is_last: &mut bool) -> anyhow::Result<()> {
    if *is_last {
        bail!("interrupted; the server will count the game as lost");
    }
    *is_last = true;
    tell!("this game is the last one; interrupt again to leave it at once");
    Ok(())
}

/// The engine, and the game that it plays.
pub struct Board {
    engine: UsiChild,
    spec: UsiSpec,
    ponders: bool,
    comments: bool,
    /// Number of reports of the engine that the user has been told.
    told: usize,
    has_restarted: bool,
    /// The engine failed twice in a game, or at its end, and is started again for the next one.
    has_failed: bool,
    /// Options of the engine that the server's conditions of the game ask for.
    conditions: Vec<(&'static str, OptionValue)>,
    game: Game,
    ours: Color,
    /// Milliseconds of one unit of each side's time.
    units: [u64; 2],
    clocks: Clocks,
    /// Number of moves with which the server offered the game.
    offered: usize,
    notes: Vec<Note>,
    thinking: EngineTask,
    info: EngineInfo,
    /// Since when it has been our turn.
    turn_began: Instant,
    /// Since when the server's lines have been left unread, while another engine was started: the opponent may have
    /// moved at any time since.
    unread_since: Option<Instant>,
    /// Our move on its way to the server and back.
    sent: Option<Sent>,
    ending: Option<&'static str>,
}

impl Board {
    /// A board without a game.
    pub fn new(engine: UsiChild, spec: UsiSpec, ponders: bool, comments: bool) -> Self {
        Self {
            engine,
            spec,
            ponders,
            comments,
            told: 0,
            has_restarted: false,
            has_failed: false,
            conditions: Vec::new(),
            game: Game::startpos(),
            ours: Color::Black,
            units: [1_000; 2],
            clocks: Clocks::new(Default::default()),
            offered: 0,
            notes: Vec::new(),
            thinking: EngineTask::Nothing,
            info: EngineInfo::default(),
            turn_began: Instant::now(),
            unread_since: None,
            sent: None,
            ending: None,
        }
    }

    /// Gets the engine ready for a game. No clock runs yet: an engine may load for a long time. One that has failed
    /// since the last game, for which nobody has listened to it, is started again.
    ///
    /// # Errors
    /// The engine that was started again does not get ready either.
    pub async fn prepare(&mut self, summary: &GameSummary) -> anyhow::Result<()> {
        self.conditions = self.conditions_of(summary);
        if !self.has_failed
            && let Err(error) = self.meet_conditions().await
        {
            tell!("the engine failed, and is started again: {error}");
            self.has_failed = true;
        }
        if self.has_failed {
            let game = &summary.id;
            let again = self.start_again().await;
            again.with_context(|| {
                format!("the engine failed twice in a row before the game {game}")
            })?;
            self.has_failed = false;
        }
        self.has_restarted = false;
        self.thinking = EngineTask::Nothing;
        self.offered = summary.timed.game.moves().len();
        self.set(summary);
        Ok(())
    }

    /// Returns the options that a game asks for. How the server counts is what the user says, if anything.
    fn conditions_of(&self, summary: &GameSummary) -> Vec<(&'static str, OptionValue)> {
        // The server drops parts of a second.
        let drops = summary.units[summary.ours.index()] == 1_000 && !summary.rounds_up;
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

    /// Tells the engine the conditions of the game that it has options for, and begins the game.
    async fn meet_conditions(&mut self) -> Result<(), ChildError> {
        for (name, value) in &self.conditions {
            if self
                .engine
                .declared()
                .iter()
                .any(|(known, _)| known == *name)
            {
                self.engine.set_option(name, value).await?;
            }
        }
        self.engine.ready().await?;
        self.tell_reports();
        self.engine.new_game().await
    }

    /// Starts another engine in place of the one that failed, for the same game. That may hang, and leaves its memory
    /// and cores first.
    async fn start_again(&mut self) -> Result<(), ChildError> {
        self.engine.kill().await;
        self.engine = UsiChild::start("csa".to_owned(), self.spec.clone()).await?;
        self.told = 0;
        self.thinking = EngineTask::Nothing;
        self.meet_conditions().await
    }

    /// Tells the user what the engine reports, each text once a game: it plays otherwise than it was told to, and a
    /// tournament goes on.
    pub fn tell_reports(&mut self) {
        let reports = self.engine.reports().all();
        for report in reports.iter().skip(self.told) {
            tell!("the engine says: {}", report.words);
        }
        self.told = reports.len();
    }

    /// Begins the game, whose clock has run since then.
    pub fn begin(&mut self, since: Instant) {
        self.turn_began = since;
    }

    /// Goes on with a game whose connection was lost at a time.
    ///
    /// # Errors
    /// The game cannot go on.
    pub async fn resume(&mut self, summary: &GameSummary, lost: Instant) -> Result<(), Left> {
        let game = &summary.timed.game;
        if (game.start(), game.moves()) == (self.game.start(), self.game.moves()) {
            // The clock of our turn has run all the while, and the search and its move are as good as before.
            self.ending = None;
            self.unread_since = None;
            return Ok(());
        }
        // A move that came while the engine was started again was lost with the connection.
        let lost = self.unread_since.map_or(lost, |since| since.min(lost));
        self.set(summary);
        // Our turn may have begun at any time since.
        self.turn_began = lost;
        self.discard_or_restart().await
    }

    fn set(&mut self, summary: &GameSummary) {
        self.game = summary.timed.game.clone();
        self.ours = summary.ours;
        self.units = summary.units;
        self.clocks = Clocks::new(summary.rules);
        self.notes.clear();
        self.sent = None;
        self.ending = None;
        self.turn_began = Instant::now();
        self.unread_since = None;
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
            let spent = time.as_secs() * self.units[side.index()];
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
    ///
    /// # Errors
    /// The user leaves.
    pub async fn play(
        &mut self,
        connection: &mut CsaConnection,
        interrupts: &mut UnboundedReceiver<()>,
        is_last: &mut bool,
    ) -> anyhow::Result<Left> {
        // The connection before may have lost what it sent last.
        if let Some(sent) = &self.sent
            && let Err(error) = connection.send(&sent.text).await
        {
            return Ok(Left::Lost(error));
        }
        loop {
            let is_asked = self.thinking == EngineTask::Nothing && self.sent.is_none();
            if self.is_our_turn()
                && is_asked
                && let Err(error) = self.think().await
            {
                match self.restart(error).await {
                    Ok(()) => continue,
                    Err(left) => return Ok(left),
                }
            }
            let goes_on = tokio::select! {
                biased;
                line = connection.next() => match line {
                    Ok(line) => self.handle(&line).await,
                    Err(error) => Err(Left::Lost(error)),
                },
                () = std::future::ready(()), if self.unread_since.is_some() => {
                    // No line had been waiting.
                    self.unread_since = None;
                    Ok(())
                }
                Some(()) = interrupts.recv() => {
                    interrupt(is_last)?;
                    Ok(())
                }
                message = self.listen() => match message {
                    Ok(message) => self.hear(message, connection).await,
                    Err(error) => self.restart(error).await,
                },
            };
            if let Err(left) = goes_on {
                return Ok(left);
            }
        }
    }

    fn is_our_turn(&self) -> bool {
        self.ending.is_none() && self.game.position().side_to_move() == self.ours
    }

    /// Starts the search for our move.
    async fn think(&mut self) -> Result<(), ChildError> {
        let thought = u64::try_from(self.turn_began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let go = format!(
            "go {}",
            self.clocks.after(self.ours, thought).words(self.ours)
        );
        let position = format!("position {}", self.game.to_usi());
        self.info = EngineInfo::default();
        self.engine.go(&position, &go).await?;
        self.thinking = EngineTask::Move;
        Ok(())
    }

    /// Starts to think on the opponent's time, behind our move `mv` that is on its way to the server. Its time is
    /// known when the server has confirmed it.
    async fn ponder(&mut self, mv: Move, reply: &str) -> Result<(), ChildError> {
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
            go = format!("{go} {}", clocks.words(self.ours));
        }
        self.info = EngineInfo::default();
        self.engine.go(&position, &go).await?;
        self.thinking = EngineTask::Ponder(expected, None);
        Ok(())
    }

    /// Returns true for an engine that takes the clock with `ponderhit`. Others may not even know the word then.
    fn knows_late_clock(&self) -> bool {
        let name = self.engine.engine();
        name.is_some_and(|name| name.starts_with("Monju"))
    }

    /// Tells the engine that the expected reply was played.
    async fn ponder_hit(&mut self) -> Result<(), ChildError> {
        if self.knows_late_clock() {
            let clock = self.clocks.words(self.ours);
            self.engine.ponder_hit_with(&clock).await
        } else {
            self.engine.ponder_hit().await
        }
    }

    /// Ends a search whose answer is of no use any more.
    async fn discard(&mut self) -> Result<(), ChildError> {
        match self.thinking {
            EngineTask::Ponder(_, Some(_)) => self.thinking = EngineTask::Nothing,
            EngineTask::Move | EngineTask::Ponder(_, None) => {
                self.engine.stop().await?;
                self.thinking = EngineTask::Discarded(Instant::now());
            }
            EngineTask::Nothing | EngineTask::Discarded(_) => {}
        }
        Ok(())
    }

    /// As [`Board::discard`], in mid-game: an engine that fails is started again.
    async fn discard_or_restart(&mut self) -> Result<(), Left> {
        match self.discard().await {
            Ok(()) => Ok(()),
            Err(error) => self.restart(error).await,
        }
    }

    /// Waits for the next line of the engine. One that holds back an answer of no use for long has failed: it cannot be
    /// asked for another one. Safe to drop and call again.
    async fn listen(&mut self) -> Result<UsiMessage, ChildError> {
        let EngineTask::Discarded(since) = self.thinking else {
            return self.engine.next().await;
        };
        // A line that is there by now counts, whenever we listen.
        let line = timeout_at(since + STOP_PATIENCE, self.engine.next()).await;
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
                self.info.hear(&text);
                self.tell_reports();
            }
            UsiMessage::BestMove(answer) => match &mut self.thinking {
                EngineTask::Move => {
                    self.thinking = EngineTask::Nothing;
                    let sent = self.answer(&answer, connection).await;
                    sent.map_err(Left::Lost)?;
                    let sent = self.sent.as_ref().and_then(|sent| sent.mv);
                    if let (Some(mv), Some(reply), true) = (sent, &answer.ponder, self.ponders)
                        && let Err(error) = self.ponder(mv, reply).await
                    {
                        self.restart(error).await?;
                    }
                }
                EngineTask::Ponder(_, early) => *early = Some(answer),
                EngineTask::Nothing | EngineTask::Discarded(_) => {
                    self.thinking = EngineTask::Nothing;
                }
            },
            UsiMessage::ReadyOk | UsiMessage::Other => {}
        }
        Ok(())
    }

    /// Sends our move.
    async fn answer(
        &mut self,
        answer: &EngineAnswer,
        connection: &mut CsaConnection,
    ) -> Result<(), ConnectionError> {
        let line = self.info.line(self.turn_began.elapsed());
        let score = line.score.and_then(|score| score.centipawns());
        let score = score.map(|score| match self.ours {
            Color::Black => score,
            Color::White => -score,
        });
        let played = Answer::parse(&self.game, &answer.mv).unwrap_or_else(|error| {
            let mv = excerpt(&answer.mv, 20);
            tell!("the engine plays {mv}, which the rules forbid ({error}); resigning");
            Answer::Resign
        });
        let text = match played {
            Answer::Resign => "%TORYO".to_owned(),
            Answer::Win => "%KACHI".to_owned(),
            Answer::Move(mv) => {
                let comment = score
                    .filter(|_| self.comments)
                    .map(|score| comment(&self.game, mv, score, &line.pv));
                self.game.position().csa_move(mv) + &comment.unwrap_or_default()
            }
        };
        let sent = self.sent.insert(Sent {
            text,
            mv: played.as_move(),
            score,
        });
        connection.send(&sent.text).await
    }

    /// Takes in a line of the server.
    async fn handle(&mut self, line: &str) -> Result<(), Left> {
        if line.starts_with(['+', '-']) {
            self.moved(line).await?;
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

    /// Takes in a move that the server has accepted.
    async fn moved(&mut self, line: &str) -> Result<(), Left> {
        let mut parts = line.split(',');
        let text = parts.next().unwrap_or_default();
        let position = self.game.position();
        let legal = self.game.legal_moves();
        let Some(mv) = legal.into_iter().find(|&mv| position.csa_move(mv) == text) else {
            return Err(illegal(text));
        };
        let units = parts.find_map(|part| part.strip_prefix('T')?.parse::<u64>().ok());
        let side = position.side_to_move();
        let spent = units.unwrap_or(0).saturating_mul(self.units[side.index()]);
        let is_ours = side == self.ours;
        self.clocks.charge(side, spent);
        let sent = self.sent.take().filter(|_| is_ours);
        self.notes.push(Note {
            time_ms: spent,
            score: sent.as_ref().and_then(|sent| sent.score),
        });
        self.game.play(mv).map_err(|_| illegal(text))?;
        if is_ours {
            // A server may play another move than the one that was sent, as after a reconnection.
            if sent.and_then(|sent| sent.mv) != Some(mv) {
                self.discard_or_restart().await?;
            }
            return Ok(());
        }
        self.turn_began = self.unread_since.take().unwrap_or_else(Instant::now);
        match std::mem::replace(&mut self.thinking, EngineTask::Nothing) {
            EngineTask::Ponder(expected, None) if expected == mv => match self.ponder_hit().await {
                Ok(()) => self.thinking = EngineTask::Move,
                Err(error) => self.restart(error).await?,
            },
            // An answer that came too early may be to another question: the engine is asked again.
            thinking => {
                self.thinking = thinking;
                self.discard_or_restart().await?;
            }
        }
        Ok(())
    }

    /// Returns the game that is over. It counts, whatever the engine does.
    async fn over(&mut self, outcome: Option<MatchOutcome>) -> Played {
        let word = match outcome {
            Some(MatchOutcome::Win) => "win",
            Some(MatchOutcome::Loss) => "lose",
            Some(MatchOutcome::Draw) | None => "draw",
        };
        // One that has failed is not waited for.
        if !self.has_failed
            && let Err(error) = self.end_search(word).await
        {
            tell!("the engine failed at the end of the game: {error}");
            self.give_up().await;
        }
        self.tell_reports();
        // The next game tells its own.
        self.engine.take_reports();
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
    async fn end_search(&mut self, result: &str) -> Result<(), ChildError> {
        self.discard().await?;
        while let EngineTask::Discarded(_) = self.thinking {
            if let UsiMessage::BestMove(_) = self.listen().await? {
                self.thinking = EngineTask::Nothing;
            }
        }
        self.engine.game_over(result).await
    }

    /// Starts the engine again, once in a game. The game cannot go on without it.
    async fn restart(&mut self, mut error: ChildError) -> Result<(), Left> {
        if !self.has_restarted {
            tell!("the engine failed, and is started again: {error}");
            self.has_restarted = true;
            let began = Instant::now();
            match self.start_again().await {
                Ok(()) => {
                    if !self.is_our_turn() || self.sent.is_some() {
                        self.unread_since.get_or_insert(began);
                    }
                    return Ok(());
                }
                Err(again) => error = again,
            }
        }
        self.give_up().await;
        let reason = format!("the engine failed twice in the game: {error}");
        Err(Left::Unplayable(reason))
    }

    /// Leaves the engine that failed for the next game to start again.
    async fn give_up(&mut self) {
        self.has_failed = true;
        self.engine.kill().await;
    }

    /// Ends the engine.
    pub async fn close(self) {
        self.engine.quit().await;
    }
}

/// The end of a game in which the server plays what the rules forbid.
fn illegal(mv: &str) -> Left {
    let mv = excerpt(mv, 20);
    Left::Unplayable(format!("the server plays {mv}, which is illegal here"))
}
