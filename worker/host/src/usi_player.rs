//! Foreign players: what a USI engine is told to do, and what is done when it misbehaves.

use crate::{
    go::{self, GoForm},
    info::Thought,
    limits::{OwnLimits, own_first},
    player::{Answer, Failure, Host, Order, Steer, Steering},
    spec::UsiSpec,
    usi_child::{ChildError, Said, UsiChild},
};
use monju_engine::Game;
use monju_proto::v1;
use std::{
    future::Future,
    mem,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// So many lines of an engine are read before the clock and the coordinator are looked at, too.
const LINES_IN_A_ROW: u32 = 64;

/// How long an engine may take from `stop` to `bestmove`. Some think for a second whatever they
/// are told.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The longest wait before an engine that keeps failing is started again.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// A USI engine, seen from its actor. The engine starts in the background, and starts again after
/// it has failed.
pub struct UsiPlayer {
    name: String,
    spec: UsiSpec,
    own: OwnLimits,
    /// Where the engine's name goes when it is known.
    engine: Arc<OnceLock<String>>,
    state: State,
    /// Failures since the last answer.
    failures: u32,
}

enum State {
    Starting(Pin<Box<dyn Future<Output = Result<UsiChild, ChildError>> + Send>>),
    Ready(Box<Seated>),
    Down { until: Instant, why: String },
}

/// An engine that can be given a game.
struct Seated {
    child: UsiChild,
    /// The game it was told of last.
    game: Option<String>,
}

impl UsiPlayer {
    /// Begins to start the engine.
    pub fn new(name: String, spec: UsiSpec, own: OwnLimits, engine: Arc<OnceLock<String>>) -> Self {
        let state = starting(&name, &spec);
        Self {
            name,
            spec,
            own,
            engine,
            state,
            failures: 0,
        }
    }

    /// Waits while the engine starts. A ponder hit that comes meanwhile is noted.
    async fn wait_for_start(
        &mut self,
        order: &mut Order,
        steering: &mut Steering<'_>,
    ) -> Result<(), Failure> {
        while matches!(self.state, State::Starting(_)) {
            tokio::select! {
                () = self.tend() => {}
                steer = steering.next() => match steer {
                    Steer::Stop => return Err(Failure::Starting),
                    Steer::PonderHit(hit) => order.hit(hit),
                },
            }
        }
        Ok(())
    }

    /// Gives up the engine that failed, and arranges its next start: at once when it had answered
    /// since the last failure, later and later otherwise.
    async fn fail(&mut self, error: &ChildError) {
        let was_ready = matches!(self.state, State::Ready(_));
        let wait = backoff(was_ready, self.failures);
        self.failures = self.failures.saturating_add(1);
        tracing::warn!(player = self.name, %error, restart_in_s = wait.as_secs(), "engine failed");
        let next = if wait.is_zero() {
            starting(&self.name, &self.spec)
        } else {
            State::Down {
                until: Instant::now() + wait,
                why: error.to_string(),
            }
        };
        if let State::Ready(seated) = mem::replace(&mut self.state, next) {
            seated.child.kill().await;
        }
    }
}

/// Time until an engine that has failed is started again, after `failures` failures without an
/// answer between them.
fn backoff(was_ready: bool, failures: u32) -> Duration {
    if was_ready && failures == 0 {
        Duration::ZERO
    } else {
        MAX_BACKOFF.min(Duration::from_secs(1 << failures.min(16)))
    }
}

fn starting(name: &str, spec: &UsiSpec) -> State {
    State::Starting(Box::pin(UsiChild::start(name.to_owned(), spec.clone())))
}

impl Host for UsiPlayer {
    /// Starts the engine, notices when it ends, and reads what it says unasked.
    async fn tend(&mut self) {
        match &mut self.state {
            State::Starting(start) => match start.await {
                Ok(child) => {
                    let engine = child.engine().unwrap_or_default().to_owned();
                    tracing::info!(player = self.name, engine, "engine ready");
                    if !engine.is_empty() {
                        self.engine.get_or_init(|| engine);
                    }
                    self.state = State::Ready(Box::new(Seated { child, game: None }));
                }
                Err(error) => self.fail(&error).await,
            },
            State::Ready(seated) => {
                if let Err(error) = seated.child.next().await {
                    self.fail(&error).await;
                }
            }
            State::Down { until, .. } => {
                sleep_until(*until).await;
                self.state = starting(&self.name, &self.spec);
            }
        }
    }

    async fn new_game(&mut self, game_id: &str) -> Result<(), String> {
        if matches!(self.state, State::Down { .. }) {
            // What kept it down may have been mended, and now there is time for a try.
            self.state = starting(&self.name, &self.spec);
        }
        loop {
            match &mut self.state {
                State::Starting(_) => self.tend().await,
                State::Down { why, .. } => return Err(why.clone()),
                State::Ready(seated) => match seated.new_game(game_id).await {
                    Ok(()) => return Ok(()),
                    Err(error) => self.fail(&error).await,
                },
            }
        }
    }

    async fn think(
        &mut self,
        mut order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> Result<Answer, Failure> {
        self.wait_for_start(&mut order, steering).await?;
        let seated = match &mut self.state {
            State::Ready(seated) => seated,
            State::Starting(_) => return Err(Failure::Starting),
            State::Down { until, why } => {
                return Err(Failure::Down {
                    wait: until.saturating_duration_since(Instant::now()),
                    why: why.clone(),
                });
            }
        };
        let search = Search {
            position: position_command(&order.game),
            own: &self.own,
            forms: &self.spec.go,
            progress,
        };
        match search.run(seated, &mut order, steering).await {
            Ok(line) => {
                self.failures = 0;
                Ok(Answer {
                    line,
                    noise_seed: None,
                })
            }
            Err(error) => {
                self.fail(&error).await;
                Err(Failure::Engine(error.to_string()))
            }
        }
    }

    async fn close(self) {
        if let State::Ready(seated) = self.state {
            seated.child.quit().await;
        }
    }
}

impl Seated {
    /// The handshake of one game. An engine that was just started has already said `readyok`;
    /// later games repeat it, since some engines clear their tables at `isready` only.
    async fn new_game(&mut self, game_id: &str) -> Result<(), ChildError> {
        if self.game.is_some() {
            self.child.ready().await?;
        }
        self.child.new_game().await?;
        self.game = Some(game_id.to_owned());
        Ok(())
    }
}

/// One think, from `position` to the last `bestmove`.
struct Search<'a> {
    position: String,
    own: &'a OwnLimits,
    forms: &'a [GoForm],
    progress: &'a watch::Sender<v1::Line>,
}

/// How one `go` ended.
enum Ending {
    Answer(v1::Line),
    /// The pondered move was played; what was answered meanwhile is void.
    PonderHit,
}

impl Search<'_> {
    async fn run(
        &self,
        seated: &mut Seated,
        order: &mut Order,
        steering: &mut Steering<'_>,
    ) -> Result<v1::Line, ChildError> {
        if seated.game.as_ref() != Some(&order.game_id) {
            seated.new_game(&order.game_id).await?;
        }
        loop {
            let plan = if order.ponder {
                go::infinite(None)
            } else {
                let limits = own_first(self.own, &order.limits);
                go::plan(&order.remaining(limits), self.forms)
            };
            let ending = self.go(&mut seated.child, &plan, order, steering).await?;
            if let Ending::Answer(line) = ending {
                return Ok(line);
            }
        }
    }

    /// One `go` and all that follows it. While pondering an answer is held until stop or ponder
    /// hit. After a ponder hit the answer is awaited and dropped: it was made without limits.
    async fn go(
        &self,
        child: &mut UsiChild,
        plan: &go::GoPlan,
        order: &mut Order,
        steering: &mut Steering<'_>,
    ) -> Result<Ending, ChildError> {
        let started = Instant::now();
        child.go(&self.position, &plan.command).await?;
        let deadline = plan.stop_after.and_then(|time| started.checked_add(time));
        let mut thought = Thought::default();
        let mut held: Option<v1::Line> = None;
        let mut hit = false;
        let mut patience: Option<Instant> = None;
        let mut turns = 0u32;
        loop {
            let mut stop = false;
            turns = turns.wrapping_add(1);
            // An engine that says more than can be read is not listened to before all else for ever.
            let listens = !turns.is_multiple_of(LINES_IN_A_ROW);
            tokio::select! {
                // First what the engine has said: a machine that was frozen wakes up late.
                biased;
                said = child.next(), if listens => match said? {
                    Said::Info(info) => {
                        if held.is_none() && thought.hear(&info) {
                            self.progress.send_replace(thought.line(started.elapsed()));
                        }
                    }
                    Said::BestMove(best) => {
                        held = Some(mem::take(&mut thought).answer(best, started.elapsed()));
                        patience = None;
                    }
                    Said::ReadyOk | Said::Other => {}
                },
                steer = steering.next() => match steer {
                    Steer::Stop => {
                        order.ponder = false;
                        hit = false;
                        stop = true;
                    }
                    Steer::PonderHit(now) if order.ponder => {
                        order.hit(now);
                        hit = true;
                        stop = true;
                    }
                    Steer::PonderHit(_) => {}
                },
                () = until(deadline), if patience.is_none() => stop = true,
                () = until(patience) => return Err(ChildError::IgnoredStop(STOP_GRACE)),
                () = std::future::ready(()), if !listens => {}
            }
            if !order.ponder
                && let Some(line) = held.take()
            {
                return Ok(if hit {
                    Ending::PonderHit
                } else {
                    Ending::Answer(line)
                });
            }
            if stop && patience.is_none() {
                child.stop().await?;
                patience = Some(Instant::now() + STOP_GRACE);
            }
        }
    }
}

