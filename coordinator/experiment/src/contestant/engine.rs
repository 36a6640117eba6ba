//! A USI engine as a contestant, driven as a GUI would.

use super::{
    error::ContestantError,
    ponder::{PonderSearch, hear_out},
    resources::BoardResources,
    stalls::StallWatch,
    turn::{ClockReading, MoveQuestion, TurnAnswer},
};
use crate::specification::{DrivenEngine, SideEnsemble, asked_threads};
use monju_engine::{Answer, Game, MoveError};
use monju_host::{
    EngineAnswer, EngineInfo,
    usi_child::{ChildError, UsiChild},
};
use monju_proto::{
    convert::milliseconds,
    v1::{Arrival, Ballot, Decision, Line, PlayerInfo, Tally, TieBreak, Vote},
};
use std::{convert::Infallible, future, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout, timeout_at},
};
use tracing::warn;

/// Time beyond the loss on time for which a move is still awaited, so that its true length is recorded.
const OVERTIME: Duration = Duration::from_secs(5);

/// Longest wait for a move without any limit of time.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// A USI engine.
#[derive(Debug)]
pub struct EngineContestant {
    ensemble: SideEnsemble,
    engine: DrivenEngine,
    /// The process; `None` after one that did not move in time was killed.
    child: Option<UsiChild>,
    /// True until the first game: the handshake has just ended with `readyok`.
    is_fresh: bool,
    /// Turns of engines whose effort is not measured in time.
    turns: Option<Arc<Semaphore>>,
    stalls: StallWatch,
    /// The reply that it expects to its last move.
    expected: Option<String>,
    /// Its search on the opponent's time.
    pondering: Option<PonderSearch>,
}

impl EngineContestant {
    /// Starts the engine and waits until it is ready. An engine whose effort is not measured in time takes
    /// turns; another one whose options name its threads is kept on the cores of the board.
    ///
    /// # Errors
    /// It does not start, or does not speak USI.
    pub async fn start(
        ensemble: &SideEnsemble,
        engine: &DrivenEngine,
        board: &BoardResources,
    ) -> Result<Self, ContestantError> {
        let mut engine = engine.clone();
        // As with players: its own default may be several threads.
        if ensemble.is_timed() && asked_threads(&engine.spec).is_some() {
            engine.spec.cores = board.cores.clone();
        }
        let mut contestant = Self {
            ensemble: ensemble.clone(),
            engine,
            child: None,
            is_fresh: true,
            turns: (!ensemble.is_timed()).then(|| Arc::clone(&board.turns)),
            stalls: StallWatch::new(ensemble, board),
            expected: None,
            pondering: None,
        };
        contestant.restart().await?;
        Ok(contestant)
    }

    async fn restart(&mut self) -> Result<(), ContestantError> {
        let started = UsiChild::start(self.ensemble.name.clone(), self.engine.spec.clone()).await;
        self.child = Some(started.map_err(|source| self.failed(source))?);
        self.is_fresh = true;
        Ok(())
    }

    fn failed(&self, source: ChildError) -> ContestantError {
        ContestantError::Engine {
            name: self.ensemble.name.clone(),
            source,
        }
    }

    /// Its ensemble.
    pub fn ensemble(&self) -> &SideEnsemble {
        &self.ensemble
    }

    /// Takes the limits and the clock of another ensemble with the same engine.
    pub fn adopt(&mut self, ensemble: &SideEnsemble) {
        self.ensemble = ensemble.clone();
    }

    /// Tells the engine of a new game. The time in which it forgets the old one is not on its clock.
    ///
    /// # Errors
    /// The engine is gone.
    pub async fn new_game(&mut self) -> Result<(), ContestantError> {
        self.expected = None;
        self.stop_pondering().await;
        if self.child.is_none() {
            self.restart().await?;
        }
        let is_fresh = std::mem::replace(&mut self.is_fresh, false);
        let told = match &mut self.child {
            Some(child) => greet(child, is_fresh).await,
            None => Ok(()),
        };
        told.map_err(|source| self.failed(source))
    }

    /// Lets it think on the reply that it expects in `game`, if it ponders and expects a legal one. A failure shows
    /// when it is asked next.
    pub async fn ponder(&mut self, game: &Game, clock: Option<ClockReading>) {
        let expected = self.expected.take().filter(|_| self.engine.ponder);
        let (Some(child), Some(expected), Some(clock)) = (&mut self.child, expected, clock) else {
            return;
        };
        self.pondering = PonderSearch::begin(child, game, &expected, &clock.words).await;
    }

