//! Players of the kind "usi": the commands for an engine, and the treatment of its failures.

use crate::{
    go::{self, GoForm},
    info::EngineInfo,
    limits::{OwnLimits, own_first},
    player::{NotReady, Order, PlayerAnswer, PlayerBackend, Steer, Steering, ThinkFailure},
    spec::UsiSpec,
    usi_child::{ChildError, UsiChild, UsiMessage},
};
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

/// Lines of an engine that are read in a row before the clock and the client get a turn.
const LINES_IN_A_ROW: u32 = 64;

/// Longest time from `stop` to `bestmove`. Some engines search for a second in any case.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(2);

/// Longest wait before an engine that keeps failing is started again.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// A USI engine, seen from its actor. The engine starts in the background, and starts again after
/// it has failed.
pub struct UsiPlayer {
    name: String,
    spec: UsiSpec,
    own: OwnLimits,
    /// The engine's name, once it is known.
    engine: Arc<OnceLock<String>>,
    state: EngineState,
    /// Failures since the last answer.
    failures: u32,
}

enum EngineState {
    Starting(Pin<Box<dyn Future<Output = Result<UsiChild, ChildError>> + Send>>),
    Ready(Box<ReadyEngine>),
    Down {
        until: Instant,
        why: Arc<ChildError>,
    },
}

/// An engine that has finished its handshake.
struct ReadyEngine {
    child: UsiChild,
    /// The game of its last `usinewgame`.
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
    ) -> Result<(), ThinkFailure> {
        while matches!(self.state, EngineState::Starting(_)) {
            tokio::select! {
                () = self.tend() => {}
                steer = steering.next() => match steer {
                    Steer::Stop => return Err(ThinkFailure::Starting),
                    Steer::PonderHit { limits, at } => order.hit(limits, at),
                },
            }
        }
        Ok(())
    }

    /// Gives up the engine that failed, and plans its next start: at once when it had answered since the last
    /// failure, later and later otherwise.
    async fn fail(&mut self, error: ChildError) -> Arc<ChildError> {
        let error = Arc::new(error);
        let was_ready = matches!(self.state, EngineState::Ready(_));
        let wait = backoff(was_ready, self.failures);
        self.failures = self.failures.saturating_add(1);
        tracing::warn!(player = self.name, %error, restart_in_s = wait.as_secs(), "engine failed");
        let next = if wait.is_zero() {
            starting(&self.name, &self.spec)
        } else {
            EngineState::Down {
                until: Instant::now() + wait,
                why: Arc::clone(&error),
            }
        };
        if let EngineState::Ready(mut ready) = mem::replace(&mut self.state, next) {
            ready.child.kill().await;
        }
        error
    }
}

/// Returns the time until an engine that has failed is started again, after `failures` failures without an
/// answer between them.
fn backoff(was_ready: bool, failures: u32) -> Duration {
    if was_ready && failures == 0 {
        Duration::ZERO
    } else {
        MAX_BACKOFF.min(Duration::from_secs(1 << failures.min(16)))
    }
}

fn starting(name: &str, spec: &UsiSpec) -> EngineState {
    EngineState::Starting(Box::pin(UsiChild::start(name.to_owned(), spec.clone())))
}

impl PlayerBackend for UsiPlayer {
    /// Starts the engine, notices when it ends, and reads what it says unasked.
    async fn tend(&mut self) {
        match &mut self.state {
            EngineState::Starting(start) => match start.await {
                Ok(child) => {
                    let engine = child.engine().unwrap_or_default().to_owned();
                    tracing::info!(player = self.name, engine, "engine ready");
                    self.engine.get_or_init(|| engine);
                    self.state = EngineState::Ready(Box::new(ReadyEngine { child, game: None }));
                }
                Err(error) => {
                    self.fail(error).await;
                }
            },
            EngineState::Ready(ready) => {
                if let Err(error) = ready.child.next().await {
                    self.fail(error).await;
                }
            }
            EngineState::Down { until, .. } => {
                sleep_until(*until).await;
                self.state = starting(&self.name, &self.spec);
            }
        }
    }

    async fn new_game(&mut self, game_id: &str) -> Result<Vec<String>, NotReady> {
        if matches!(self.state, EngineState::Down { .. }) {
            // The cause may have been mended, and there is time for another start now.
            self.state = starting(&self.name, &self.spec);
        }
        loop {
            match &mut self.state {
                EngineState::Starting(_) => self.tend().await,
                EngineState::Down { why, .. } => return Err(Arc::clone(why).into()),
                EngineState::Ready(ready) => match ready.new_game(game_id).await {
                    Ok(()) => return Ok(ready.child.take_reports().errors()),
                    Err(error) => {
                        self.fail(error).await;
                    }
                },
            }
        }
    }