/// Sleeps until a moment, or for ever without one.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// The whole `position` command: engines need every move for repetition and perpetual check.
fn position_command(game: &Game) -> String {
    let start = game.start();
    let mut command = if start == "startpos" {
        "position startpos".to_owned()
    } else {
        format!("position sfen {start}")
    };
    if !game.moves().is_empty() {
        command.push_str(" moves");
    }
    for mv in game.moves() {
        command.push(' ');
        command.push_str(&mv.to_string());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_crash_costs_no_wait_and_later_ones_more_and_more() {
        let seconds = |was_ready, failures| backoff(was_ready, failures).as_secs();
        assert_eq!([0, 1, 2].map(|failures| seconds(true, failures)), [0, 2, 4]);
        assert_eq!(
            [0, 1, 4, 5, 99].map(|failures| seconds(false, failures)),
            [1, 2, 16, 30, 30]
        );
    }

    #[test]
    fn a_position_carries_every_move() {
        let game = |text| position_command(&Game::from_usi(text).expect("a game"));
        for text in [
            "position startpos",
            "position startpos moves 7g7f 3c3d 8h2b+",
            "position sfen 4k4/9/9/9/9/9/9/9/4K4 b R 1 moves R*5e",
        ] {
            assert_eq!(game(text), text);
        }
    }
}