    /// Listens to its thought on the opponent's time, and never returns. Safe to drop at any moment.
    pub async fn attend(&mut self) -> Infallible {
        if let (Some(child), Some(pondering)) = (&mut self.child, &mut self.pondering) {
            pondering.attend(child).await;
        }
        future::pending().await
    }

    /// Ends its thought on the opponent's time. An engine that does not obey is killed, and started again for the next
    /// game.
    pub async fn stop_pondering(&mut self) {
        if let (Some(child), Some(pondering)) = (&mut self.child, self.pondering.take())
            && !matches!(timeout(OVERTIME, pondering.stop(child)).await, Ok(Ok(())))
            && let Some(mut child) = self.child.take()
        {
            let side = &self.ensemble.name;
            warn!(
                side,
                "the engine did not end its thought on the opponent's time, and is started again"
            );
            child.kill().await;
        }
    }

    /// Asks for a move. An engine that names none is killed, at the latest `OVERTIME` after its loss on
    /// time; its ballot has no votes then.
    ///
    /// # Errors
    /// The engine is gone, or has no time limit and names no move.
    pub async fn ask(
        &mut self,
        question: &MoveQuestion<'_>,
    ) -> Result<TurnAnswer, ContestantError> {
        let _turn = self.turn().await;
        let clock = question.clock.as_ref().map(|clock| clock.allowed);
        let allowed = time_limit(&self.ensemble, clock);
        let patience = match (allowed, self.ensemble.nodes_time) {
            (Some(allowed), None) => allowed + self.ensemble.margin + OVERTIME,
            _ => PATIENCE,
        };
        let go = go_command(&self.ensemble, &self.engine, question);
        let pondering = self.pondering.take();
        let Some(child) = &mut self.child else {
            return Err(ContestantError::NoMove {
                name: self.ensemble.name.clone(),
                patience: Duration::ZERO,
            });
        };
        let started = Instant::now();
        let answer = think(child, pondering, question.game, &go);
        let answer = timeout_at(started + patience, answer).await;
        let mut elapsed = started.elapsed();
        let mut stall = self.stalls.longest_since(started);
        let line = match answer {
            Ok(Ok((best, info))) => {
                self.expected.clone_from(&best.ponder);
                let line = info.answer(best, elapsed);
                if let Some(nodes_time) = self.ensemble.nodes_time {
                    elapsed = nodes_time.time(line.nodes);
                    stall = Duration::ZERO;
                }
                Some(line)
            }
            Ok(Err(source)) => return Err(self.failed(source)),
            Err(_) => {
                if let Some(mut child) = self.child.take() {
                    child.kill().await;
                }
                if allowed.is_none() {
                    let name = self.ensemble.name.clone();
                    return Err(ContestantError::NoMove { name, patience });
                }
                None
            }
        };
        let ballot = ballot(question, self.player_info(), line, elapsed);
        Ok(TurnAnswer {
            ballot,
            elapsed,
            stall,
        })
    }

    /// Returns the errors that keep the engine from playing as it is told to and that it has reported since they were
    /// last taken, in its own words.
    pub fn take_errors(&mut self) -> Vec<String> {
        let child = self.child.as_mut();
        child.map_or_else(Vec::new, |child| {
            child.take_reports().weighed(child.engine()).0
        })
    }

    /// Waits for a turn to think, where turns are taken.
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let turns = self.turns.as_ref()?;
        Arc::clone(turns).acquire_owned().await.ok()
    }

    fn player_info(&self) -> PlayerInfo {
        let engine = self.child.as_ref().and_then(UsiChild::engine);
        PlayerInfo {
            name: self.ensemble.name.clone(),
            engine: engine.unwrap_or_default().to_owned(),
            ..PlayerInfo::default()
        }
    }

    /// Ends the engine.
    pub async fn close(self) {
        if let Some(child) = self.child {
            child.quit().await;
        }
    }
}

/// Tells an engine of a new game. Later games begin with `isready`, at which some engines clear their
/// tables.
async fn greet(child: &mut UsiChild, is_fresh: bool) -> Result<(), ChildError> {
    if !is_fresh {
        child.ready().await?;
    }
    child.new_game().await
}