    async fn think(
        &mut self,
        mut order: Order,
        progress: &watch::Sender<v1::Line>,
        steering: &mut Steering<'_>,
    ) -> Result<PlayerAnswer, ThinkFailure> {
        self.wait_for_start(&mut order, steering).await?;
        let ready = match &mut self.state {
            EngineState::Ready(ready) => ready,
            EngineState::Starting(_) => return Err(ThinkFailure::Starting),
            EngineState::Down { until, why } => {
                return Err(ThinkFailure::Down {
                    wait: until.saturating_duration_since(Instant::now()),
                    why: why.clone(),
                });
            }
        };
        let search = UsiSearch {
            // Engines need every move for repetition and perpetual check.
            position: format!("position {}", order.game.to_usi()),
            own: &self.own,
            forms: &self.spec.go,
            progress,
        };
        match search.run(ready, &mut order, steering).await {
            Ok(line) => {
                self.failures = 0;
                Ok(PlayerAnswer {
                    line,
                    noise_seed: None,
                })
            }
            Err(error) => Err(self.fail(error).await.into()),
        }
    }

    async fn close(self) {
        if let EngineState::Ready(ready) = self.state {
            ready.child.quit().await;
        }
    }
}

impl ReadyEngine {
    /// Begins a game. The first one of an engine needs no `isready`; later ones repeat it, since some engines
    /// clear their tables at `isready` only.
    async fn new_game(&mut self, game_id: &str) -> Result<(), ChildError> {
        if self.game.is_some() {
            self.child.ready_again().await?;
        }
        self.child.new_game().await?;
        self.game = Some(game_id.to_owned());
        Ok(())
    }
}

/// One search, from `position` to the last `bestmove`.
struct UsiSearch<'a> {
    position: String,
    own: &'a OwnLimits,
    forms: &'a [GoForm],
    progress: &'a watch::Sender<v1::Line>,
}

/// The end of one `go`.
enum GoEnding {
    Answer(v1::Line),
    /// The pondered move was played; an earlier answer is void.
    PonderHit,
}

impl UsiSearch<'_> {
    async fn run(
        &self,
        ready: &mut ReadyEngine,
        order: &mut Order,
        steering: &mut Steering<'_>,
    ) -> Result<v1::Line, ChildError> {
        if ready.game.as_ref() != Some(&order.game_id) {
            ready.new_game(&order.game_id).await?;
        }
        loop {
            let plan = if order.ponder {
                go::infinite(None)
            } else {
                let limits = own_first(self.own, &order.limits);
                go::plan(&order.remaining(limits), self.forms)
            };
            let ending = self.go(&mut ready.child, &plan, order, steering).await?;
            if let GoEnding::Answer(line) = ending {
                return Ok(line);
            }
        }
    }

    /// Sends one `go` and waits for its answer. While pondering, an answer is held until a stop or a ponder hit.
    /// After a ponder hit the answer is dropped, since it was found without limits.
    async fn go(
        &self,
        child: &mut UsiChild,
        plan: &go::GoPlan,
        order: &mut Order,
        steering: &mut Steering<'_>,
    ) -> Result<GoEnding, ChildError> {
        let started = Instant::now();
        child.go(&self.position, &plan.command).await?;
        let deadline = plan.stop_after.and_then(|time| started.checked_add(time));
        let mut thought = EngineInfo::default();
        let mut held: Option<v1::Line> = None;
        let mut hit = false;
        let mut patience: Option<Instant> = None;
        let mut turns = 0u32;
        loop {
            let mut stop = false;
            turns = turns.wrapping_add(1);
            // An engine that writes without end must not keep the other events waiting.
            let listens = !turns.is_multiple_of(LINES_IN_A_ROW);
            tokio::select! {
                // The engine's lines come first: a machine that was frozen wakes up late.
                biased;
                message = child.next(), if listens => match message? {
                    UsiMessage::Info(info) => {
                        if held.is_none() && thought.hear(&info) {
                            self.progress.send_replace(thought.line(started.elapsed()));
                        }
                    }
                    UsiMessage::BestMove(best) => {
                        held = Some(mem::take(&mut thought).answer(best, started.elapsed()));
                        patience = None;
                    }
                    UsiMessage::ReadyOk | UsiMessage::Other => {}
                },
                steer = steering.next() => match steer {
                    Steer::Stop => {
                        order.ponder = false;
                        hit = false;
                        stop = true;
                    }
                    Steer::PonderHit { limits, at } if order.ponder => {
                        order.hit(limits, at);
                        hit = true;
                        stop = true;
                    }
                    Steer::PonderHit { .. } => {}
                },
                () = until(deadline), if patience.is_none() => stop = true,
                () = until(patience) => return Err(ChildError::IgnoredStop(STOP_GRACE)),
                () = std::future::ready(()), if !listens => {}
            }
            if !order.ponder
                && let Some(line) = held.take()
            {
                return Ok(if hit {
                    GoEnding::PonderHit
                } else {
                    GoEnding::Answer(line)
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
}