/// Time until an engine loses, without the margin; `None` without any limit of time.
pub(crate) fn time_limit(ensemble: &SideEnsemble, clock: Option<Duration>) -> Option<Duration> {
    let per_move = ensemble.limits.time_ms.map(Duration::from_millis);
    match (clock, per_move) {
        (Some(clock), Some(per_move)) => Some(clock.min(per_move)),
        (clock, per_move) => clock.or(per_move),
    }
}

/// The `go` command: its own words, else nodes, depth and time of a move, else the clock.
fn go_command(
    ensemble: &SideEnsemble,
    engine: &DrivenEngine,
    question: &MoveQuestion<'_>,
) -> String {
    if let Some(words) = &engine.go {
        return format!("go {words}");
    }
    let limits = &ensemble.limits;
    let words: Vec<String> = [
        limits.depth.map(|depth| format!("depth {depth}")),
        limits.nodes.map(|nodes| format!("nodes {nodes}")),
        limits.time_ms.map(|time| format!("movetime {time}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    match &question.clock {
        Some(clock) if words.is_empty() => format!("go {}", clock.words),
        _ => format!("go {}", words.join(" ")),
    }
}

/// Tells the engine that the reply on which it ponders was played, or sends the position and `go`, and reads until
/// `bestmove`.
async fn think(
    child: &mut UsiChild,
    pondering: Option<PonderSearch>,
    game: &Game,
    go: &str,
) -> Result<(EngineAnswer, EngineInfo), ChildError> {
    let position = game.to_usi();
    let mut info = EngineInfo::default();
    match pondering {
        Some(pondering) if pondering.position == position => {
            let (heard, answer) = pondering.hit(child).await?;
            info = heard;
            if let Some(best) = answer {
                return Ok((best, info));
            }
        }
        missed => {
            if let Some(missed) = missed {
                missed.stop(child).await?;
            }
            child.go(&format!("position {position}"), go).await?;
        }
    }
    let best = hear_out(child, &mut info).await?;
    Ok((best, info))
}

/// The ballot in which an engine casts the only vote, so that games of engines and of teams are judged
/// and recorded alike.
fn ballot(
    question: &MoveQuestion<'_>,
    player: PlayerInfo,
    line: Option<Line>,
    elapsed: Duration,
) -> Ballot {
    let elapsed_ms = milliseconds(elapsed);
    let game = question.game;
    let mut ballot = Ballot {
        game_id: question.game_id.to_owned(),
        position: Some(game.into()),
        seed: question.seed,
        ..Ballot::default()
    };
    let mut decision = Decision {
        rule: "majority".to_owned(),
        elapsed_ms,
        ..Decision::default()
    };
    let Some(line) = line else {
        decision.tie_break = TieBreak::Fallback.into();
        ballot.decision = Some(decision);
        return ballot;
    };
    let answer = Answer::parse(game, &line.r#move);
    if answer == Ok(Answer::Win) && game.can_declare_win() {
        decision.r#move = line.r#move;
        decision.tie_break = TieBreak::Rules.into();
        ballot.decision = Some(decision);
        return ballot;
    }
    let (arrival, failure) = judge(answer);
    let legal = arrival == Arrival::Final;
    if legal {
        ballot.tally = vec![Tally {
            r#move: line.r#move.clone(),
            votes: 1,
        }];
    }
    match arrival {
        Arrival::Final | Arrival::Resigned => decision.r#move.clone_from(&line.r#move),
        _ => decision.tie_break = TieBreak::Fallback.into(),
    }
    ballot.votes = vec![Vote {
        player: Some(player),
        line: Some(line),
        arrival: arrival.into(),
        failure,
        arrived_ms: elapsed_ms,
        legal,
        counted: legal,
        ..Vote::default()
    }];
    ballot.decision = Some(decision);
    ballot
}

/// The arrival of an engine's only vote, with the reason for which an illegal one does not count.
fn judge(answer: Result<Answer, MoveError>) -> (Arrival, String) {
    match answer {
        Ok(Answer::Resign) => (Arrival::Resigned, String::new()),
        Ok(Answer::Win) => (
            Arrival::DeclaredWin,
            "it declares a win that the rules do not give".to_owned(),
        ),
        Ok(Answer::Move(_)) => (Arrival::Final, String::new()),
        Err(error) => (Arrival::Illegal, error.to_string()),
    }
}
